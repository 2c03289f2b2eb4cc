"""A PDF whose text is shown glyph by glyph, so that pdfium, which paints by text object, can paint each glyph alone."""

from __future__ import annotations

import io
from typing import Any

import pikepdf

CODE_BYTES = {"/Type0": 2}  # of one glyph in Chromium's prints; all other fonts have codes of one byte


def one_glyph_each(pdf: bytes) -> bytes:
    """The PDF with every string of several glyphs (PDF 32000-1, 9.4.3, operator Tj) cut into one a glyph.

    Chromium writes one string a glyph where it has to place each; fonts with whole advances get longer strings.
    """
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        for page in opened.pages:
            page.Contents = opened.make_stream(_cut(page, page.Resources))
        for item in opened.objects:
            if isinstance(item, pikepdf.Stream) and item.get("/Subtype") == "/Form" and "/Resources" in item:
                item.write(_cut(item, item.Resources))
        out = io.BytesIO()
        opened.save(out)
        return out.getvalue()


def _cut(holder: Any, resources: Any) -> bytes:
    fonts = resources.get("/Font", {})
    size = 1
    found: list[Any] = []
    for operands, operator in pikepdf.parse_content_stream(holder):
        if str(operator) == "Tf":
            size = CODE_BYTES.get(str(fonts[str(operands[0])].Subtype), 1)
        if str(operator) == "Tj":
            codes = bytes(operands[0])
            found += [([pikepdf.String(codes[k : k + size])], operator) for k in range(0, len(codes), size)]
        else:
            found.append((operands, operator))
    return pikepdf.unparse_content_stream(found)
