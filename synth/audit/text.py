"""What the PDF says each word is, its ActualText honoured, against the DOM."""

from __future__ import annotations

import re
import unicodedata

from synth.audit.objects import TextObject

_UNSEEN = re.compile(r"[\s\u00ad\u200b\u2060\ufeff\ufffe]+")


def normal(text: str) -> str:
    """NFKC (ligatures, widths, presentation forms), without white space, soft hyphens and what prints nothing.

    pdfium says U+0002 for a hyphen at the end of a line.
    """
    return _UNSEEN.sub("", unicodedata.normalize("NFKC", text.replace("\x02", "-")))


def same(dom: str, pdf: str, rtl: bool = False) -> bool:
    """Whether two texts of a word are equal.

    PDFs keep right-to-left text (`rtl`) in the order of painting, so there only the letters are compared.
    """
    a, b = normal(dom), normal(pdf)
    if rtl or any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in a):
        return sorted(a) == sorted(b)
    return a == b


def spoken(objects: list[TextObject]) -> dict[int, str]:
    """Text of each word. A span of ActualText counts once, for the word it begins in; right-to-left runs are turned."""
    parts: dict[int, list[str]] = {}
    runs: dict[int, list[str]] = {}
    last_span = 0

    def close(word: int) -> None:
        parts.setdefault(word, []).extend(reversed(runs.pop(word, [])))

    for o in objects:
        word = o.words[0] if o.words else -1
        fresh = not o.span or o.span != last_span
        last_span = o.span
        if not fresh:
            continue
        if o.reversed:
            runs.setdefault(word, []).append(o.text)
        else:
            close(word)
            parts.setdefault(word, []).append(o.text)
    for word in list(runs):
        close(word)
    return {word: "".join(texts) for word, texts in parts.items()}
