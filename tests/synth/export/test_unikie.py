from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.store import open_store
from jobs.export_read import Selection
from jobs.export_run import export
from synth.export.unikie import dataset_name, empty, merged
from synth.metrics.unikie import field_f1, load_predictions
from tests.jobs.export_release import Rows, sealed_release
from tests.synth.export.conftest import Exported

PICTURES = {".png", ".jpg", ".jpeg", ".webp", ".bmp"}


def sets(exported: Exported, track: str) -> list[Path]:
    return sorted(path for split in ("train", "test") for path in (exported(track) / split).iterdir())


def pictures(folder: Path, url: str) -> list[Path]:
    """What the repository's script finds under a url: a picture, or all of a folder."""
    path = folder / url
    found = sorted(path.iterdir()) if path.is_dir() else [path]
    assert found and all(one.suffix in PICTURES and one.stat().st_size for one in found)
    return found


@pytest.mark.parametrize("track", ["unikie-open", "unikie-constrained"])
def test_questions_labels_and_pictures_belong_together(rows: Rows, exported: Exported, track: str) -> None:
    told: dict[str, object] = {}
    for folder in sets(exported, track):
        asked = [json.loads(one) for one in (folder / "qa.jsonl").read_text("utf-8").splitlines()]
        labels = json.loads((folder / "label.json").read_text("utf-8"))
        assert {one["url"].removeprefix("images/") for one in asked} == set(labels)
        for one in asked:
            name = one["url"].removeprefix("images/")
            assert [p.stem for p in pictures(folder, one["url"])] == [f"{name}-p0", f"{name}-p1"]
            schema = json.loads(one["prompt"])
            assert merged(schema, empty(labels[name])) == schema  # asks for all that the label has
            told[name] = labels[name]
    assert told == {d["document_id"]: json.loads(d["values"]) for d in rows["documents"]}
    assert {folder.name for folder in sets(exported, track)} == {"receipt-en", "Form-cn", "receipt-bn"}


def test_the_scorer_gives_the_truth_all_and_less_for_a_field_less(exported: Exported, tmp_path: Path) -> None:
    for folder in sets(exported, "unikie-open"):
        labels = json.loads((folder / "label.json").read_text("utf-8"))
        asked = [json.loads(one) for one in (folder / "qa.jsonl").read_text("utf-8").splitlines()]
        lines = [
            {"dataset": folder.name, "url": one["url"], "model_result": labels[one["url"].removeprefix("images/")]}
            for one in asked
        ]
        text = "\n".join(json.dumps(one, ensure_ascii=False) for one in lines)
        predictions = load_predictions(text.splitlines())[folder.name]
        assert field_f1(predictions, labels, "compat").f1 == pytest.approx(1, abs=1e-6)
        assert field_f1(predictions, labels, "strict").f1 == 1
        del next(iter(predictions.values()))["page0"]["total"]
        assert 0 < (field_f1(predictions, labels, "strict").f1 or 0) < 1


def test_a_page_alone_is_a_picture(tmp_path: Path) -> None:
    store = open_store(sealed_release(tmp_path / "r", per_cell=1, pages=1))
    export(store, "unikie-open", str(tmp_path / "x"), Selection(types=("form",)))
    (folder,) = (tmp_path / "x").glob("*/Form-cn")
    (one,) = (folder / "qa.jsonl").read_text("utf-8").splitlines()
    (name,) = json.loads((folder / "label.json").read_text("utf-8"))
    assert json.loads(one)["url"] == f"images/{name}" and name.endswith("-p0.jpg")
    assert len(pictures(folder, f"images/{name}")) == 1


def test_schemas() -> None:
    one = {"a": "1", "items": [{"x": "1"}, {"x": "2", "y": "3"}], "tags": ["t"], "none": []}
    two = {"b": {"c": "1"}, "items": [{"z": "1"}], "none": ["u"]}
    assert empty(one) == {"a": "", "items": [{"x": "", "y": ""}], "tags": [""], "none": []}
    assert merged(empty(one), empty(two)) == {
        "a": "", "items": [{"x": "", "y": "", "z": ""}], "tags": [""], "none": [""], "b": {"c": ""}
    }  # fmt: skip
    assert merged({"a": ""}, {"a": {"b": ""}}) == {"a": ""}


def test_names_are_those_of_the_released_folders() -> None:
    known = ["Contract-cn", "Contract-en", "Form-cn", "Form-en", "invoice-cn", "invoice-en", "receipt-cn", "receipt-en"]
    types = ("contract", "form", "invoice", "receipt")
    assert [dataset_name(kind, language) for kind in types for language in ("zh", "en")] == known
    assert dataset_name("menu", "bn") == "menu-bn"
