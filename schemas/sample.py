"""One sample: its identity, its seed, and what the stages hand to each other."""

from __future__ import annotations

import hashlib
import json
import random
import re
from dataclasses import dataclass, replace
from typing import Any

_MARKUP = re.compile(r"<(style|script)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>", re.DOTALL | re.IGNORECASE)
_ENTITY = re.compile(r"&#?\w+;")

TYPES = ("receipt", "form", "invoice", "contract")
LANGUAGES = ("en", "zh", "bn")


@dataclass(frozen=True)
class SampleSpec:
    """Identity of one try of one sample. Every draw is a function of this (DESIGN decision 2).

    `cell_number` counts the samples of the same (type, language) cell before this one in its split, so that families
    and scenes can be dealt instead of drawn.
    """

    seed: int
    dataset: str
    split: str
    index: int
    attempt: int  # the "try": 0, 1, 2, ...; called attempt because `try` is a keyword
    type: str
    language: str
    cell_number: int

    @property
    def id(self) -> str:
        """Stable document id. The try is not part of it: only one try of an index is ever accepted."""
        return f"{self.split}-{self.index:08d}"

    def next_try(self) -> SampleSpec:
        return replace(self, attempt=self.attempt + 1)

    def seed_for(self, stage: str, version: int = 1) -> int:
        """256-bit seed of one stage; independent of worker, order, clock and of every other stage."""
        key = [self.seed, self.dataset, self.split, self.index, self.attempt, stage, version]
        return int.from_bytes(hashlib.sha256(json.dumps(key).encode()).digest(), "big")

    def rng(self, stage: str, version: int = 1) -> random.Random:
        return random.Random(self.seed_for(stage, version))


@dataclass(frozen=True)
class PageSize:
    """Paper in millimetres. `height_mm` None: as long as the content (receipt roll)."""

    name: str
    width_mm: float
    height_mm: float | None


@dataclass(frozen=True)
class HtmlDocument:
    """A document before printing. `html` is self-contained: no script, no URL but data:.

    Marks in the HTML (all optional but data-field):
    `data-field="items[0].price"` on the element that shows the value at that path of `values`;
    `data-key="items[0].price"` on the element that shows its label (a column head carries `data-key="items[].price"`);
    `data-role="..."` on a block, one of `schemas.document.ROLES`; without it the tag decides (h1 title, p text, ...).
    An element with data-field shows exactly one value: its text without white space equals the value's without white
    space. The same path on several elements means several mentions.

    `schema` is a JSON Schema of the values (object with groups and arrays of rows); `values` an instance whose leaves
    are all strings exactly as printed.
    """

    html: str
    page: PageSize
    type: str
    language: str
    family: str
    fonts: tuple[str, ...]
    persona: str
    schema: dict[str, Any]
    values: dict[str, Any]
    spare_fonts: tuple[str, ...] = ()
    """Families to try in turn where one cannot draw its text; none: such a document is refused."""

    label_characters: bool = False
    """Whether its characters get boxes too."""

    @property
    def characters(self) -> int:
        """Characters of its text, without white space: how long it is, near enough to compare documents by."""
        bare = _MARKUP.sub(" ", self.html)
        return len("".join(_ENTITY.sub("x", bare).split()))


@dataclass(frozen=True)
class AppliedFault:
    """A fault on one page: how severe by the dial (0 to 5), and the amount (0 to 1) that its code was given."""

    name: str
    severity: float
    amount: float


@dataclass(frozen=True)
class Picture:
    """A finished picture of one page. `faults` in the order in which they acted."""

    page: int
    data: bytes
    format: str  # "jpeg", "webp" or "png"
    width: int
    height: int
    dpi: int
    scene: str  # scene id, or "none"
    faults: tuple[AppliedFault, ...] = ()


@dataclass(frozen=True)
class OcrLine:
    """One line as an OCR engine read it; quad in pixels of the picture."""

    text: str
    quad: tuple[float, ...]  # eight numbers
    score: float


@dataclass(frozen=True)
class Legibility:
    """How well an engine reads one page: pooled character error rate against the true lines (0 is perfect)."""

    page: int
    engine: str
    cer: float
    characters: int
    edits: int
    unmatched_lines: int
    spurious: int = 0  # characters the engine saw where there is no true text; not counted in `cer`


@dataclass(frozen=True)
class Rejection:
    """Why one try of one sample is not in the release.

    `family` and `characters` (of its text) are those of the document, if one was written; `font` and `script` those of
    the text that a font could not draw.
    """

    split: str
    index: int
    attempt: int
    type: str
    language: str
    stage: str
    reason: str
    detail: str
    quarantined: bool = False
    family: str = ""
    characters: int | None = None
    font: str = ""
    script: str = ""
