"""Lines without a letter: a comma or a dash that the extractor gave a line of its own."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from synth.align.model import HtmlBlock, Match, PdfLine, Span
from synth.align.text import letters

_SPACE = re.compile(r"\s+")


def place_marks(matches: list[Match], lines: Sequence[PdfLine], blocks: Sequence[HtmlBlock]) -> None:
    """Give them to the block whose text has these very marks where the line before ends or the next one begins."""
    before: Span | None = None
    after = _next_spans(matches)
    for at, match in enumerate(matches):
        if match.block is None and not letters(lines[at].text):
            marks = _SPACE.sub("", lines[at].text)
            for span, offset in ((before, 1), (after[at], 0)):
                if span is None or not marks:
                    continue
                place = span.end if offset else span.start
                if marks in _between(blocks[span.block].text, place):
                    matches[at] = replace(
                        match, block=span.block, reason="", score=1.0, spans=(Span(span.block, place, place),)
                    )
                    break
        if matches[at].spans:
            before = matches[at].spans[-1]


def _next_spans(matches: list[Match]) -> list[Span | None]:
    following: Span | None = None
    found: list[Span | None] = []
    for match in reversed(matches):
        found.append(following)
        following = match.spans[0] if match.spans else following
    return found[::-1]


def _between(text: str, place: int) -> str:
    """What stands between the letter before this place of the cleaned text and the letter after it."""
    start = bisect_left(range(len(text)), place, key=lambda at: len(letters(text[:at])))
    end = bisect_right(range(len(text)), place, key=lambda at: len(letters(text[: at + 1])))
    return _SPACE.sub("", text[start:end])
