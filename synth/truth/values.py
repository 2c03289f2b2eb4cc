"""The values of a document's schema, and where they stand on the page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from schemas.errors import SampleError
from synth.render.raw import Snapshot

_UNSEEN = re.compile(r"[\s\u00ad\u200b\u2060\ufeff]+")


def leaves(values: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Path and text of every leaf: `a.b`, `items[0].price`. Empty texts are left out: nothing is printed for them."""
    if isinstance(values, dict):
        for key, value in values.items():
            yield from leaves(value, f"{path}.{key}" if path else key)
    elif isinstance(values, list):
        for number, value in enumerate(values):
            yield from leaves(value, f"{path}[{number}]")
    elif str(values).strip():
        yield path, str(values)


def bare(text: str) -> str:
    """Text as values are compared: NFC, without white space and characters that print nothing."""
    return _UNSEEN.sub("", unicodedata.normalize("NFC", text))


def check_values(snapshot: Snapshot, values: dict[str, Any]) -> list[str]:
    """Text of each data-field element's value, in DOM order.

    SampleError "unknown_field" (no such leaf), "wrong_value" (another text is shown), "value_not_found" (a leaf that no
    element shows).
    """
    expected = dict(leaves(values))
    shown = ["" for _ in snapshot.fields]
    for word in snapshot.words:
        if word.field >= 0:
            shown[word.field] += word.text
    found: list[str] = []
    for path, text in zip(snapshot.fields, shown, strict=True):
        if path not in expected:
            if not text:
                found.append("")  # an empty value: its leaf was left out
                continue
            raise SampleError("unknown_field", "truth", f"data-field={path!r} is no leaf of the values")
        if bare(text) != bare(expected[path]):
            raise SampleError("wrong_value", "truth", f"{path}: page shows {text!r}, value is {expected[path]!r}")
        found.append(expected[path])
    lost = sorted(set(expected) - set(snapshot.fields))
    if lost:
        raise SampleError("value_not_found", "truth", f"{len(lost)} values are not on the page: {', '.join(lost[:5])}")
    return found


def key_of(field: int, snapshot: Snapshot, first_word: dict[int, int], first_key_word: dict[int, int]) -> int:
    """The data-key element that labels a data-field element, or -1.

    Same path, or the path of its column (`items[].price`); of several the nearest before the value, else the first.
    """
    path = snapshot.fields[field]
    column = re.sub(r"\[\d+\]", "[]", path)
    for wanted in (path, column):
        found = [k for k, key in enumerate(snapshot.keys) if key == wanted and k in first_key_word]
        if found:
            before = [k for k in found if first_key_word[k] < first_word[field]]
            return max(before, key=lambda k: first_key_word[k]) if before else found[0]
    return -1
