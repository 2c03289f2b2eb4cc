"""Small PDFs made without a browser."""

from __future__ import annotations

import textwrap

import pymupdf

WIDTH = 46

TEXT = (
    "The committee met in the old town hall and heard the report of its treasurer about the bridge.",
    "Nobody had expected that the costs would rise by a third within the first winter of building.",
    "A second reading of the plan is due in March, when the engineers have measured the river bed.",
)
HTML = "<h1>Bridge</h1>" + "".join(f"<p>{text}</p>" for text in TEXT)


def written(pages: int = 1, turn: int = 0, upright: bool = True) -> bytes:
    """A title and three paragraphs, wrapped; `turn` sets /Rotate, `upright` False draws the text itself turned.

    Of several pages each has the paragraphs with its number, and no title.
    """
    with pymupdf.open() as made:
        for number in range(pages):
            page = made.new_page(width=300, height=400)
            texts = [f"{text} Part {number}." for text in TEXT] if pages > 1 else ["Bridge", *TEXT]
            lines = [line for text in texts for line in (*textwrap.wrap(text, WIDTH), "")]
            if upright:
                page.insert_text((40, 40), lines, fontsize=9)
            else:
                page.insert_text((40, 360), lines, fontsize=9, rotate=90)
            page.set_rotation(turn)
        return made.tobytes()


def pictured() -> bytes:
    """A page that holds a picture of text, like a scan."""
    with pymupdf.open(stream=written(), filetype="pdf") as text, pymupdf.open() as made:
        page = made.new_page(width=300, height=400)
        page.insert_image(page.rect, pixmap=text[0].get_pixmap(dpi=100))
        return made.tobytes()


def unmapped() -> bytes:
    """Text in an embedded subset of a font whose way back to characters is gone."""
    with pymupdf.open() as made:
        page = made.new_page(width=300, height=400)
        page.insert_htmlbox(pymupdf.Rect(20, 20, 280, 380), HTML)
        made.subset_fonts()
        for xref in range(1, made.xref_length()):
            if "/ToUnicode" in made.xref_object(xref):
                made.xref_set_key(xref, "ToUnicode", "null")
        return made.tobytes(garbage=3)


def empty(pages: int = 1) -> bytes:
    with pymupdf.open() as made:
        for _ in range(pages):
            made.new_page(width=300, height=400)
        return made.tobytes()
