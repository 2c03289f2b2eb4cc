"""Font preflight: before a page is printed, its texts are tried with the faces that Chromium will draw them with.

Found are characters without a glyph, characters that would silently be drawn with a font that the page does not name,
conjuncts that do not form, marks without their letter, and joiners without effect.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import groupby
from typing import Any

import regex
from playwright.sync_api import Page

from synth.render.clusters import SHAPED, runs_by_script, spelling_fault
from synth.render.faces import UNQUOTED, Face, Stack, Style, any_face, covered_by_any, stack_of
from synth.render.fonts import FontSet

_MARKS, _TEXTS = (
    resources.files("synth.render").joinpath(name).read_text(encoding="utf-8") for name in ("marks.js", "texts.js")
)
_SCRIPT = f"(given) => {{ (\n{_MARKS})(); return (\n{_TEXTS})(given); }}"  # one call: each costs milliseconds
_CHANGE = """changes => {
  const own = [...document.querySelectorAll("*")].map((el) => [el, getComputedStyle(el).fontFamily]);
  for (const [el, families] of own)
    if (families in changes) el.style.setProperty("font-family", changes[families], "important");
}"""
_FAMILY = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^,]+?))\s*(?:,|$)""")
_REASONS = ("missing_glyphs", "font_fallback", "broken_cluster", "lost_joiner")
_INVISIBLE = {"Cf", "Cc", "Zs", "Zl", "Zp"}
_KEPT = 200_000


@dataclass(frozen=True)
class Text:
    """A text that is shaped as one, in the case in which it is printed.

    `language` is that of its `lang` attribute, `css` its families as the browser writes them.
    """

    style: Style
    language: str
    text: str
    css: str = ""


@dataclass(frozen=True)
class Look:
    """What stands on a laid-out page: its height in CSS pixels, its texts, and whether some of them have no node."""

    height: float
    texts: tuple[Text, ...]
    generated: bool


@dataclass(frozen=True)
class Fault:
    """A text that would not be drawn as written. `font`: family of the face at fault, or first family of the style.

    `reason`: "missing_glyphs" (no locked font has the character), "font_fallback" (a letter, mark or digit that the
    families of the style do not have, but another locked font), "broken_cluster" or "lost_joiner". `script`: ISO 15924.
    """

    reason: str
    font: str
    script: str
    what: str

    def __str__(self) -> str:
        return f"{self.font}: {self.what}"


def look(page: Page, width_px: float, html: str) -> Look:
    """Height and texts of a laid-out page, generated ones too; marks are put to their letters first (marks.js)."""
    content = re.search(r"[{;\s\"']content\s*:", html) is not None
    seen: dict[str, Any] = json.loads(page.evaluate(_SCRIPT, {"width": width_px, "content": content}))
    styles = [(_style(css, weight, slant), language, css) for css, weight, slant, language in seen["styles"]]
    made = [(*styles[number], text) for number, text in seen["texts"]]
    texts = tuple(Text(style, language, text, css) for style, language, css, text in made)
    return Look(seen["height"], texts, seen["generated"])


def change_fonts(page: Page, wrong: Mapping[str, Fault], spare: str) -> None:
    """Take the family at fault out of each list of families in `wrong`, and put `spare` before the others."""
    changes = {}
    for css, fault in wrong.items():
        names = [spare, *(name for name in families_in(css) if name not in (fault.font, spare))]
        changes[css] = ", ".join(name if name in UNQUOTED else f'"{name}"' for name in names)
    page.evaluate(_CHANGE, changes)


@lru_cache(maxsize=4096)
def _style(family: str, weight: str, slant: str) -> Style:
    return Style(families_in(family), round(float(weight)), slant != "normal")


def families_in(css: str) -> tuple[str, ...]:
    """Names in a value of `font-family` as the browser writes it."""
    return tuple("".join(found) for found in _FAMILY.findall(css) if any(found))


