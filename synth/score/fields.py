"""Nested values as (path, text) leaves, and what kind of mistake a wrong value is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from rapidfuzz import fuzz

from synth.metrics import unikie
from synth.metrics.text import similarity
from synth.score.track import Kind

ALIKE = 0.5  # a wrong value at least this similar to the truth was misread (the threshold of ANLS)
ELSEWHERE = 85.0  # a value this similar (0 to 100) to a stretch of the page is that stretch, misread
_POSITION = re.compile(r"\[\d+\]")
_HAN = re.compile(r"[㐀-鿿]")


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, text) of every leaf, paths like `items[0].price`; null is "", other scalars are their JSON text."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield from leaves(child, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for at, child in enumerate(value):
            yield from leaves(child, f"{path}[{at}]")
    else:
        yield path, text_of(value)


def text_of(value: Any) -> str:
    """A scalar as text: null is "", a number or a boolean its JSON text."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value)


def class_of(path: str) -> str:
    """A path without list positions, as UniKIE's evaluator names a field: `items[0].price` is `items.price`."""
    return _POSITION.sub("", path)


def normal(text: str) -> str:
    """Text as it is compared here: UniKIE's strict rules, and any case."""
    return _value(text) if len(text) <= 200 else _page(text)


@lru_cache(maxsize=50_000)
def _value(text: str) -> str:
    return unikie.normalize(text, "strict").casefold()


@lru_cache(maxsize=8)  # a document's text is asked for again with each of its questions
def _page(text: str) -> str:
    return unikie.normalize(text, "strict").casefold()


def kind_of(predicted: str, truth: str, path: str, classes: Mapping[str, set[str]], page: str) -> Kind:
    """Why a predicted value is wrong (UniKIE-Bench, section 5.3, as rules). Asked in this order:

    omission: nothing is predicted. interpretation: it is the value of a field of another class. layout: it is the
    value of the same field in another row, or stands on the page word for word, or holds or is held by the truth (cut
    wrongly). perception: it resembles the truth (similarity of at least `ALIKE`). layout: it resembles another stretch
    of the page. hallucination: nothing of the kind is on the page.

    `classes` are the classes of each true value (both normalized), `page` the normalized text of the document.
    """
    said, wanted = normal(predicted), normal(truth)
    if not said:
        return "omission"
    owners = classes.get(said, set())
    if owners - {class_of(path)}:
        return "interpretation"
    if owners or stands_on(said, page) or _part_of(said, wanted) or _part_of(wanted, said):
        return "layout"
    if wanted and similarity(said, wanted) >= ALIKE:
        return "perception"
    if len(said) >= 4 and fuzz.partial_ratio(said, page, score_cutoff=ELSEWHERE) >= ELSEWHERE:
        return "layout"
    return "hallucination"


def stands_on(said: str, page: str) -> bool:
    """Whether a text stands on a page as whole words and numbers; a Han text of two characters and more anywhere."""
    if said not in page:
        return False
    if _HAN.search(said):
        return len(said) > 1
    before = r"(?<!\w)(?<!\d[.,])" if re.match(r"\w", said) else ""
    after = r"(?!\w)(?![.,]\d)" if re.search(r"\w$", said) else ""
    return re.search(before + re.escape(said) + after, page) is not None


def _part_of(part: str, whole: str) -> bool:
    return len(part) >= 2 and stands_on(part, whole)
