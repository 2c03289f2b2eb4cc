"""What a person or a log sees of a run: a progress bar on a terminal, JSON lines elsewhere."""

from __future__ import annotations

import json
import sys
import time
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class Reporter(Protocol):
    def event(self, name: str, /, **facts: Any) -> None:
        """Something happened: "bake", "start", "progress", "shard", "sealed", ... with its facts."""
        ...

    def close(self) -> None: ...


class JsonReporter:
    """One JSON object a line on standard error, flushed."""

    def event(self, name: str, /, **facts: Any) -> None:
        print(json.dumps({"time": round(time.time(), 3), "event": name, **facts}), file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


class BarReporter:
    """A live bar: samples, samples per second, rejections by cell, quarantine, time left."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
            console=self.console,
        )
        self.bar.start()
        self.tasks: dict[str, Any] = {}

    def event(self, name: str, /, **facts: Any) -> None:
        if name == "bake":
            self._show("baking scenes", facts["done"], facts["total"], "")
        elif name == "progress":
            rejected = " ".join(f"{cell}:{n}" for cell, n in facts["rejected"].items())
            note = f"{facts['per_second']:.2f}/s  shards {facts['shards']}/{facts['shards_total']}"
            note += f"  rejected {rejected}" if rejected else ""
            note += f"  quarantined {facts['quarantined']}" if facts["quarantined"] else ""
            self._show("documents", facts["documents"], facts["total"], note)
        elif name in ("warning", "sealed", "retry"):
            self.console.print(
                f"{name}: " + " ".join(f"{k}={v}" for k, v in facts.items()), highlight=False, markup=False
            )

    def _show(self, title: str, done: int, total: int, note: str) -> None:
        if title not in self.tasks:
            self.tasks[title] = self.bar.add_task(title, total=total, note=note)
        self.bar.update(self.tasks[title], completed=done, total=total, note=note)

    def close(self) -> None:
        self.bar.stop()


class Silent:
    """For tests and libraries."""

    def event(self, name: str, /, **facts: Any) -> None:
        pass

    def close(self) -> None:
        pass


def reporter() -> Reporter:
    """A bar where standard error is a terminal, JSON lines elsewhere."""
    return BarReporter() if sys.stderr.isatty() else JsonReporter()
