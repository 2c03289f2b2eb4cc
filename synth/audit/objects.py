"""A printed page as pdfium sees it: its text objects (one a glyph in Chromium's prints), whose they are, what they say.

pdfium shares no code with MuPDF and HarfBuzz, which the labels come from.
"""

# pyright: reportAttributeAccessIssue=false
# pypdfium2.raw is generated from C headers.
from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pypdfium2
import pypdfium2.raw as c
from scipy.spatial import cKDTree

from synth.render.trace import Glyph
from synth.truth.tags import doubled

NEAR = 0.6  # points between pdfium's and MuPDF's origin of one glyph


@dataclass(frozen=True)
class TextObject:
    """`words`: numbers in the snapshot of those it paints, nearly always one; none for list markers and generated text.

    Objects of one span of ActualText share its number and its text, span 0 is none. `reversed`: painted right to left.
    `again`: paints over what another painted (the stroke of outlined text).
    """

    handle: Any
    words: tuple[int, ...]
    span: int
    text: str
    reversed: bool
    again: bool


def text_objects(page: pypdfium2.PdfPage, glyphs: tuple[Glyph, ...], words: Mapping[int, int]) -> list[TextObject]:
    """Text objects of a page in painting order. `glyphs`: the page's, in the probe's colours; `words`: by colour."""
    found = [(o, frame) for o, frame in _walk(page, None) if c.FPDFPageObj_GetType(o) == c.FPDF_PAGEOBJ_TEXT]
    if not found or not glyphs:
        return []
    height, text_page = page.get_height(), page.get_textpage()
    places = np.array([_origin(o, frame, height) for o, frame in found])
    owned: list[dict[int, None]] = [{} for _ in found]
    painters = _painters(glyphs, places)
    again = {painters[k] for k in doubled(glyphs)}
    for glyph, k in zip(glyphs, painters, strict=True):
        if glyph.colour in words:
            owned[k][words[glyph.colour]] = None
    return [
        TextObject(o, tuple(own), *_said(o, text_page), k in again)
        for k, ((o, _), own) in enumerate(zip(found, owned, strict=True))
    ]


def _painters(glyphs: tuple[Glyph, ...], places: np.ndarray) -> list[int]:
    """Which object paints each glyph; `places` are the objects' origins, n x 2. Both are in the order of painting.

    Most objects are one glyph. Of one that holds several only the first stands at its origin.
    """
    found: list[int] = []
    at = -1
    for glyph in glyphs:
        following = places[at + 1 : at + 2]
        if len(following) and np.abs(following[0] - (glyph.x, glyph.y)).max() <= NEAR:
            at += 1
        found.append(at)
    if at == len(places) - 1 and found[:1] == [0]:
        return found
    distance, nearest = cKDTree(places).query(np.array([(g.x, g.y) for g in glyphs]))  # painted in another turn
    owners: list[int] = []
    for d, k in zip(distance, nearest, strict=True):
        owners.append(int(k) if d <= NEAR or not owners else owners[-1])
    return owners


def shapes(page: pypdfium2.PdfPage) -> Iterator[tuple[Any, int]]:
    """Handle and kind (FPDF_PAGEOBJ_*) of all that is no text: what is painted, and the forms that hold the rest."""
    for o, _ in _walk(page, None):
        kind = c.FPDFPageObj_GetType(o)
        if kind != c.FPDF_PAGEOBJ_TEXT:
            yield o, kind


def _walk(page: Any, frame: np.ndarray | None, form: Any = None) -> Iterator[tuple[Any, np.ndarray]]:
    """All objects with the matrix of what holds them: forms (what is see-through), then what is in them."""
    frame = np.eye(3) if frame is None else frame
    if form is None:
        held = (c.FPDFPage_GetObject(page.raw, i) for i in range(c.FPDFPage_CountObjects(page.raw)))
    else:
        held = (c.FPDFFormObj_GetObject(form, i) for i in range(c.FPDFFormObj_CountObjects(form)))
    for o in held:
        yield o, frame
        if c.FPDFPageObj_GetType(o) == c.FPDF_PAGEOBJ_FORM:
            yield from _walk(page, frame @ _matrix(o), o)


def _matrix(o: Any) -> np.ndarray:
    m = c.FS_MATRIX()
    c.FPDFPageObj_GetMatrix(o, m)
    return np.array([[m.a, m.c, m.e], [m.b, m.d, m.f], [0, 0, 1]])


def _origin(o: Any, frame: np.ndarray, height: float) -> tuple[float, float]:
    x, y, _ = frame @ _matrix(o) @ np.array([0.0, 0.0, 1.0])
    return float(x), height - float(y)


def _said(o: Any, text_page: Any) -> tuple[int, str, bool]:
    span, text, backwards = 0, "", False
    for i in range(c.FPDFPageObj_CountMarks(o)):
        mark = c.FPDFPageObj_GetMark(o, i)
        name = _wide(lambda buffer, size, out, m=mark: c.FPDFPageObjMark_GetName(m, buffer, size, out))
        backwards |= name == "ReversedChars"
        if name == "Span":
            data = _blob(mark, b"ActualText")
            if data:
                span, text = ctypes.addressof(mark.contents), _decoded(data)
    if span:
        return span, text, backwards
    length = c.FPDFTextObj_GetText(o, text_page.raw, None, 0)
    buffer = ctypes.create_string_buffer(max(2, length))
    c.FPDFTextObj_GetText(o, text_page.raw, ctypes.cast(buffer, ctypes.POINTER(c.FPDF_WCHAR)), length)
    return 0, buffer.raw[:length].decode("utf-16-le", "replace").rstrip("\0"), backwards


def _wide(read: Any) -> str:
    size = ctypes.c_ulong(0)
    read(None, 0, size)
    buffer = ctypes.create_string_buffer(max(2, size.value))
    read(ctypes.cast(buffer, ctypes.POINTER(c.FPDF_WCHAR)), size.value, size)
    return buffer.raw[: size.value].decode("utf-16-le", "replace").rstrip("\0")


def _blob(mark: Any, key: bytes) -> bytes:
    size = ctypes.c_ulong(0)
    if not c.FPDFPageObjMark_GetParamBlobValue(mark, key, None, 0, size) or not size.value:
        return b""
    buffer = (ctypes.c_ubyte * size.value)()
    c.FPDFPageObjMark_GetParamBlobValue(mark, key, buffer, size.value, size)
    return bytes(buffer)


def _decoded(data: bytes) -> str:
    """A PDF text string (PDF 32000-1, 7.9.2.2): UTF-16 with a mark, or PDFDocEncoding, of which Latin-1 will do."""
    return data[2:].decode("utf-16-be", "replace") if data[:2] == b"\xfe\xff" else data.decode("latin-1")
