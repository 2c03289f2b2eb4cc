"""What lmms-eval calls to show a question of this export to a model. Written beside the task's YAML as utils.py."""

from pathlib import Path
from typing import Any

from PIL import Image

FOLDER = Path(__file__).parent


def doc_to_visual(doc: dict[str, Any]) -> list[Image.Image]:
    """The picture of the page that answers the question."""
    with Image.open(FOLDER / doc["image_path"]) as picture:
        return [picture.convert("RGB")]


def doc_to_text(doc: dict[str, Any], lmms_eval_specific_kwargs: dict[str, str] | None = None) -> str:
    """The question between what the task's YAML sets around it for a model."""
    around = lmms_eval_specific_kwargs or {}
    return around.get("pre_prompt", "") + doc["question"] + around.get("post_prompt", "")
