"""The copy-ocr baseline with a real engine on real pictures, and the file of its readings."""

from __future__ import annotations

import json
import time
from pathlib import Path

from jobs.evaluate import Choice, evaluate
from tests.fixtures.small_release import write_release
from tests.jobs.said import Pageloom, is_one_line


def test_it_reads_once_and_lies_between_floor_and_ceiling(pageloom: Pageloom, tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", 2)
    readings, out = tmp_path / "readings.jsonl", tmp_path / "ocr.jsonl"
    words = (
        "baseline",
        release,
        "--kind",
        "copy-ocr",
        "--out",
        out,
        "--readings",
        readings,
        "--cache",
        tmp_path / "cache",
    )
    assert pageloom(*words).code == 0
    first, kept = out.read_bytes(), readings.read_bytes()
    assert [json.loads(line)["id"] for line in kept.splitlines()] == ["train-00000000-p0", "train-00000001-p0"]
    began = time.process_time()
    assert pageloom(*words).code == 0
    assert time.process_time() - began < 2.0  # no engine is started
    assert out.read_bytes() == first and readings.read_bytes() == kept
    found, _ = evaluate(str(release), out, Choice(resamples=0, shown=0))
    scores = {name: track.overall.metrics[track.headline].value or 0.0 for name, track in found.tracks.items()}
    assert 0.7 < scores["text"] <= 1.0 and scores["line_order"] > 0.0
    readings.write_bytes(kept + b"{}\n")
    is_one_line(pageloom(*words), "readings.jsonl:3", "no reading that this command wrote")
