"""What a severity or a target error rate means as an amount of a fault: read off a measured calibration.

The calibration says, for each fault, script and type size, which character error rate an OCR engine has on line crops
at a few amounts. A severity is the rate that the fault adds, whatever the fault, script and size:

    0: none, 1: 1, 2: 2.5, 3: 5, 4: 10, 5: 20 points of 100

(in proportion less for a fault that cannot add 20 points, such as waves, which PaddleOCR reads through).
`pageloom calibrate` makes the file anew; the lock pins its digest. For scripts that no engine reads, a measure of
strokes stands in (`measure`).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import pairwise

from schemas.errors import UserError
from schemas.recipe import MAX_SEVERITY, Content
from schemas.sample import AppliedFault
from synth.degrade.deal import fault_weights

FORMAT = 1
SLOPE = 1e-5  # added to a page's rate over all amounts, so that no two amounts are the same
FILE = "calibration.json"
BY_ENGINE = "cer"  # the measure of scripts that an engine reads
LEVELS = (0.0, 0.01, 0.025, 0.05, 0.10, 0.20)
SCRIPTS = {"en": "Latin", "zh": "Han", "bn": "Bengali", "ban": "Balinese", "sa-Gran": "Grantha", "su": "Sundanese"}

Sizes = Sequence[tuple[float, float]]
"""Type sizes on a page: pixels of an em in the raster, and how many characters have it."""


def added_at(severity: float) -> float:
    """Error rate that a severity from 0 to 5 adds, between 0 and 0.2."""
    step = min(int(severity), len(LEVELS) - 2)
    return LEVELS[step] + (LEVELS[step + 1] - LEVELS[step]) * (severity - step)


def severity_at(rate: float) -> float:
    """Severity that adds an error rate; 5 for all above 0.2."""
    for step, (low, high) in enumerate(pairwise(LEVELS)):
        if rate <= high:
            return step + (rate - low) / (high - low)
    return MAX_SEVERITY


@dataclass(frozen=True)
class Curve:
    """What one fault does to one script: added error rate at each amount (columns), for each type size (rows).

    Rates never fall with the amount; `fit` sees to that.
    """

    sizes: tuple[float, ...]
    amounts: tuple[float, ...]
    rates: tuple[tuple[float, ...], ...]

    def added(self, pixels: float, amount: float) -> float:
        """Added error rate for type of `pixels` an em; the nearest size beyond those that were measured."""
        logs = [math.log(size) for size in self.sizes]
        at = min(max(math.log(pixels), logs[0]), logs[-1])
        upper = next(k for k in range(1, len(logs)) if at <= logs[k])
        share = (at - logs[upper - 1]) / (logs[upper] - logs[upper - 1])
        low, high = (self._at(self.rates[k], amount) for k in (upper - 1, upper))
        return low + (high - low) * share

    def _at(self, rates: tuple[float, ...], amount: float) -> float:
        for (a, b), (low, high) in zip(pairwise(self.amounts), pairwise(rates), strict=True):
            if amount <= b:
                return low + (high - low) * (amount - a) / (b - a)
        return rates[-1]

    def page(self, sizes: Sizes, amount: float) -> float:
        """Added error rate of a page with these type sizes; rises everywhere, if only by what nobody measures."""
        total = sum(self.added(px, amount) * weight for px, weight in sizes)
        return total / sum(weight for _, weight in sizes) + SLOPE * amount

    def inverse(self, sizes: Sizes, rate: float) -> float:
        """Largest amount that adds at most `rate` to a page, by bisection to 1/65536; 1 if none adds more."""
        low, high = 0.0, 1.0
        if self.page(sizes, 1.0) <= rate:
            return 1.0
        for _ in range(16):
            middle = (low + high) / 2
            low, high = (middle, high) if self.page(sizes, middle) <= rate else (low, middle)
        return low


def fit(rates: Sequence[float]) -> tuple[float, ...]:
    """Nearest rates that never fall, the first one 0 (pooling adjacent violators)."""
    groups: list[list[float]] = []
    for rate in [0.0, *(max(0.0, r) for r in rates[1:])]:
        groups.append([rate, 1.0])
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            value, count = groups.pop()
            total = groups[-1][1] + count
            groups[-1] = [(groups[-1][0] * groups[-1][1] + value * count) / total, total]
    return tuple(value for value, count in groups for _ in range(int(count)))


@dataclass(frozen=True)
class Dial:
    """A calibration, ready to be asked. `curves` by (fault, script); `base` error rates by script, at each size."""

    curves: dict[tuple[str, str], Curve]
    base: dict[str, tuple[float, ...]]
    sizes: tuple[float, ...]
    measures: dict[str, str]

    def curve(self, fault: str, language: str) -> Curve:
        """UserError for a fault or a language's script that was not measured."""
        script = SCRIPTS.get(language, language)
        try:
            return self.curves[fault, script]
        except KeyError:
            fix = "run `pageloom calibrate`"
            raise UserError(f"the calibration knows no {fault} for {script}", FILE, fix) from None

    def by_severity(self, fault: str, language: str, sizes: Sizes, severity: float) -> AppliedFault:
        """The fault at a severity from 0 to 5 on a page with these type sizes; its amount rises with the severity.

        What adds least cannot be told from nothing: below severity 1 the amount goes to 0 in a straight line. A script
        that no engine reads has no more of a fault than the one that is read best: strokes of a blurred line stay
        where they were long after it cannot be read.
        """
        amount = self._amount(self.curve(fault, language), sizes, severity)
        if self.measures[SCRIPTS.get(language, language)] != BY_ENGINE:
            read = [
                c for (name, script), c in self.curves.items() if name == fault and self.measures[script] == BY_ENGINE
            ]
            amount = min(amount, max((self._amount(curve, sizes, severity) for curve in read), default=amount))
        return AppliedFault(fault, severity, amount)

    @staticmethod
    def _amount(curve: Curve, sizes: Sizes, severity: float) -> float:
        reach = min(1.0, curve.page(sizes, 1.0) / LEVELS[-1])
        if severity < 1:
            return severity * curve.inverse(sizes, reach * LEVELS[1])
        return curve.inverse(sizes, reach * added_at(severity))

    def by_target(
        self, fault: str, language: str, sizes: Sizes, target: float, share: int, turn: float = 1.0
    ) -> AppliedFault:
        """The fault at the amount that brings lines to the error rate `target`, as one of `share` faults together.

        `turn` of the dial for a page that is read otherwise than its lines: from 0, no fault, over 1, that amount, to
        2, amount 1, in straight lines. The severity is what its amount adds to lines.
        """
        curve = self.curve(fault, language)
        amount = curve.inverse(sizes, max(0.0, target - self.clean(language, sizes)) / share)
        amount = amount * turn if turn <= 1 else amount + (1 - amount) * (turn - 1)
        return AppliedFault(fault, severity_at(curve.page(sizes, amount)), amount)

    def clean(self, language: str, sizes: Sizes) -> float:
        """Error rate without any fault."""
        rates = self.base[SCRIPTS.get(language, language)]
        return Curve(self.sizes, (0.0, 1.0), tuple((rate, rate) for rate in rates)).page(sizes, 0.0)


