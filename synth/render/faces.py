"""The faces of the locked fonts as Chromium finds them: by the families a style names, its weight and its slant."""

# pyright: reportAttributeAccessIssue=false
# uharfbuzz is a compiled module without type stubs.
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import uharfbuzz
from fontTools.ttLib import TTFont

from synth.render.font_list import COMMON
from synth.render.fonts import FontFile, FontSet

# What CSS and Chromium's own defaults name, and the kind of font that stands in.
GENERICS = (
    ("sans-serif", "sans"),
    ("sans", "sans"),  # what Chromium asks for where the page says system-ui
    ("system-ui", "sans"),
    ("Arial", "sans"),
    ("Helvetica", "sans"),
    ("serif", "serif"),
    ("Times New Roman", "serif"),
    ("monospace", "mono"),
    ("Courier New", "mono"),
    ("cursive", "hand"),
)
_KIND_OF = {name.casefold(): kind for name, kind in GENERICS}
_LOOSE = {"fantasy", "math", "emoji", "fangsong", "ui-serif", "ui-sans-serif", "ui-monospace", "ui-rounded"}
UNQUOTED = {"serif", "sans-serif", "system-ui", "monospace", "cursive", *_LOOSE}  # in quotes CSS takes them for names
STANDARD = "Times New Roman"  # Chromium's last word where no family of a style is there
_STYLE_NAMES = (1, 16)  # of the `name` table: the family, and the family of all weights


@dataclass(frozen=True)
class Style:
    """What decides the face of a text: CSS families in order, weight (1 to 1000), slant."""

    families: tuple[str, ...]
    weight: int = 400
    italic: bool = False


@dataclass(frozen=True, eq=False)
class Face:
    """One face of a locked file, made once a process. `weight` is that of OS/2."""

    file: FontFile
    number: int
    family: str
    weight: int
    italic: bool

    @cached_property
    def font(self) -> uharfbuzz.Font:
        return _font(self.file, self.number)

    @cached_property
    def covered(self) -> frozenset[int]:
        """Code points with a glyph."""
        return _covered(self.file, self.number)


@dataclass(frozen=True, eq=False)
class Stack:
    """The faces of a style in the order in which a character looks for one.

    `free`: the style names no locked family but a generic one (or none at all), so any locked font will do.
    """

    faces: tuple[Face, ...]
    free: bool


def names_of(kind: str, fonts: FontSet) -> tuple[str, ...]:
    """Families that stand in for a generic one, first choice first: Latin, then those of every language, the rest."""
    latin = [f.name for f in fonts.families if f.kind == kind and f.language == "en"]
    common = [f.name for f in fonts.families if f.kind == kind and f.language == COMMON]
    others = [f.name for f in fonts.families if f.kind == kind and f.language not in ("en", COMMON)]
    return tuple(dict.fromkeys((*latin, *common, *others)))


@lru_cache(maxsize=1024)
def stack_of(style: Style, fonts: FontSet) -> Stack:
    """The faces that Chromium draws a style with, one for each family that it finds."""
    faces: list[Face] = []
    named = generic = False
    for name in style.families:
        own = _generic(name, style, fonts)
        if own is not None or name.casefold() in _LOOSE:
            generic = True
        elif (own := _best(name, style, fonts)) is not None:
            named = True
        if own is not None and own not in faces:
            faces.append(own)
    free = generic and not named
    standard = _generic(STANDARD, style, fonts) if free and not faces else None
    return Stack((standard,) if standard else tuple(faces), free)


def _generic(name: str, style: Style, fonts: FontSet) -> Face | None:
    kind = _KIND_OF.get(name.casefold())
    if kind is None:
        return None
    return next((face for own in names_of(kind, fonts) if (face := _best(own, style, fonts))), None)


@lru_cache(maxsize=64)
def any_face(fonts: FontSet, language: str) -> tuple[Face, ...]:
    """A regular face of every locked family, those of the language first."""
    order = sorted(fonts.families, key=lambda f: (f.language != language, f.kind == "hand"))
    found = [_best(name, Style((name,)), fonts) for name in dict.fromkeys(f.name for f in order)]
    return tuple(face for face in found if face is not None)


def _best(name: str, style: Style, fonts: FontSet) -> Face | None:
    """The family's face that CSS takes for a weight and a slant (CSS Fonts 4, 5.2: slant first, then weight)."""
    own = _index(fonts.files).get(name.casefold())
    if not own:
        return None
    return min(own, key=lambda face: (face.italic != style.italic, _distance(face.weight, style.weight)))


def _distance(has: int, wanted: int) -> tuple[int, int]:
    """Order of the weights to try: from 400 to 500 up to 500 first, lighter ones down first, bolder ones up first."""
    if has == wanted:
        return 0, 0
    if 400 <= wanted <= 500:
        if wanted < has <= 500:
            return 1, has - wanted
        return (2, wanted - has) if has < wanted else (3, has - wanted)
    if wanted < 400:
        return (1, wanted - has) if has < wanted else (2, has - wanted)
    return (1, has - wanted) if has > wanted else (2, wanted - has)


@lru_cache(maxsize=8)
def _index(files: tuple[FontFile, ...]) -> dict[str, tuple[Face, ...]]:
    """Faces by family name in small letters."""
    found: dict[str, list[Face]] = {}
    for file in files:
        for number in range(_count(file)):
            font = TTFont(file.path, fontNumber=number, lazy=True)
            os2: Any = font["OS/2"]
            names: Any = font["name"]
            families = list(dict.fromkeys(str(record) for record in names.names if record.nameID in _STYLE_NAMES))
            for name in families:
                face = Face(file, number, families[0], os2.usWeightClass, bool(os2.fsSelection & 0b1000000001))
                found.setdefault(name.casefold(), []).append(face)
            font.close()
    return {name: tuple(faces) for name, faces in found.items()}


def _count(file: FontFile) -> int:
    return uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(file.path))).count


@lru_cache(maxsize=512)
def _font(file: FontFile, number: int) -> uharfbuzz.Font:
    return uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(file.path)), number))


@lru_cache(maxsize=512)
def _covered(file: FontFile, number: int) -> frozenset[int]:
    return frozenset(_font(file, number).face.unicodes)


def covered_by_any(files: Iterable[FontFile]) -> frozenset[int]:
    """Code points that at least one file has a glyph for."""
    return _all_covered(tuple(files))


@lru_cache(maxsize=8)
def _all_covered(files: tuple[FontFile, ...]) -> frozenset[int]:
    return frozenset().union(*(_covered(file, number) for file in files for number in range(_count(file))))
