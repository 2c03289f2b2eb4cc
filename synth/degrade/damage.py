"""The faults of one page, each with its amount and its own random numbers, applied stage by stage."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace

import cv2
import numpy as np

from schemas.document import Document
from schemas.geometry import Box
from schemas.recipe import Content
from schemas.sample import AppliedFault, SampleSpec
from synth.degrade.deal import STAGE_VERSION, faults_for
from synth.degrade.faults.contract import Bend, Lay, Pixels, Setting, Stage, Thing
from synth.degrade.faults.registry import FAULTS
from synth.degrade.severity import Sizes, dial

POINTS_PER_INCH = 72
USUAL_SIZE = 20.0


def sizes_of(document: Document, page: int, dpi: int) -> Sizes:
    """Type sizes of a page: pixels of an em, to half a pixel, and the characters in it. A page without text has one."""
    found: Counter[float] = Counter()
    for word in document.words:
        if word.page == page:
            found[max(1.0, round(word.font_size * dpi / POINTS_PER_INCH * 2) / 2)] += len(word.text)
    return sorted(found.items()) or [(USUAL_SIZE, 1)]


@dataclass(frozen=True)
class Damage:
    """What happens to one page: faults in the order in which they act, and what all of them may ask for."""

    faults: tuple[AppliedFault, ...]
    seed: str
    setting: Setting

    @classmethod
    def of(
        cls, document: Document, page: int, dpi: int, spec: SampleSpec, content: Content, turn: float = 1.0
    ) -> Damage:
        """What the recipe has for this page. `document` in points; `dpi` of the page's raster; `turn`: see
        `Dial.by_target`, without a target it changes nothing."""
        dealt, degradation = faults_for(spec, content), content.degradation
        if not dealt:
            return cls((), "", Setting(random.Random(0), dpi))
        sizes, target = sizes_of(document, page, dpi), degradation.target_cer
        faults = tuple(
            dial().by_severity(name, spec.language, sizes, severity)
            if target is None
            else dial().by_target(name, spec.language, sizes, target, len(dealt), turn)
            for name, severity in dealt
        )
        scale = dpi / POINTS_PER_INCH
        lines = tuple(Box(*(c * scale for c in line.box)) for line in document.lines if line.page == page)
        seed = f"{spec.seed_for('faults', STAGE_VERSION):x}:{page}"
        return cls(faults, seed, Setting(random.Random(0), dpi, None, lines, spec.language))

    def _settings(self, *stages: Stage) -> list[tuple[Pixels | Bend | Lay, float, Setting]]:
        chosen = [(FAULTS[f.name], f) for f in self.faults]
        return [
            (fault, given.amount, replace(self.setting, rng=random.Random(f"{self.seed}:{given.name}")))
            for fault, given in chosen
            if fault.stage in stages and given.amount > 0
        ]

    @property
    def shows_other_page(self) -> bool:
        return self._has("bleed_through")

    @property
    def shows_ground(self) -> bool:
        return self._has("hole_punch")

    def _has(self, name: str) -> bool:
        return any(f.name == name and f.amount > 0 for f in self.faults)

    def over(self, other: np.ndarray, width: int, height: int) -> Damage:
        """The same with another page's raster behind this one of `width` x `height` pixels."""
        down, right = max(0, height - other.shape[0]), max(0, width - other.shape[1])
        white = (255, 255, 255)
        padded = cv2.copyMakeBorder(other, 0, down, 0, right, cv2.BORDER_CONSTANT, value=white)
        return replace(self, setting=replace(self.setting, behind=padded[:height, :width]))

    def on(self, ground: tuple[int, int, int]) -> Damage:
        """The same on a sheet that lies on this colour (see `Setting.ground`)."""
        return replace(self, setting=replace(self.setting, ground=ground))

    def sheet(self, image: np.ndarray) -> tuple[np.ndarray, tuple[Thing, ...]]:
        """The printed sheet after what befell ink and paper, and the objects on it. `image`: the page's raster."""
        things: list[Thing] = []
        for fault, amount, setting in self._settings(Stage.INK, Stage.SHEET):
            if isinstance(fault, Lay):
                image, laid = fault.lay(image, amount, setting)
                things += laid
            elif isinstance(fault, Pixels):
                image = fault.apply(image, amount, setting)
        return image, tuple(things)

    def bends(self) -> list[tuple[Bend, float, Setting]]:
        """Faults of geometry, for `warp.bent`."""
        return [(f, amount, setting) for f, amount, setting in self._settings(Stage.SHAPE) if isinstance(f, Bend)]

    def picture(self, image: np.ndarray, *stages: Stage) -> np.ndarray:
        """The picture after the faults of lens, sensor or file. The same shape."""
        for fault, amount, setting in self._settings(*stages):
            if isinstance(fault, Pixels):
                image = fault.apply(image, amount, setting)
        return image
