"""`pageloom lookbook`: one HTML file with every scene family and every fault at each severity, on one document."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from actors.inventory import take
from engine.cluster import cache_folder
from engine.kinds import Context
from engine.local import LocalStages
from engine.lock import draft
from engine.store import open_store
from jobs.overlay import data_uri, environment
from jobs.preview import PreviewCamera
from schemas.document import Printed
from schemas.errors import SampleError, UserError
from schemas.plan import Plan
from schemas.recipe import SCENE_FAMILIES, Content, Recipe
from schemas.sample import SampleSpec
from synth.degrade.bank import SceneEntry
from synth.degrade.camera import photograph
from synth.degrade.faults.registry import FAULTS
from synth.degrade.severity import SCRIPTS, added_at, dial

SEVERITIES = (0, 1, 2, 3, 4, 5)
VARIANTS = 2
PAGE_WIDTH, DETAIL, QUALITY = 420, (420, 240), 72
GROUND = "flat_scan"
"""Faults are shown on a scanned sheet, so that ink, paper and noise are those of a picture."""


@dataclass(frozen=True)
class Plate:
    """One picture of the book: what was asked for, numbers that were drawn, the page and a detail in full size."""

    title: str
    parameters: str
    page: str
    detail: str


@dataclass(frozen=True)
class Chapter:
    name: str
    about: str
    plates: tuple[Plate, ...]


def _recipe(kind: str, language: str) -> Recipe:
    content = {
        "name": "lookbook",
        "version": "1.0.0",
        "splits": {"train": 100},
        "shard_size": 100,
        "types": [kind],
        "languages": [language],
        "dpi": {"min": 150, "max": 150},
        "degradation": {"scenes": list(SCENE_FAMILIES), "per_split": VARIANTS},
    }
    return Recipe.model_validate({"content": content})


def _document(context: Context, spec: SampleSpec) -> Printed:
    """The first try of a sample that prints."""

    async def make() -> Printed:
        with LocalStages(context) as stages:
            attempt = spec
            for _ in range(context.content.max_tries):
                try:
                    html = await stages.call("writer", spec.id, "write", attempt)
                    return await stages.call("browser", spec.id, "print_and_label", html)
                except SampleError:
                    attempt = attempt.next_try()
        raise UserError(f"no {spec.type} in {spec.language} can be printed", "--type", "take another")

    return asyncio.run(make())


def _plate(title: str, image: np.ndarray, focus: tuple[float, float], parameters: str) -> Plate:
    """`focus`: where on the page (0..1) the detail is cut out."""
    rows, columns = image.shape[:2]
    small = cv2.resize(image, (PAGE_WIDTH, round(rows * PAGE_WIDTH / columns)), interpolation=cv2.INTER_AREA)
    left = min(max(0, round(focus[0] * columns) - DETAIL[0] // 2), max(0, columns - DETAIL[0]))
    top = min(max(0, round(focus[1] * rows) - DETAIL[1] // 2), max(0, rows - DETAIL[1]))
    return Plate(title, parameters, _jpeg(small), _jpeg(image[top : top + DETAIL[1], left : left + DETAIL[0]]))


def _jpeg(image: np.ndarray) -> str:
    return data_uri(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes(), "jpeg")


class Book:
    """Takes one printed document through every chapter. `entry` gives a scene by id, `params` its drawn numbers.

    `only`: families and faults to show, all of them if none is named.
    """

    def __init__(
        self,
        printed: Printed,
        spec: SampleSpec,
        content: Content,
        entry: Callable[[str], SceneEntry],
        params: Callable[[str], dict[str, float]],
        only: Sequence[str] = (),
    ) -> None:
        self._only = frozenset(only)
        self._printed, self._spec, self._content = printed, spec, content
        self._entry, self._params = entry, params
        box = printed.document.lines[len(printed.document.lines) // 3].box
        page = printed.document.pages[0]
        self._focus = ((box.x0 + box.x1) / 2 / page.width, (box.y0 + box.y1) / 2 / page.height)

    def _chosen(self, name: str) -> bool:
        return not self._only or name in self._only

    def _picture(self, **degradation: Any) -> tuple[np.ndarray, Any]:
        given = type(self._content.degradation).model_validate({"per_split": VARIANTS, **degradation})
        content = self._content.model_copy(update={"degradation": given})
        pictures, _ = photograph(self._printed, self._spec, content, self._entry)
        return cv2.imdecode(np.frombuffer(pictures[0].data, np.uint8), cv2.IMREAD_COLOR), pictures[0]

    def scenes(self) -> Iterator[Chapter]:
        """Every family, in a few variants."""
        spec = self._spec
        for family in filter(self._chosen, SCENE_FAMILIES):
            plates: list[Plate] = []
            for number in range(VARIANTS):
                self._spec = SampleSpec(**{**vars(spec), "cell_number": spec.cell_number + number})
                image, picture = self._picture(scenes=[family])
                numbers = ", ".join(f"{k} {v:.3g}" for k, v in sorted(self._params(picture.scene).items()))
                plates.append(_plate(f"variant {number}", image, self._focus, numbers))
            self._spec = spec
            yield Chapter(family, "scene family", tuple(plates))

    def faults(self, severities: tuple[float, ...] = SEVERITIES) -> Iterator[Chapter]:
        """Every fault, at each severity, with the same random numbers."""
        curves, script = dial(), SCRIPTS[self._spec.language]
        for name, fault in ((name, FAULTS[name]) for name in filter(self._chosen, FAULTS)):
            plates: list[Plate] = []
            for severity in severities:
                image, picture = self._picture(scenes=[GROUND], faults=[name], severity=severity)
                (applied,) = picture.faults
                reach = min(1.0, curves.curve(name, self._spec.language).added(22.0, 1.0) / added_at(5))
                adds = f"adds about {100 * added_at(severity) * reach:.1f} points of CER in {script}"
                plates.append(
                    _plate(f"severity {severity:g}", image, self._focus, f"amount {applied.amount:.3f}; {adds}")
                )
            yield Chapter(name, f"{fault.stage.name.lower()}: {fault.about}", tuple(plates))


def as_html(chapters: Sequence[Chapter], kind: str, language: str) -> str:
    """One page with all pictures in it."""
    return environment().get_template("lookbook.html.j2").render(chapters=chapters, kind=kind, language=language)


def make_lookbook(out: Path, kind: str, language: str, only: Sequence[str] = ()) -> int:
    """Write the book, of all families and faults or `only` these; how many pictures are in it.

    UserError for an unknown name, or a type or language that no template makes.
    """
    unknown = sorted(set(only) - {*SCENE_FAMILIES, *FAULTS})
    if unknown:
        known = ", ".join((*SCENE_FAMILIES, *FAULTS))
        raise UserError(f"no family or fault is called {unknown[0]!r}", "--only", f"known: {known}")
    recipe = _recipe(kind, language)
    content, cache = recipe.content, cache_folder(recipe.execution)
    with tempfile.TemporaryDirectory(prefix="pageloom-lookbook-") as folder:
        context = Context(
            content, recipe.execution, draft(content, take(content), [], []), open_store(folder), str(cache)
        )
        spec = Plan(content).spec("train", 0)
        printed = _document(context, spec)
        camera = PreviewCamera(context, cache)
        book = Book(printed, spec, content, camera.entry, lambda scene: camera.scenes[scene].params, only)
        chapters = [*book.scenes(), *book.faults()]
    out.write_text(as_html(chapters, kind, language), encoding="utf-8")
    return sum(len(chapter.plates) for chapter in chapters)
