"""The probe: paint every word of a page in a colour of its own and say what the words are (probe.js does the work)."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from playwright.sync_api import Page

from schemas.document import ROLES
from schemas.errors import SampleError
from synth.render.generated import Made
from synth.render.raw import DomBlock, DomCell, DomPart, DomWord, SharedPaint, Snapshot, Spot, Unit
from synth.render.trace import Glyph, PrintedPage, same_line

_FOLDER = resources.files("synth.render")
_ORDER, _PROBE = (_FOLDER.joinpath(name).read_text(encoding="utf-8") for name in ("order.js", "probe.js"))
_SCRIPT = f"(given) => (\n{_PROBE})({{...given, ...(\n{_ORDER})()}})"


def paint_words(page: Page, language: str, split: tuple[int, ...] = (), made: Made | None = None) -> Snapshot:
    """Paint the words of a page, those numbered in `split` by grapheme cluster. The next print shows the colours.

    `made`: generated texts of the page, where it has any. SampleError "unlabelled_text" (frames, players, shadow
    roots, formulas), "bad_role" or "no_words".
    """
    texts = {str(number): by_kind for number, by_kind in (made or {}).items()}
    return _snapshot(json.loads(page.evaluate(_SCRIPT, {"language": language, "split": list(split), "made": texts})))


def broken_words(snapshot: Snapshot, pages: tuple[PrintedPage, ...]) -> tuple[int, ...]:
    """Numbers of the words of which one colour stands on two lines or pages: they must be painted more finely."""
    uneven = _uneven(pages)
    colours = [(word.flow, unit.colour) for word in snapshot.words for unit in word.units]
    suspects = {colour for flow, colour in colours if flow == "ttb" or colour in uneven}
    painted: dict[int, list[tuple[int, Glyph]]] = {}
    for number, page in enumerate(pages):
        for glyph in page.glyphs if suspects.intersection(page.colours) else ():
            if glyph.colour in suspects:
                painted.setdefault(glyph.colour, []).append((number, glyph))
    return tuple(
        number
        for number, word in enumerate(snapshot.words)
        if not word.repeats
        and any(
            page != found[0][0] or not same_line(found[0][1], glyph, word.flow)
            for unit in word.units
            if (found := painted.get(unit.colour, []))
            for page, glyph in found
        )
    )


def _uneven(pages: tuple[PrintedPage, ...]) -> set[int]:
    """Colours whose glyphs do not all stand upright on one baseline."""
    found = {colour for page in pages for colour in page.turned}
    places: dict[int, tuple[int, float]] = {}
    for number, page in enumerate(pages):
        for colour, y in zip(page.colours, page.places[:, 1].tolist(), strict=True):
            if places.setdefault(colour, (number, y)) != (number, y):
                found.add(colour)
    return found


def _snapshot(seen: dict[str, Any]) -> Snapshot:
    if seen["refused"]:
        raise SampleError(
            "unlabelled_text", "print", f"text in {', '.join(sorted(seen['refused']))} cannot be labelled"
        )
    blocks = tuple(DomBlock(*block) for block in seen["blocks"])
    for block in blocks:
        if block.role not in ROLES:
            raise SampleError("bad_role", "print", f"data-role={block.role!r} is none of {', '.join(ROLES)}")
    for word in seen["words"]:
        rank, part, loose, items = word[-2]
        word[-2] = Spot(rank, part, loose, tuple((box, item) for box, item in items))
    words = tuple(DomWord(tuple(Unit(*unit) for unit in units), *rest) for units, *rest in seen["words"])
    if not words:
        raise SampleError("no_words", "print", "the document shows no text")
    cells = tuple(DomCell(*cell) for cell in seen["cells"])
    parts = tuple(DomPart(*part) for part in seen["parts"])
    shared = tuple(SharedPaint(colour, tuple(Unit(*unit) for unit in units)) for colour, units in seen["shared"])
    return Snapshot(words, blocks, cells, tuple(seen["fields"]), tuple(seen["keys"]), parts, shared)
