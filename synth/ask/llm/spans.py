"""Parts of located lines that an answer can be, for models too small to copy: the schema lets them only choose."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.document import Document
from synth.ask.llm.units import Piece

MOST = 60
_LABEL_ENDS = ":：ঃ"


def spans_of(document: Document, pieces: Sequence[Piece]) -> list[str]:
    """Values of the extraction schema in these lines, cells, what follows a label, and short lines as they are."""
    within = {word for piece in pieces for word in piece.words}
    found = [field.value for field in document.fields if within.issuperset(field.words) and field.value.strip()]
    for piece in pieces:
        if len(piece.parts) > 1:
            found += [document.text_of(part) for part in piece.parts]
            continue
        ends = [n for n, word in enumerate(piece.words) if document.words[word].text.rstrip()[-1:] in _LABEL_ENDS]
        if ends and ends[-1] + 1 < len(piece.words):
            found.append(document.text_of(piece.words[ends[-1] + 1 :]))
        elif len(piece.text) <= MOST:
            found.append(piece.text)
    return list(dict.fromkeys(text for text in found if text))[:MOST] or [piece.text for piece in pieces]
