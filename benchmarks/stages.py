"""Each stage alone: its engine in this process, without Ray, one document after another, after a warm-up."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.common import SPLIT, Tally, locked, recipe, tree_cpu
from benchmarks.sizes import Size
from engine.kinds import Context
from schemas.errors import SampleError
from schemas.photographed import Photographed
from schemas.plan import Plan
from schemas.recipe import PictureFormat
from schemas.sample import SampleSpec

Call = tuple[SampleSpec, tuple[Any, ...]]
Shot = tuple[SampleSpec, Photographed]
WARM = 4


def measure(size: Size) -> dict[str, Any]:
    """Figures by stage. The work of writer and browser is counted in the pages and pixels the camera makes of it."""
    with locked(recipe(size.stages)) as context:
        specs = [Plan(context.content).spec(SPLIT, index) for index in range(size.stages)]
        with _started(context, "writer") as engine:
            written, writer = _each(engine.write, [(spec, (spec,)) for spec in specs])
        with _started(context, "browser") as engine:
            printed, browser = _each(engine.print_and_label, [(spec, (html,)) for spec, html in written])
        result: dict[str, Any] = {}
        shots: list[Shot] = []
        for form in ("jpeg", "webp"):
            picture = PictureFormat.model_validate({"format": form, "quality": 90})
            content = context.content.model_copy(update={"picture": picture})
            formed = Context(content, context.execution, context.lock, context.store, context.cache)
            calls = [(spec, (sheet, spec)) for spec, sheet in printed]
            with _started(formed, "camera") as engine:
                shots, camera = _each(engine.photograph, calls, warm=len(calls))  # every scene in memory
            _count(camera, shots)
            result[f"camera {form}"] = camera.figures() | {"kilobytes_per_page": _kilobytes(shots)}
        for tally in (writer, browser):
            _count(tally, shots)
        readers = _readers(context, shots, size.read)
    return {"writer": writer.figures(), "print and label": browser.figures(), **result, **readers}


def _readers(context: Context, shots: list[Shot], number: int) -> dict[str, Any]:
    """The reader over the first `number` documents, by language."""
    by_language: dict[str, list[Shot]] = defaultdict(list)
    for shot in shots[:number]:
        by_language[shot[0].language].append(shot)
    result = {}
    with _started(context, "reader") as engine:
        for language, some in sorted(by_language.items()):
            calls = [(spec, (list(shot.pictures), shot.document, language)) for spec, shot in some]
            _, tally = _each(engine.read, calls, warm=1)
            _count(tally, some)
            result[f"reader {language}"] = tally.figures()
    return result


@contextmanager
def _started(context: Context, kind: str) -> Iterator[Any]:
    """The engine of a kind, ready, in this process."""
    engine = context.builder(kind)()
    engine.ready()
    try:
        yield engine
    finally:
        close = getattr(engine, "close", None)
        if close is not None:
            close()


def _each(work: Callable[..., Any], calls: list[Call], warm: int = WARM) -> tuple[list[tuple[SampleSpec, Any]], Tally]:
    """Answers and cost of `work` for every call, after `warm` calls that do not count.

    Samples that the stage rejects cost what they cost and are left out of the answers.
    """
    for _, args in calls[:warm]:
        _tried(work, args)
    tally, answers = Tally(), []
    start, cpu = time.perf_counter(), tree_cpu()
    for spec, args in calls:
        answer = _tried(work, args)
        if answer is not None:
            answers.append((spec, answer))
    tally.seconds, tally.cpu_seconds = time.perf_counter() - start, tree_cpu() - cpu
    return answers, tally


def _tried(work: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    try:
        return work(*args)
    except SampleError:
        return None


def _count(tally: Tally, shots: list[Shot]) -> None:
    pictures = [picture for _, shot in shots for picture in shot.pictures]
    tally.documents, tally.pages = len(shots), len(pictures)
    tally.megapixels = sum(p.width * p.height for p in pictures) / 1e6


def _kilobytes(shots: list[Shot]) -> float:
    sizes = [len(picture.data) for _, shot in shots for picture in shot.pictures]
    return round(sum(sizes) / len(sizes) / 1000, 1)
