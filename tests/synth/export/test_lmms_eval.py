from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import datasets
import pytest
import yaml

from tests.jobs.export_release import Rows
from tests.synth.export.conftest import Exported


def load_task(path: Path) -> dict[str, Any]:
    """A task's YAML as lmms-eval reads it: `!function utils.f` becomes the function of the utils.py beside it."""

    class Loader(yaml.SafeLoader):
        pass

    def function(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Any:
        module, name = loader.construct_scalar(node).split(".")
        spec = importlib.util.spec_from_file_location(module, path.parent / f"{module}.py")
        assert spec and spec.loader
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        return getattr(made, name)

    Loader.add_constructor("!function", function)
    return yaml.load(path.read_text("utf-8"), Loader)


@pytest.mark.parametrize("split", ["train", "test"])
def test_the_task_shows_every_question_with_its_picture(
    rows: Rows, exported: Exported, tmp_path: Path, split: str
) -> None:
    folder = exported("lmms-eval")
    task = load_task(folder / f"pageloom_books_{split}.yaml")
    files = {name: str(folder / file) for name, file in task["dataset_kwargs"]["data_files"].items()}
    loaded: Any = datasets.load_dataset(task["dataset_path"], data_files=files, cache_dir=str(tmp_path))
    sizes = {p["page_id"]: (p["width"], p["height"]) for p in rows["pages"]}
    told = {}
    for doc in loaded[task["test_split"]]:
        (picture,) = task["doc_to_visual"](doc)
        assert picture.mode == "RGB" and picture.size == sizes[doc["page_id"]]
        text = task["doc_to_text"](doc, task["lmms_eval_specific_kwargs"]["default"])
        assert text.startswith(doc["question"] + "\n") and task["doc_to_text"](doc) == doc["question"]
        told[doc["page_id"], doc["source"]] = doc[task["doc_to_target"]]
    mine = [f for f in rows["kie"] if f["document_id"].startswith(split)]
    assert told == {(f["page_id"], f["path"]): [f["value"]] for f in mine}
    assert task["metric_list"] == [{"metric": "anls", "aggregation": "mean", "higher_is_better": True}]


def test_the_group_names_the_tasks(exported: Exported) -> None:
    group = yaml.safe_load((exported("lmms-eval") / "pageloom_books.yaml").read_text())
    assert group == {"group": "pageloom_books", "task": ["pageloom_books_test", "pageloom_books_train"]}


def test_a_picture_is_written_once(rows: Rows, exported: Exported) -> None:
    files = {file.stem: file.read_bytes() for file in (exported("lmms-eval") / "images").rglob("*.jpg")}
    assert files == {p["page_id"]: p["image"]["bytes"] for p in rows["pages"]}
    questions = (exported("lmms-eval") / "data/test.jsonl").read_text("utf-8").splitlines()
    assert all("images/test/" in json.loads(one)["image_path"] for one in questions)
