"""What is shown of a run, on a terminal and in a log."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from engine.progress import BarReporter, JsonReporter

PROGRESS = {
    "documents": 12,
    "total": 24,
    "per_second": 3.5,
    "shards": 1,
    "shards_total": 3,
    "rejected": {"form/zh": 2},
    "quarantined": 1,
    "seconds_left": 4,
}


def test_the_bar_shows_documents_speed_shards_rejections_and_quarantine() -> None:
    screen = io.StringIO()
    bar = BarReporter(Console(file=screen, force_terminal=True, width=160))
    bar.event("bake", done=1, total=2)
    bar.event("progress", **PROGRESS)
    bar.event("retry", shard="train-00001", why="runner lost")
    bar.close()
    shown = screen.getvalue()
    for part in ("baking scenes", "12/24", "3.50/s", "shards 1/3", "form/zh:2", "quarantined 1", "runner lost"):
        assert part in shown


def test_the_log_is_one_json_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    log = JsonReporter()
    log.event("progress", **PROGRESS)
    log.event("sealed", digest="d")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"] for line in lines] == ["progress", "sealed"]
    assert lines[0]["rejected"] == {"form/zh": 2}
