"""Lines of any PDF, read by PyMuPDF."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import Any

import pymupdf

from schemas.errors import SampleError
from schemas.geometry import Box
from synth.align.model import PdfLine, PdfPage

MAX_PAGES = 2000
BROKEN = 0.3  # share of characters without a meaning from which a page cannot be read
_FLAGS = pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
_TURNS = {(1, 0): 0, (0, -1): 90, (-1, 0): 180, (0, 1): 270}


def read_pdf(data: bytes) -> tuple[list[PdfPage], list[PdfLine]]:
    """Pages and lines, ids and blocks numbered through the document, in the order of the content streams.

    A page is turned so that most of its text runs from left to right, whatever its /Rotate says. A page that cannot be
    read gives no lines; its state says why. SampleError of stage "align" if no page can: "bad_pdf", "locked_pdf",
    "too_many_pages", "empty_pdf", "image_only", "broken_fonts".
    """
    try:
        opened = pymupdf.open(stream=data, filetype="pdf")
    except (pymupdf.FileDataError, pymupdf.EmptyFileError, RuntimeError) as error:
        raise SampleError("bad_pdf", "align", str(error)) from None
    with opened:
        if opened.needs_pass:
            raise SampleError("locked_pdf", "align", "it asks for a password")
        if opened.page_count > MAX_PAGES:
            raise SampleError("too_many_pages", "align", f"{opened.page_count} pages, at most {MAX_PAGES}")
        pages: list[PdfPage] = []
        lines: list[PdfLine] = []
        for number in range(opened.page_count):
            page, own = _page(opened[number], number, len(lines), lines[-1].block + 1 if lines else 0)
            pages.append(page)
            lines += own
    if not lines:
        states = Counter(page.state for page in pages)
        reason = next((s for s in ("broken_fonts", "image_only") if states[s]), "empty_pdf")
        raise SampleError(reason, "align", f"no text on any of {len(pages)} pages")
    return pages, lines


def _page(page: pymupdf.Page, number: int, line: int, block: int) -> tuple[PdfPage, list[PdfLine]]:
    page.set_rotation(0)
    content: Any = page.get_text("dict", flags=_FLAGS)
    found = [(at, item) for at, part in enumerate(content["blocks"]) for item in part.get("lines", ())]
    found = [(at, item) for at, item in found if any(span["text"].strip() for span in item["spans"])]
    turn = _turn([item for _, item in found])
    page.set_rotation(turn)
    lines = [
        PdfLine(
            id=line + offset,
            page=number,
            block=block + at,
            text="".join(span["text"] for span in item["spans"]).strip(),
            box=Box(*(pymupdf.Rect(item["bbox"]) * page.rotation_matrix).normalize()),
            size=max(span["size"] for span in item["spans"]),
        )
        for offset, (at, item) in enumerate(found)
    ]
    state = _state(page, "".join(one.text for one in lines))
    size = page.rect
    return PdfPage(number, size.width, size.height, turn, state), lines if state == "text" else []


def _turn(items: list[dict[str, Any]]) -> int:
    votes: Counter[int] = Counter()
    for item in items:
        x, y = (round(v) for v in item["dir"])
        votes[_TURNS.get((x, y), 0)] += sum(len(span["text"]) for span in item["spans"])
    return votes.most_common(1)[0][0] if votes else 0


def _state(page: pymupdf.Page, text: str) -> str:
    shown = [c for c in text if not c.isspace()]
    if not shown:
        return "image_only" if page.get_images() or page.get_drawings() else "empty"
    lost = sum(c == "\ufffd" or unicodedata.category(c) in ("Co", "Cn", "Cc", "Cs") for c in shown)
    return "broken_fonts" if lost > BROKEN * len(shown) else "text"
