"""The whole way through the real engine: a release in a folder, on a local Ray."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq

from benchmarks.common import SHARD, Tally, cpu_by_role, recipe
from benchmarks.sizes import Size
from engine.run import RunResult, run
from engine.store import open_store
from schemas.recipe import Recipe

WARM = 24  # documents, two of each type and language: templates are compiled, fonts and scenes in memory


@dataclass(frozen=True)
class Mark:
    """How far a run was: accepted documents, clock, CPU seconds by role."""

    documents: int
    seconds: float
    cpu_seconds: dict[str, float]


@dataclass
class Watch:
    """A reporter that keeps marks: from the first documents (every actor is up by then) to the last shard committed."""

    skip: int
    marks: list[Mark] = field(default_factory=list)
    end: Mark | None = None

    def event(self, name: str, /, **facts: Any) -> None:
        if name == "progress" and facts["documents"] >= self.skip:
            self.marks.append(Mark(facts["documents"], time.perf_counter(), cpu_by_role()))
        elif name == "shard":
            done = self.end.documents if self.end else 0
            self.end = Mark(done + facts["documents"], time.perf_counter(), cpu_by_role())

    def close(self) -> None:
        pass

    def steady(self) -> Mark | None:
        """Documents, seconds and CPU seconds between the first mark and the end; None in a run too short for it."""
        if not self.marks or self.end is None or self.marks[0].documents >= self.end.documents:
            return None
        first, last = self.marks[0], self.end
        cpu = {role: spent - first.cpu_seconds[role] for role, spent in last.cpu_seconds.items()}
        return Mark(last.documents - first.documents, last.seconds - first.seconds, cpu)


@dataclass(frozen=True)
class Made:
    result: RunResult
    watch: Watch
    sizes: list[tuple[int, float]]
    """Pages and megapixels of every document, by index."""
    rejected: int

    @property
    def total(self) -> Tally:
        pages, megapixels = sum(pages for pages, _ in self.sizes), sum(pixels for _, pixels in self.sizes)
        return Tally(len(self.sizes), pages, megapixels, self.result.seconds)

    @property
    def steady(self) -> Tally:
        """The steady state. Which documents fall into it is not known: they count as the mean of all."""
        mark, all_ = self.watch.steady(), self.total
        if mark is None:
            return all_
        share = mark.documents / all_.documents
        return Tally(
            mark.documents, all_.pages * share, all_.megapixels * share, mark.seconds, sum(mark.cpu_seconds.values())
        )


def make(wanted: Recipe) -> Made:
    """One release, made and measured, then removed."""
    documents = sum(split.samples for split in wanted.content.splits.values())
    watch = Watch(min(WARM, max(1, documents // 4)))
    with TemporaryDirectory(prefix="pageloom-bench-") as folder:
        result = run(wanted, open_store(Path(folder)), watch)
        parts = [pq.read_table(p, columns=["document_id", "width", "height"]) for p in Path(folder).glob("pages/*")]
        rejected = sum(pq.read_metadata(p).num_rows for p in Path(folder).glob("rejections/*"))
    sizes: dict[str, tuple[int, float]] = {}
    for row in (row for part in parts for row in part.to_pylist()):
        pages, megapixels = sizes.get(row["document_id"], (0, 0.0))
        sizes[row["document_id"]] = (pages + 1, megapixels + row["width"] * row["height"] / 1e6)
    return Made(result, watch, [sizes[name] for name in sorted(sizes)], rejected)


def measure(size: Size) -> dict[str, Any]:
    """Figures of four runs, and what the driver said to its runner in the longest."""
    result: dict[str, Any] = {}
    for name, documents, read in (("no OCR", size.whole, 0.0), ("OCR", size.checked, 1.0)):
        for form in ("jpeg", "webp"):
            made = make(recipe(documents, form, read))
            stages = made.result.stages.get("0", {})
            result[f"{form}, {name}"] = {
                **made.steady.figures(),
                "total_seconds": round(made.total.seconds, 2),
                "rejected": made.rejected,
                "driver_calls": made.result.driver_calls,
                "driver_calls_per_1000": round(made.result.driver_calls / documents * 1000, 1),
                "shard_size": SHARD,
                "stage_seconds_per_page": {
                    kind: round(stats["seconds"] / (made.total.pages or 1), 4) for kind, stats in stages.items()
                },
            }
    return result
