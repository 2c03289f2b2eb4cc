"""Every reference case holds, in its mode."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jobs.metrics_check import check
from synth.metrics.registry import METRICS

VECTORS = Path(__file__).parents[2] / "data" / "metrics.json"
CASES = json.loads(VECTORS.read_text(encoding="utf-8"))["vectors"]


@pytest.mark.parametrize("metric", sorted({case["metric"] for case in CASES}))
def test_every_case_of_a_metric(metric: str, tmp_path: Path) -> None:
    cases = [case for case in CASES if case["metric"] == metric]
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"vectors": cases}), encoding="utf-8")
    result = check(path)
    assert not result.differences, "\n".join(map(str, result.differences))
    assert result.passed == len(cases)


def test_the_file_is_whole() -> None:
    assert len(CASES) == 283
    assert {case["metric"] for case in CASES} == set(METRICS)
