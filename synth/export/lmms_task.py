"""What lmms-eval calls to show a question of this export to a model. Written beside the task's YAML as utils.py."""

from pathlib import Path

from PIL import Image

FOLDER = Path(__file__).parent


def doc_to_visual(doc):
    with Image.open(FOLDER / doc["image_path"]) as picture:
        return [picture.convert("RGB")]


def doc_to_text(doc, lmms_eval_specific_kwargs=None):
    around = lmms_eval_specific_kwargs or {}
    return around.get("pre_prompt", "") + doc["question"] + around.get("post_prompt", "")
