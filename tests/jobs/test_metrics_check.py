"""`metrics check`: counts, exit codes, and one clear line for a bad file."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from jobs.metrics_check import check, main
from schemas.errors import UserError

VECTORS = Path(__file__).parents[1] / "data" / "metrics.json"


def case(expected: Any, metric: str = "mosaicdoc.crr_ocrr", **more: Any) -> dict[str, Any]:
    return {"id": "x/1", "metric": metric, "input": {"gold": "ab", "pred": "a"}, "expected": expected} | more


def write(path: Path, *cases: Any) -> Path:
    path.write_text(json.dumps({"vectors": list(cases)}), encoding="utf-8")
    return path


def test_all_reference_cases_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(VECTORS) == 0
    assert "283 passed, 0 failed" in capsys.readouterr().out


def test_a_changed_case_fails_and_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = json.loads(VECTORS.read_text(encoding="utf-8"))
    changed = next(row for row in cases["vectors"] if row["metric"] == "unikie.field_f1")
    changed["expected"] = copy.deepcopy(changed["expected"]) | {"f1": 0.5}
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(cases), encoding="utf-8")
    assert main(path) == 1
    out = capsys.readouterr().out
    assert "282 passed, 1 failed" in out and f"{changed['id']} (compat) f1: expected 0.5" in out


@pytest.mark.parametrize(
    ("expected", "path"),
    [
        ({"crr": 0.5, "ocrr": 0.9}, "ocrr"),
        ({"crr": 0.5}, "ocrr"),
        ({"crr": 0.5, "ocrr": 1.0, "f1": 1.0}, "f1"),
        ({"crr": 0.5, "ocrr": True}, "ocrr"),
        ({"crr": 0.5, "ocrr": None}, "ocrr"),
        ({"raises": "TypeError"}, "raises"),
        ([0.5, 1.0], ""),
    ],
)
def test_what_counts_as_a_difference(expected: Any, path: str, tmp_path: Path) -> None:
    result = check(write(tmp_path / "c.json", case(expected)))
    assert (result.passed, result.failed) == (0, 1)
    assert result.differences[0].path == path


def test_numbers_are_compared_within_the_tolerance(tmp_path: Path) -> None:
    near, far = case({"crr": 0.5 + 9e-7, "ocrr": 1}), case({"crr": 0.5 + 2e-6, "ocrr": 1})
    assert check(write(tmp_path / "c.json", near, far)).passed == 1
    path = tmp_path / "wide.json"
    path.write_text(json.dumps({"meta": {"tolerance": {"abs": 0.1}}, "vectors": [far]}), encoding="utf-8")
    assert check(path).passed == 1


def test_exceptions_are_outcomes(tmp_path: Path) -> None:
    raising = case({"raises": "TypeError"}, input={"gold": 5, "pred": "a"})
    assert check(write(tmp_path / "c.json", raising)).passed == 1


def test_an_unknown_metric_fails_and_the_rest_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "c.json", case(1.0, "no.such"), case({"crr": 0.5, "ocrr": 1.0}))
    assert main(path) == 1
    out = capsys.readouterr().out
    assert "1 passed, 1 failed" in out and "no such metric" in out


def test_only_the_first_differences_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(write(tmp_path / "c.json", *[case({"crr": 0.0, "ocrr": 0.0})] * 25)) == 1
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 12 and out[-1].strip() == "... and 15 more"


@pytest.mark.parametrize(
    "content",
    [
        b"not json",
        b"\xff\xfe\x00",
        b"[" * 5000,
        b"[]",
        b'{"vectors": []}',
        b'{"vectors": [{"id": "a"}]}',
        b'{"vectors": [{"id": "a", "metric": "anls", "input": 1, "expected": 1}]}',
        b'{"vectors": [{"id": "a", "metric": "anls", "input": {}, "expected": 1, "mode": "loose"}]}',
        b'{"meta": {"tolerance": {"abs": -1}}, "vectors": [{"id": "a", "metric": "b", "input": {}, "expected": 1}]}',
    ],
)
def test_a_bad_file_is_one_line(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    assert main(path) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1 and str(path) in captured.err and "->" in captured.err


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(UserError):
            check(path)
        assert main(path) == 2
