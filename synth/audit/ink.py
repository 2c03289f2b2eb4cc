"""Where the ink of each word ends: every word painted in a colour of its own by pdfium, nothing else on the page."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from typing import Any

import numpy as np
import pypdfium2
import pypdfium2.raw as c

from schemas.geometry import Box
from synth.audit.objects import TextObject, shapes

DPI = 600
STRAY = 0xFFFFFF - 1


def word_inks(page: pypdfium2.PdfPage, objects: list[TextObject]) -> tuple[dict[int, Box], float]:
    """Box of each word's pixels in points, and the share of text pixels that are no word's. Changes the opened page.

    Words that share an object with another cannot be painted alone and are left out.
    """
    for shape in shapes(page):
        c.FPDFPageObj_SetIsActive(shape, False)
    for o in objects:
        colour = _colour(o.words)
        c.FPDFPageObj_SetFillColor(o.handle, colour >> 16, colour >> 8 & 255, colour & 255, 255)
        c.FPDFPageObj_SetStrokeColor(o.handle, colour >> 16, colour >> 8 & 255, colour & 255, 255)
    scale: Any = DPI / 72  # declared an int there, taken as a float
    bitmap = page.render(scale=scale, no_smoothtext=True, no_smoothpath=True, rev_byteorder=False, prefer_bgrx=True)
    pixels = np.ascontiguousarray(bitmap.to_numpy()[..., :4]).view("<u4")[..., 0] & 0xFFFFFF
    rows, columns = np.nonzero(pixels != 0xFFFFFF)
    colours = pixels[rows, columns]
    order = np.argsort(colours, kind="stable")
    rows, columns, colours = rows[order], columns[order], colours[order]
    starts = np.flatnonzero(np.r_[True, colours[1:] != colours[:-1]]) if colours.size else np.array([], int)
    shared = {word for o in objects if len(o.words) > 1 for word in o.words}
    known = {_colour(o.words): o.words[0] for o in objects if o.words}
    found: dict[int, Box] = {}
    strays = 0
    for start, end in zip(starts, np.r_[starts[1:], colours.size], strict=True):
        word = known.get(int(colours[start]))
        if word is None:
            strays += int(end - start)
            continue
        if word in shared:
            continue
        x, y = columns[start:end], rows[start:end]
        found[word] = Box(*(float(v) / scale for v in (x.min(), y.min(), x.max() + 1, y.max() + 1)))
    return found, strays / max(1, colours.size)


def _colour(words: tuple[int, ...]) -> int:
    """A colour for each word, never white, with neighbours far apart."""
    return (words[0] * 0x9E3779) % 0xFFFFFD if words else STRAY
