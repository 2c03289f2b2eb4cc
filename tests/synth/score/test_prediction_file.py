"""Files of predictions that are none, or in which something is wrong."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from schemas.errors import UserError
from synth.score.answer import Prediction
from synth.score.prediction_file import MAX_LINE, open_predictions

GOOD = '{"track": "kie", "id": "test-00000000", "prediction": {"a": "1"}}'
OTHER = '{"version": 1, "track": "text", "id": "test-00000000-p0", "reply": "x", "meta": {"seconds": 2}}'


def file(folder: Path, data: str | bytes) -> Path:
    path = folder / "predictions.jsonl"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_lines_are_indexed_and_read_again(tmp_path: Path) -> None:
    found = open_predictions(file(tmp_path, f"\ufeff{GOOD}\r\n\n{OTHER}"), "strict")
    assert found.tracks == ["kie", "text"]
    row = found.get("kie", "test-00000000")
    assert row is not None and row.prediction == {"a": "1"}
    again = found.get("text", "test-00000000-p0")
    assert again is not None and again.reply == "x" and found.line_of("text", "test-00000000-p0") == 3
    assert found.get("text", "test-00000000-p1") is None
    found.close()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"track": "kie", "id": "x", "prediction": {', "JSON"),
        ("[1, 2]", "JSON object"),
        ('{"track": "kie", "id": "x", "prediction": NaN}', "NaN"),
        ("[" * 5000, "JSON object"),
        ('{"track": "kie", "id": "x", "predicton": 1}', "did you mean prediction?"),
        ('{"track": "kie", "id": "x", "answer": 1}', "unknown key 'answer'"),
        ('{"track": "ocr", "id": "x", "prediction": 1}', "the tracks are kie, layout"),
        ('{"track": 7, "id": "x", "prediction": 1}', "unknown track 7"),
        ('{"track": "kie", "id": 7, "prediction": 1}', "id: it must be a valid string (got 7)"),
        ('{"track": "kie", "id": "", "prediction": 1}', "id:"),
        ('{"track": "kie", "prediction": 1}', "'id' is missing"),
        ('{"id": "x", "prediction": 1}', "'track' is missing"),
        ('{"track": "kie", "id": "x"}', "give one of prediction, reply, refused and failed"),
        ('{"track": "kie", "id": "x", "prediction": 1, "reply": "y"}', "prediction or reply, not both"),
        ('{"track": "kie", "id": "x", "reply": 5}', "reply: it must be a valid string (got 5)"),
        ('{"track": "kie", "id": "x", "refused": "yes"}', "refused:"),
        ('{"version": 2, "track": "kie", "id": "x", "prediction": 1}', "version 2"),
        (GOOD, "a second kie prediction for 'test-00000000'; the first is in line 1"),
    ],
)
def test_one_line_says_what_is_wrong_and_where(tmp_path: Path, line: str, words: str) -> None:
    path = file(tmp_path, f"{GOOD}\n{OTHER}\n{line}\n")
    with pytest.raises(UserError) as caught:
        open_predictions(path, "strict")
    said = str(caught.value)
    assert said.startswith(f"{path}:3: ") and words in said and len(said) < 400 + len(str(path)), said


def test_what_is_no_file_of_predictions(tmp_path: Path) -> None:
    for path, words in (
        (tmp_path, "is a folder"),
        (Path("/dev/zero"), "is no regular file"),
        (tmp_path / "absent.jsonl", "no such prediction file"),
        (file(tmp_path, ""), "holds no prediction"),
    ):
        with pytest.raises(UserError, match=words):
            open_predictions(path, "strict")
    for data, words in ((b"\n \n\n", "holds no prediction"), (GOOD.encode("utf-16"), "UTF-8"), (b"\xff\n", "UTF-8")):
        with pytest.raises(UserError, match=words):
            open_predictions(file(tmp_path, data), "strict")


def test_compat_skips_broken_lines_and_takes_the_last_of_two(tmp_path: Path) -> None:
    later = GOOD.replace('"1"', '"2"')
    found = open_predictions(file(tmp_path, f"{GOOD}\n{{broken\n{later}\n"), "compat")
    row = found.get("kie", "test-00000000")
    assert row is not None and row.prediction == {"a": "2"}
    assert found.skipped == {"broken lines": 1, "duplicates": 1}


def test_a_gigabyte_in_one_line_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as out:
        out.write(GOOD.encode() + b"\n")
        out.write(b'{"track": "text", "id": "x", "prediction": "')
        out.truncate(1 << 30)  # a hole: it takes no room on the disk
    tracemalloc.start()
    with pytest.raises(UserError, match=r"long\.jsonl:2: the line is longer than 16 MiB"):
        open_predictions(path, "compat")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * MAX_LINE


def test_a_long_line_within_the_limit_is_read(tmp_path: Path) -> None:
    text = "x" * 5_000_000
    path = file(tmp_path, json.dumps({"track": "text", "id": "p", "prediction": text}))
    row = open_predictions(path, "strict").get("text", "p")
    assert row is not None and row.prediction == text


def test_half_a_surrogate_pair_becomes_a_character_that_can_be_written(tmp_path: Path) -> None:
    path = file(tmp_path, '{"track": "kie", "id": "x", "prediction": {"a": "\\ud83d", "b": "\\ud83d\\ude00"}}')
    row = open_predictions(path, "strict").get("kie", "x")
    assert row is not None and row.prediction == {"a": "\ufffd", "b": "😀"}


def test_only_the_tracks_that_are_asked_for_are_indexed(tmp_path: Path) -> None:
    assert open_predictions(file(tmp_path, f"{GOOD}\n{OTHER}\n"), "strict", ("text",)).tracks == ["text"]


def test_the_schema_in_the_docs_is_that_of_the_format() -> None:
    path = Path(__file__).parents[3] / "docs" / "prediction.schema.json"
    assert json.loads(path.read_text("utf-8")) == Prediction.model_json_schema()
