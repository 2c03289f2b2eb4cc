"""A printed document as its writer sees it: the first fault, and the pages described in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pymupdf

from schemas.document import Document
from schemas.errors import SampleError
from schemas.geometry import Box, union
from schemas.sample import HtmlDocument
from schemas.steps import Fault, ProofSheet
from synth.render.raw import DomWord, RawPrint
from synth.render.trace import Glyph, around

MM_PER_PT = 25.4 / 72
MAX_LINES = 90
MAX_TEXT = 70
MAX_PICTURES = 2
PICTURE_DPI = 100


@dataclass(frozen=True)
class _Run:
    """Words that stand side by side. `box` in points."""

    page: int
    text: str
    box: Box


def proof_sheet(
    document: HtmlDocument,
    pictures: bool,
    printed: Callable[[HtmlDocument], RawPrint],
    labelled: Callable[[RawPrint, HtmlDocument], Document],
) -> ProofSheet:
    """Print a document, label it, and say what is wrong with it; a view only where something is."""
    try:
        raw = printed(document)
    except SampleError as error:
        return ProofSheet(Fault(error.reason, error.stage, error.detail), "It could not be printed.")
    try:
        labelled(raw, document)
    except SampleError as error:
        # A word without a glyph lies outside the page or behind the edge of its box: for its writer it is cut off.
        reason = "cut_off" if error.reason == "untraced_word" else error.reason
        fault = Fault(reason, error.stage, error.detail)
        return ProofSheet(fault, described(raw), _pictures(raw.pdf) if pictures else ())
    return ProofSheet(None, "")


def described(raw: RawPrint) -> str:
    """What stands where on the printed pages, in millimetres from the top left, and what is odd about it."""
    runs, lost = _runs(raw)
    lines = [f"The print has {len(raw.probe)} page{'s' if len(raw.probe) > 1 else ''}."]
    for number, page in enumerate(raw.probe):
        here = [run for run in runs if run.page == number]
        size = f"{page.width * MM_PER_PT:.0f} x {page.height * MM_PER_PT:.0f} mm"
        lines.append(f"Page {number + 1} ({size}), from left to right and top to bottom:" if here else "")
        lines[-1] = lines[-1] or f"Page {number + 1} ({size}) is empty."
        inside = Box(0.0, 0.0, page.width, page.height)
        for place, run in enumerate(here):
            x0, y0, x1, y1 = (value * MM_PER_PT for value in run.box)
            odd = [] if inside.contains(run.box, 0.0) else ["RUNS OFF THE PAGE"]
            odd += [f"LIES OVER line {n + 1}" for n, other in enumerate(here[:place]) if _covers(run.box, other.box)]
            said = f"  {place + 1}. x {x0:.0f}-{x1:.0f}, y {y0:.0f}-{y1:.0f}: {_short(run.text)}"
            lines.append(f"{said} [{'; '.join(odd[:3])}]" if odd else said)
    if lost:
        lines.append(f"Written but seen nowhere: {_short(' '.join(lost))}")
    if len(lines) > MAX_LINES:
        kept = [line for line in lines[MAX_LINES // 2 :] if line.endswith("]") or not line.startswith("  ")]
        lines = [*lines[: MAX_LINES // 2], "  ...", *kept[: MAX_LINES // 2]]
    return "\n".join(lines)


def _runs(raw: RawPrint) -> tuple[list[_Run], list[str]]:
    """Runs in reading order, and the words that have no glyph."""
    placed: dict[int, list[tuple[int, Glyph]]] = {}
    for number, page in enumerate(raw.probe):
        for glyph in page.glyphs:
            placed.setdefault(glyph.colour, []).append((number, glyph))
    runs: list[_Run] = []
    lost: list[str] = []
    last: DomWord | None = None
    for word in raw.snapshot.words:
        found = [one for unit in word.units for one in placed.get(unit.colour, ())]
        if not found:
            lost.append(word.text)
            continue
        page = found[0][0]
        box, _ = around([glyph for number, glyph in found if number == page])
        if runs and last is not None and last.container == word.container and _beside(runs[-1], page, box):
            before = runs[-1]
            gap = " " if last.space_after else ""
            runs[-1] = _Run(page, before.text + gap + word.text, union([before.box, box]))
        else:
            runs.append(_Run(page, word.text, box))
        last = word
    return runs, lost


def _beside(run: _Run, page: int, box: Box) -> bool:
    height = min(run.box.y1 - run.box.y0, box.y1 - box.y0)
    return run.page == page and min(run.box.y1, box.y1) - max(run.box.y0, box.y0) > 0.5 * height


def _covers(a: Box, b: Box) -> bool:
    """Whether a good part of the smaller of two lines is under the other; line boxes touch as a rule."""
    width = min(a.x1, b.x1) - max(a.x0, b.x0)
    height = min(a.y1, b.y1) - max(a.y0, b.y0)
    return width > 1.0 and height > 0.4 * min(a.y1 - a.y0, b.y1 - b.y0)


def _short(text: str) -> str:
    return repr(text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…")


def _pictures(pdf: bytes) -> tuple[bytes, ...]:
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        pages = range(min(document.page_count, MAX_PICTURES))
        return tuple(document[number].get_pixmap(dpi=PICTURE_DPI).tobytes("jpeg") for number in pages)
