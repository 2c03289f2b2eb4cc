"""What a page's content stream says of each glyph beside painting it: marked content, ActualText, how it leans.

Chromium tags what it prints: one piece of marked content for each text node, a span of ActualText around each cluster
whose glyphs do not stand for one letter each (PDF 32000-1, 14.6 and 14.9.4). It writes one operator a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pymupdf

_MCID = re.compile(rb"/MCID (\d+)")
_ACTUAL = re.compile(rb"/ActualText <([0-9A-Fa-f]*)>")
_ENDS = (b"Tj", b"DC", b"MC", b"Tm", b"Tf", b"Do")  # of the lines that count: DC and MC end BDC, BMC and EMC


@dataclass(frozen=True, slots=True)
class Shown:
    """What holds for a run of glyphs. `content`: number of the marked content on its page, -1 outside of any.

    Glyphs of one span of ActualText share its number and text (`said`); span 0 is none. `backwards`: in a span of
    ReversedChars. `lean`: ems to the right per em up that the glyphs are slanted without their font.
    """

    content: int = -1
    span: int = 0
    said: str = ""
    backwards: bool = False
    lean: float = 0.0


UNTAGGED = Shown()


def shown(document: pymupdf.Document, page: pymupdf.Page) -> list[Shown] | None:
    """One entry for each glyph of a page, in painting order; None if the page is not written as Chromium does."""
    number = page.number or 0
    fonts = {f[4].encode(): f[2] for f in document.get_page_fonts(number, full=True)}
    forms = {x[1].encode(): x[0] for x in document.get_page_xobjects(number)}
    reader = _Reader(document, fonts, forms)
    return reader.found if reader.read(0, page.read_contents()) else None


class _Reader:
    def __init__(self, document: pymupdf.Document, fonts: dict[bytes, str], forms: dict[bytes, int]) -> None:
        self.found: list[Shown] = []
        self._document, self._fonts, self._forms = document, fonts, forms
        self._contents: dict[tuple[int, int], int] = {}  # a form counts its marked content for itself
        self._open: list[tuple[int, int, str, bool]] = [(-1, 0, "", False)]
        self._spans = 0

    def read(self, holder: int, stream: bytes) -> bool:
        """Append what a stream shows; False where it is not understood."""
        width, lean, now = 4, 0.0, None
        for line in stream.split(b"\n"):
            end = line[-2:]
            if end not in _ENDS:
                continue
            if end == b"Tj":
                start = line.rfind(b"<")
                if start < 0:
                    return False
                if now is None:
                    content, span, said, backwards = self._open[-1]
                    now = Shown(content, span, said, backwards, lean)
                self.found += [now] * ((len(line) - start - 5) // width)  # between "<" and "> Tj"
                continue
            now = None
            if end == b"DC" or line == b"BMC" or line.endswith(b" BMC"):
                self._begin(holder, line)
            elif end == b"MC":
                if len(self._open) == 1:
                    return False
                self._open.pop()
            elif end == b"Tm":
                a, _, c, *_ = line.split(b" ", 3)
                lean = float(c) / float(a) if float(a) else 0.0
            elif end == b"Tf":
                width = 4 if self._fonts.get(line[1 : line.find(b" ")]) == "Type0" else 2
            else:
                form = self._forms.get(line[1:-3])
                if form is not None and not self.read(form, self._document.xref_stream(form) or b""):
                    return False
        return True

    def _begin(self, holder: int, line: bytes) -> None:
        content, span, said, backwards = self._open[-1]
        mcid, actual = _MCID.search(line), _ACTUAL.search(line)
        if mcid:
            content = self._contents.setdefault((holder, int(mcid.group(1))), len(self._contents))
        if actual:
            self._spans += 1
            span, said = self._spans, bytes.fromhex(actual.group(1).decode()).decode("utf-16", "replace")
        self._open.append((content, span, said, backwards or line.startswith(b"/ReversedChars")))
