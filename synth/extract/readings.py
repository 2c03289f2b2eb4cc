"""What extractors read out of a page of a release, by script."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, fields

from fontTools.unicodedata import script as script_of
from fontTools.unicodedata import script_name

from schemas.document import Document
from synth.extract.compare import Comparison, compare, normal
from synth.extract.engines import EXTRACTORS

SHARED = "digits and marks"
"""Characters of no script of their own."""


@dataclass(frozen=True)
class Reading:
    """Sums over pages: how many have the script, on how many all its characters are read in their order, and the
    characters printed, edits (Levenshtein), lost and added (wherever they stand)."""

    pages: int = 0
    exact: int = 0
    characters: int = 0
    edits: int = 0
    lost: int = 0
    added: int = 0

    @classmethod
    def of(cls, found: Comparison) -> Reading:
        return cls(1, int(not found.edits), found.characters, found.edits, found.lost, found.added)

    def __add__(self, other: Reading) -> Reading:
        return Reading(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


Readings = Mapping[tuple[str, str], Reading]
"""By script and extractor."""


def readings(pdf: bytes, document: Document) -> Readings:
    """The first page of a document as each extractor reads it, held against its words, normalised as `compare` does.

    Heads and feet that repeat on later pages are words of the first only, so those are not read.
    """
    printed = by_script("".join(word.text for word in document.words if word.page == 0))
    found: dict[tuple[str, str], Reading] = {}
    for name, read in EXTRACTORS.items():
        got = by_script(read(pdf)[0])
        for script, text in printed.items():
            found[script, name] = Reading.of(compare(text, got.get(script, "")))
    return found


def summed(some: Readings, more: Readings) -> Readings:
    """The sums of both."""
    return {key: some.get(key, Reading()) + more.get(key, Reading()) for key in sorted({*some, *more})}


def by_script(text: str) -> dict[str, str]:
    """The characters of each script in their order; a mark that several scripts share goes with what it stands on."""
    found: dict[str, list[str]] = defaultdict(list)
    last = SHARED
    for character in normal(text):
        code = script_of(character)
        if code != "Zinh":
            last = SHARED if code == "Zyyy" else script_name(code)
        found[last].append(character)
    return {script: "".join(some) for script, some in found.items()}
