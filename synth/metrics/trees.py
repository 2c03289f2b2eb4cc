"""Nested values as flat fields and as trees: what Donut, CC-OCR and UniKIE count over."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import zss
from rapidfuzz.distance import Levenshtein

Field = tuple[str, Any]
LEAF = "<leaf>"
MAX_DEPTH = 100  # levels of a prediction; real ones have fewer than ten


def flatten(value: Any, key: str = "") -> list[Field]:
    """Every scalar of a JSON value with its dotted path; list positions leave no trace in the path."""
    if isinstance(value, dict):
        return [item for name, child in value.items() for item in flatten(child, f"{key}.{name}" if key else name)]
    if isinstance(value, list):
        return [item for child in value for item in flatten(child, key)]
    return [(key, value)]


def canonical(value: Any, drop_falsy: bool) -> Any:
    """Sorted keys (by length, then name) and every scalar as a list with one trimmed string, as Donut prepares values.

    In a list that is not all dicts only strings and numbers that are not blank stay: dicts, lists, null and booleans in
    it are lost. With `drop_falsy` (Donut) null, "", 0 and false vanish; without (CC-OCR, UniKIE) null is the
    text "None".
    """
    if drop_falsy and not value:
        return {}
    if isinstance(value, dict):
        named = ((name, canonical(value[name], drop_falsy)) for name in sorted(value, key=lambda k: (len(k), k)))
        return {name: child if isinstance(child, list) else [child] for name, child in named if child}
    if isinstance(value, list):
        if all(isinstance(item, dict) for item in value):
            return [child for child in (canonical(item, drop_falsy) for item in value) if child]
        return [str(item).strip() for item in value if type(item) in (str, int, float) and str(item).strip()]
    return [str(value).strip()]


def map_strings(value: Any, change: Callable[[str], str], in_lists: bool) -> Any:
    """`value` with `change` applied to its strings; those that stand directly in a list only with `in_lists`."""
    if isinstance(value, dict):
        return {name: map_strings(child, change, in_lists) for name, child in value.items()}
    if isinstance(value, list):
        return [
            map_strings(child, change, in_lists)
            if isinstance(child, dict) or (in_lists and isinstance(child, str))
            else child
            for child in value
        ]
    return change(value) if isinstance(value, str) else value


@dataclass(frozen=True)
class Counts:
    """Fields found, and fields wrong or missed (false positives + false negatives), also by path."""

    hits: int = 0
    misses: int = 0
    by_key: dict[str, tuple[int, int]] = field(default_factory=dict)

    def f1(self, epsilon: float) -> float | None:
        """Hits over hits plus half the misses plus `epsilon`; None when there is nothing to count and no epsilon."""
        return share(self.hits, self.misses, epsilon)


def share(hits: int, misses: int, epsilon: float) -> float | None:
    """F1 from hits and misses (false positives + false negatives); None for 0/0 with no epsilon."""
    below = hits + misses / 2 + epsilon
    return hits / below if below else None


def count_fields(pairs: Iterable[tuple[list[Field], list[Field]]]) -> Counts:
    """Match predicted with gold fields as multisets, document by document. Pairs are (predicted, gold)."""
    hits: Counter[str] = Counter()
    misses: Counter[str] = Counter()
    for predicted, gold in pairs:
        left, found = Counter(gold), Counter(predicted)
        common = left & found
        for (key, _), number in common.items():
            hits[key] += number
        for side in (left - common, found - common):
            for (key, _), number in side.items():
                misses[key] += number
    names = sorted(set(hits) | set(misses))
    by_key = {name: (hits[name], misses[name]) for name in names}
    return Counts(hits.total(), misses.total(), by_key)


def _tree(value: Any, name: str = "<root>") -> zss.Node:
    node = zss.Node(name)
    if isinstance(value, dict):
        for key, child in value.items():
            node.addkid(_tree(child, key))
    elif all(isinstance(item, dict) for item in value):
        for item in value:
            node.addkid(_tree(item, "<subtree>"))
    else:
        for item in value:
            node.addkid(zss.Node(f"{LEAF}{item}"))
    return node


def _weight(node: zss.Node) -> int:
    return len(node.label.replace(LEAF, "")) if LEAF in node.label else 1


def _relabel(one: zss.Node, two: zss.Node) -> int:
    leaves = LEAF in one.label, LEAF in two.label
    if all(leaves):
        return Levenshtein.distance(one.label.replace(LEAF, ""), two.label.replace(LEAF, ""))
    if any(leaves):
        return 1 + _weight(one if leaves[0] else two)
    return int(one.label != two.label)


def _distance(one: zss.Node, two: zss.Node) -> float:
    cost: Any = zss.distance(one, two, zss.Node.get_children, _weight, _weight, _relabel)
    return float(cost)


def tree_accuracy(pred: Any, gold: Any) -> float | None:
    """`max(0, 1 - nTED)` of two `canonical` values: tree edit distance (Zhang-Shasha) over that from an empty tree.

    A leaf weighs its characters, another node 1. None for an empty `gold`, where nTED is 0/0 or x/0.
    Source: Donut, section 3.1, "Evaluation Metrics", and its released code.
    """
    truth = _tree(gold)
    size = _distance(_tree({}), truth)
    if size == 0 or not math.isfinite(size):
        return None
    return max(0.0, 1.0 - _distance(_tree(pred), truth) / size)


def files(pred: Mapping[str, Any], gold: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """(prediction or {}, gold) for every gold document; predictions for unknown documents do not count.

    A prediction nested deeper than `MAX_DEPTH` is taken for {}: it would break every code that walks it.
    """
    pairs = ((pred.get(name, {}), truth) for name, truth in gold.items())
    return [(found if _is_flat_enough(found) else {}, truth) for found, truth in pairs]


def _is_flat_enough(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return True
    return False