class Preflight:
    """Tries texts with the locked fonts. Remembers words, so that the next document costs next to nothing."""

    def __init__(self, fonts: FontSet) -> None:
        self.fonts = fonts
        self._stacks: dict[Style, Stack] = {}
        self._known: dict[tuple[Stack, str, str], tuple[tuple[Fault, ...], tuple[str, ...]]] = {}

    def faults(self, texts: Iterable[Text]) -> list[Fault]:
        """What would not be drawn as written, the gravest first, each once."""
        found: dict[Fault, None] = {}
        for text in texts:
            for faults, _ in self._words(text):
                found.update(dict.fromkeys(faults))
        return sorted(found, key=lambda fault: _REASONS.index(fault.reason))

    def wrong(self, texts: Iterable[Text]) -> dict[str, Fault]:
        """The gravest fault of each list of families (as CSS has it) that has any."""
        by_css: dict[str, list[Text]] = {}
        for text in texts:
            by_css.setdefault(text.css, []).append(text)
        found = {css: self.faults(own) for css, own in by_css.items()}
        return {css: faults[0] for css, faults in found.items() if faults}

    def families(self, texts: Iterable[Text]) -> tuple[str, ...]:
        """Names of the families that the texts are drawn with, sorted."""
        return tuple(sorted({name for text in texts for _, used in self._words(text) for name in used}))

    def _words(self, text: Text) -> Iterator[tuple[tuple[Fault, ...], tuple[str, ...]]]:
        stack = self._stacks.get(text.style)
        if stack is None:
            stack = self._stacks[text.style] = stack_of(text.style, self.fonts)
        for word in dict.fromkeys(text.text.split()):  # in one order, since faults are listed
            key = stack, text.language, word
            known = self._known.get(key)
            if known is None:
                if len(self._known) >= _KEPT:
                    self._known.clear()
                known = self._known[key] = self._try(word, stack, text)
            yield known

    def _try(self, word: str, stack: Stack, text: Text) -> tuple[tuple[Fault, ...], tuple[str, ...]]:
        """Faults of one word and the families it is drawn with."""
        first = stack.faces[0] if stack.faces else None
        if first is not None and not SHAPED.search(word) and all(ord(c) in first.covered for c in word):
            return (), (first.family,)
        faults: dict[Fault, None] = {}
        families: dict[str, None] = {}
        for script, run in runs_by_script(word):
            for face, part in self._faces(run, stack, text.language):
                if face is None:
                    name = first.family if first else ", ".join(text.style.families)
                    faults[self._unnamed(part, name, script)] = None
                    continue
                families[face.family] = None
                fault = spelling_fault(face, part, script)
                if fault is not None:
                    faults[Fault(fault[0], face.family, script, fault[1])] = None
        return tuple(faults), tuple(families)

    def _faces(self, run: str, stack: Stack, language: str) -> Iterator[tuple[Face | None, str]]:
        """Pieces of a run with the face that draws each: the first that has all of a grapheme cluster."""
        for face in stack.faces:
            if _covers(face, run):
                yield face, run
                return
        clusters = [(self._face(cluster, stack, language), cluster) for cluster in regex.findall(r"\X", run)]
        for face, parts in groupby(clusters, key=lambda pair: pair[0]):
            yield face, "".join(part for _, part in parts)

    def _face(self, cluster: str, stack: Stack, language: str) -> Face | None:
        """The face that draws a cluster. Marks and symbols, and all where no font is named, may take any locked one."""
        lenient = stack.free or all(map(_symbol, cluster))
        faces = (*stack.faces, *(any_face(self.fonts, language) if lenient else ()))
        return next((face for face in faces if _covers(face, cluster)), None)

    def _unnamed(self, part: str, name: str, script: str) -> Fault:
        locked = covered_by_any(self.fonts.files)
        missing = [c for c in dict.fromkeys(part) if ord(c) not in locked and not _invisible(c)]
        lacking = missing or list(dict.fromkeys(part))
        listed = ", ".join(f"{c} U+{ord(c):04X}" for c in lacking[:10])
        return Fault("missing_glyphs" if missing else "font_fallback", name, script, listed)


def _covers(face: Face, text: str) -> bool:
    return any(
        all(ord(c) in face.covered or _invisible(c) for c in form)
        for form in (text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text))
    )


def _symbol(c: str) -> bool:
    category = unicodedata.category(c)
    return category[0] in "PSZC" or category == "No"


@lru_cache(maxsize=4096)
def _invisible(c: str) -> bool:
    """Drawn by no glyph of its own: white space, joiners, marks of direction, selectors of variants."""
    selector = "\ufe00" <= c <= "\ufe0f" or "\U000e0100" <= c <= "\U000e01ef"
    return selector or unicodedata.category(c) in _INVISIBLE