def file_bytes() -> bytes:
    """The calibration that came with this Pageloom, or that `pageloom calibrate` put in its place."""
    return resources.files("synth.degrade").joinpath(FILE).read_bytes()


def calibration_version() -> str:
    """What a lock says of the calibration: the first half of a digest."""
    return hashlib.sha256(file_bytes()).hexdigest()[:16]


@lru_cache(maxsize=1)
def dial() -> Dial:
    """The calibration in use. UserError if the file is not one."""
    return read(file_bytes())


def read(data: bytes) -> Dial:
    """A calibration from its file's bytes. UserError if it is not one of this format."""
    try:
        held = json.loads(data)
        if held["format"] != FORMAT:
            raise ValueError(f"format {held['format']}")
        sizes = tuple(map(float, held["sizes"]))
        curves, base, measures = {}, {}, {}
        for script, found in held["scripts"].items():
            base[script], measures[script] = tuple(map(float, found["base"])), str(found["measure"])
            for fault, measured in found["faults"].items():
                amounts = tuple(map(float, measured["amounts"]))
                rates = tuple(fit([r - row[0] for r in row]) for row in measured["rates"])
                if amounts[0] != 0 or amounts[-1] != 1 or any(len(row) != len(amounts) for row in rates):
                    raise ValueError(f"{fault}, {script}: amounts must run from 0 to 1")
                curves[fault, script] = Curve(sizes, amounts, rates)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise UserError(f"not a calibration ({error})", FILE, "run `pageloom calibrate`") from None
    return Dial(curves, base, sizes, measures)


def check_faults(content: Content) -> None:
    """UserError if a recipe asks for a fault, script or target that the calibration cannot give."""
    wanted = content.degradation
    names = [name for name in fault_weights(content) if name != "none"]
    if not names:
        return
    for language in (lang for lang, weight in content.languages.items() if weight):
        for name in names:
            curve = dial().curve(name, language)
            if wanted.target_cer is None:
                continue
            sizes = [(size, 1.0) for size in dial().sizes]
            most = curve.page(sizes, 1.0) * wanted.faults_per_page + dial().clean(language, sizes)
            if most < wanted.target_cer:
                raise UserError(
                    f"{name} brings {language} to an error rate of {most:.3f} at most, the target is"
                    f" {wanted.target_cer:g}",
                    "content.degradation",
                    "leave it out, or lower target_cer",
                )
