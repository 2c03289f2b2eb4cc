"""Where the ink of each word ends: every word painted in a colour of its own by pdfium, nothing else on the page."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pypdfium2
import pypdfium2.raw as c

from schemas.geometry import Box
from synth.audit.objects import TextObject, shapes

DPI = 600
STRAY = 0xFFFFFF - 1


def word_inks(
    page: pypdfium2.PdfPage, objects: list[TextObject], near: Mapping[int, Box]
) -> tuple[dict[int, Box], float]:
    """Box of each word's pixels in points, and the share of text pixels that are no word's. Changes the opened page.

    Words that share an object with another cannot be painted alone and are left out. `near`: where each word is said
    to be; words that meet there (a stamp over a signature, kerned letters) are painted in different turns.
    """
    for shape, kind in shapes(page):
        if kind == c.FPDF_PAGEOBJ_FORM:  # what is see-through is painted in full
            c.FPDFPageObj_SetFillColor(shape, 0, 0, 0, 255)
            c.FPDFPageObj_SetStrokeColor(shape, 0, 0, 0, 255)
            c.FPDFPageObj_SetBlendMode(shape, b"Normal")
        else:
            c.FPDFPageObj_SetIsActive(shape, False)
    for o in objects:
        colour = _colour(o.words)
        c.FPDFPageObj_SetFillColor(o.handle, colour >> 16, colour >> 8 & 255, colour & 255, 255)
        c.FPDFPageObj_SetStrokeColor(o.handle, colour >> 16, colour >> 8 & 255, colour & 255, 255)
        c.FPDFPageObj_SetBlendMode(o.handle, b"Normal")
    shared = {word for o in objects if len(o.words) > 1 for word in o.words}
    known = {_colour(o.words): o.words[0] for o in objects if o.words and o.words[0] not in shared}
    turns = _turns(near)
    found: dict[int, Box] = {}
    strays = painted = 0
    for turn in range(max(turns.values(), default=0) + 1):
        for o in objects:
            active = turns.get(o.words[0] if o.words else -1, 0) == turn
            c.FPDFPageObj_SetIsActive(o.handle, active)
        for colour, pixels, box in _extents(page):
            painted += pixels
            strays += pixels if colour == STRAY else 0
            if colour in known:
                found[known[colour]] = box
    return found, strays / max(1, painted)


def _turns(near: Mapping[int, Box]) -> dict[int, int]:
    """The turn in which each word is painted, so that no two words of one turn meet."""
    if not near:
        return {}
    x0, y0, x1, y1 = np.array(list(near.values())).T
    meet = (x0[:, None] < x1) & (x0 < x1[:, None]) & (y0[:, None] < y1) & (y0 < y1[:, None])
    turns = np.zeros(len(near), int)
    for k in range(1, len(near)):
        taken = set(turns[:k][meet[k, :k]])
        turns[k] = next(turn for turn in range(k + 1) if turn not in taken)
    return dict(zip(near, turns.tolist(), strict=True))


def _extents(page: pypdfium2.PdfPage) -> Iterator[tuple[int, int, Box]]:
    """Every colour on the page but white: how many pixels have it, and their box in points."""
    scale: Any = DPI / 72  # declared an int there, taken as a float
    bitmap = page.render(scale=scale, no_smoothtext=True, no_smoothpath=True, rev_byteorder=False, prefer_bgrx=True)
    pixels = np.ascontiguousarray(bitmap.to_numpy()).view("<u4").ravel()  # 0xXXRRGGBB, the first byte full
    where = np.flatnonzero(pixels != 0xFFFFFFFF)
    colours = pixels[where] & 0xFFFFFF
    order = np.argsort(colours, kind="stable")
    where, colours = where[order], colours[order]
    rows, columns = np.divmod(where, bitmap.width)
    starts = np.flatnonzero(np.r_[True, colours[1:] != colours[:-1]]) if colours.size else np.array([], int)
    for start, end in zip(starts, np.r_[starts[1:], colours.size], strict=True):
        x, y = columns[start:end], rows[start:end]
        box = Box(*(float(v) / scale for v in (x.min(), y.min(), x.max() + 1, y.max() + 1)))
        yield int(colours[start]), int(end - start), box


def _colour(words: tuple[int, ...]) -> int:
    """A colour for each word, never white, with neighbours far apart."""
    return (words[0] * 0x9E3779) % 0xFFFFFD if words else STRAY
