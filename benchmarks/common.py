"""What all parts measure with: one recipe, CPU time of a process and all under it, a rate, a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from engine.cluster import cache_folder, join, leave
from engine.kinds import Context
from engine.lock import prepare, resolve
from engine.store import open_store
from schemas.recipe import Recipe

SPLIT = "train"
SHARD = 12  # one document of each type and language
PARTS = ("stages", "whole", "overhead", "driver", "align", "labels", "kernels", "camera", "peers")


def recipe(samples: int, picture: str = "jpeg", read: float = 0.0, actors: int = 2, in_flight: int = 8) -> Recipe:
    """All types and languages at 150 dpi on A4, in the default scenes; the same documents for every argument."""
    kinds = {"writer": 1, "browser": actors, "camera": actors, "reader": actors}
    return Recipe.model_validate(
        {
            "content": {
                "name": "bench",
                "version": "1.0.0",
                "seed": 1,
                "splits": {SPLIT: samples},
                "shard_size": SHARD,
                "types": ["receipt", "form", "invoice", "contract"],
                "languages": ["en", "zh", "bn"],
                "dpi": {"min": 150, "max": 150},
                "degradation": {"per_split": 1},
                "legibility": {"share": read, "max_cer": 0.25},
                "picture": {"format": picture, "quality": 90},
            },
            "execution": {"actors": {k: {"count": n} for k, n in kinds.items()}, "in_flight": in_flight},
        }
    )


@contextmanager
def locked(wanted: Recipe) -> Iterator[Context]:
    """A context with a lock in a folder that goes away; scenes are baked into this machine's cache if missing."""
    cache = cache_folder(wanted.execution)
    with TemporaryDirectory(prefix="pageloom-bench-") as folder:
        store = open_store(Path(folder))
        started = join(wanted.execution)
        try:
            lock = resolve(wanted, prepare(wanted.content), store, cache, lambda *_: None)
        finally:
            leave(started)
        yield Context(wanted.content, wanted.execution, lock, store, str(cache))


def tree_cpu() -> float:
    """CPU seconds of this process and of all it started, Ray's own processes and ended children among them."""
    return sum(cpu_by_role().values())


def cpu_by_role() -> dict[str, float]:
    """The same by what spent it: "driver", "runner", "actors" (their browsers too) and "ray" (its daemons)."""
    me = psutil.Process()
    totals: dict[str, float] = {"driver": 0.0, "runner": 0.0, "actors": 0.0, "ray": 0.0}
    roles = {me.pid: "driver"}
    for process in (me, *me.children(recursive=True)):  # parents come before their children
        try:
            spent, role = process.cpu_times(), roles[process.pid] if process == me else _role(process, roles)
        except psutil.NoSuchProcess:
            continue
        roles[process.pid] = role
        totals[role] += spent.user + spent.system + spent.children_user + spent.children_system
    return totals


def _role(process: psutil.Process, roles: dict[int, str]) -> str:
    """Ray names its workers after what they run; what a worker starts is the worker's."""
    title = " ".join(process.cmdline()[:1])
    if title.startswith("ray::ShardRunner"):
        return "runner"
    if title.startswith("ray::Host"):
        return "actors"
    parent = roles.get(process.ppid(), "ray")
    return "ray" if parent == "driver" and "/ray/" in " ".join(process.cmdline()) else parent


@dataclass
class Tally:
    """Work done and what it took. Pages and megapixels are those of the finished pictures."""

    documents: float = 0
    pages: float = 0
    megapixels: float = 0.0
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    def figures(self) -> dict[str, float]:
        """Rates and costs, rounded. Zeros if nothing was done."""
        pages, seconds = self.pages or 1, self.seconds or 1
        return {
            "documents": round(self.documents, 1),
            "pages": round(self.pages, 1),
            "seconds": round(self.seconds, 2),
            "pages_per_second": round(self.pages / seconds, 3),
            "megapixels_per_second": round(self.megapixels / seconds, 3),
            "seconds_per_page": round(self.seconds / pages, 4),
            "cpu_seconds_per_page": round(self.cpu_seconds / pages, 4),
        }


def table(title: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Plain text, first column to the left, the others to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]

    def line(row: tuple[str, ...]) -> str:
        cells = [
            cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(cells).rstrip()

    return "\n".join([f"\n{title}", line(head), *map(line, rows)])
