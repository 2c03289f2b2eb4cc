"""Make the Type 3 fonts of a Chromium print light: Skia names ".notdef" for every unused code below a used one.

Skia embeds a CFF font (every Noto CJK face) as Type 3 fonts of at most 256 codes, most of which hold one or two used
glyphs and dozens of codes named /g0, each of which a reader prepares on opening: 130 ms for a Chinese page in MuPDF,
18 ms without them. What is painted and read back stays the same.
"""

from __future__ import annotations

import re

_DIFFERENCES = re.compile(rb"/Differences\s*\[((?:\s+|\d+|/[^\s/\[\]()<>]+)*)\]")
_UNUSED = b"/g0"


def slim(pdf: bytes) -> bytes:
    """The PDF as Chromium wrote it, its encodings shortened in place: no object moves, the length stays."""
    return _DIFFERENCES.sub(_shorter, pdf)


def _shorter(match: re.Match[bytes]) -> bytes:
    """An encoding without unused codes (PDF 32000-1, 9.6.6.1: a number gives the code of the name after it)."""
    kept: list[bytes] = []
    code, follows = 0, False
    for item in match.group(1).split():
        if not item.startswith(b"/"):
            code, follows = int(item), False
            continue
        if item != _UNUSED:
            kept += [item] if follows else [b"%d" % code, item]
        follows = item != _UNUSED
        code += 1
    room = len(match.group(0)) - 1
    text = b"/Differences [" + b" ".join(kept)
    return text.ljust(room) + b"]" if kept and len(text) <= room else match.group(0)
