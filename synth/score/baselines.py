"""Answers that need no model: truth itself, other documents' answers at random, and the commonest answer.

They bound every track: the oracle is its ceiling, random and majority its floors.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Literal, TypeVar

from synth.score.fields import class_of, leaves
from synth.score.track import Track, Unit
from synth.score.truth import DocumentTruth, TextPart, table_html

Kind = Literal["oracle", "random", "majority"]
T = TypeVar("T")
POOL = 2_000  # things kept of one sort, the first that come


@dataclass
class Pools:
    """What the release's documents hold, to answer other documents with. Each thing remembers its document."""

    values: dict[tuple[str, ...], list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    rows: dict[tuple[str, ...], list[tuple[str, int]]] = field(default_factory=lambda: defaultdict(list))
    pages: dict[str, list[tuple[str, tuple[TextPart, ...]]]] = field(default_factory=lambda: defaultdict(list))
    texts: dict[tuple[str, ...], list[tuple[str, tuple[str, ...]]]] = field(default_factory=lambda: defaultdict(list))
    tables: dict[str, list[tuple[str, tuple[str, ...]]]] = field(default_factory=lambda: defaultdict(list))
    answers: dict[str, list[tuple[str, tuple[str, ...]]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, document: DocumentTruth) -> None:
        """Remember what a document holds."""
        kind = document.type, document.language
        for path, text in leaves(document.values):
            _keep(self.values[(*kind, class_of(path))], document, text)
        for path, number in _lists(document.values):
            _keep(self.rows[(*kind, class_of(path))], document, number)
        for page in document.pages:
            _keep(self.pages[document.type], document, page.placed)
            _keep(self.texts[kind], document, tuple(line.text for line in page.lines))
            _keep(self.tables[document.type], document, tuple(table_html(table.cells) for table in page.tables))
        for question in document.questions:
            _keep(self.answers[question.kind], document, question.answers)


def predicted(kind: Kind, track: Track, unit: Unit, pools: Pools, seed: int) -> Any:
    """The payload of a baseline's prediction; None where it has nothing to say. The same seed, the same answer."""
    if kind == "oracle":
        return track.oracle(unit)
    rng = random.Random(f"{seed} {kind} {track.name} {unit.id}")
    return _ANSWERS[track.name](kind, unit, pools, rng)


def _keep(pool: list[tuple[str, T]], document: DocumentTruth, thing: T) -> None:
    if len(pool) < POOL:
        pool.append((document.id, thing))


def _lists(value: Any, path: str = "") -> list[tuple[str, int]]:
    if isinstance(value, dict):
        return [item for key, child in value.items() for item in _lists(child, f"{path}.{key}" if path else key)]
    if isinstance(value, list):
        return [(path, len(value)), *(item for child in value for item in _lists(child, path))]
    return []


def _pick(kind: Kind, pool: Sequence[tuple[str, T]], unit: Unit, rng: random.Random) -> T | None:
    """One of another document's things at random, or the commonest of all (of equally common ones the first)."""
    if kind == "majority":
        common = Counter(thing for _, thing in pool).most_common(1)
        return common[0][0] if common else None
    others = [thing for name, thing in pool if name != unit.document.id]
    return rng.choice(others) if others else None


def _kie(kind: Kind, unit: Unit, pools: Pools, rng: random.Random) -> Any:
    return _filled(unit.document.schema, "", kind, unit, pools, rng)


def _filled(schema: dict[str, Any], path: str, kind: Kind, unit: Unit, pools: Pools, rng: random.Random) -> Any:
    """An instance of the document's schema; it says which fields there are, not how many rows."""
    about = unit.document.type, unit.document.language
    if schema.get("type") == "object":
        filled = {
            name: _filled(child, f"{path}.{name}" if path else name, kind, unit, pools, rng)
            for name, child in schema.get("properties", {}).items()
        }
        return {name: value for name, value in filled.items() if value not in (None, {}, [])}
    if schema.get("type") == "array":
        number = _pick(kind, pools.rows.get((*about, path), []), unit, rng) or 0
        return [_filled(schema.get("items", {}), path, kind, unit, pools, rng) for _ in range(number)]
    return _pick(kind, pools.values.get((*about, path), []), unit, rng)


def _layout(kind: Kind, unit: Unit, pools: Pools, rng: random.Random) -> Any:
    """Random: as many blocks as another page has, each from any page. Majority: of each role that most pages have, one
    in the middle of where it lies."""
    pool = pools.pages[unit.document.type]
    if kind == "random":
        others = [parts for name, parts in pool if name != unit.document.id and parts]
        if not others:
            return None
        blocks = [rng.choice(rng.choice(others)) for _ in rng.choice(others)]
        return [{"box": list(block.box), "role": block.role, "score": round(rng.random(), 6)} for block in blocks]
    present = Counter(role for _, parts in pool for role in {part.role for part in parts})
    roles = [role for role, number in sorted(present.items()) if number > len(pool) / 2]
    boxes = {role: [part.box for _, parts in pool for part in parts if part.role == role] for role in roles}
    return [
        {
            "box": [median(box[k] for box in boxes[role]) for k in range(4)],
            "role": role,
            "score": present[role] / len(pool),
        }
        for role in roles
    ]


def _order(kind: Kind, unit: Unit, pools: Pools, rng: random.Random) -> Any:
    """Random: any order. Majority: from top to bottom, then from left to right."""
    parts = list(unit.truth)
    if kind == "random":
        rng.shuffle(parts)
    else:
        parts.sort(key=lambda part: (part.box[1], part.box[0], part.id))
    return [part.id for part in parts]


def _text(kind: Kind, unit: Unit, pools: Pools, rng: random.Random) -> Any:
    """Random: another page. Majority: the commonest lines, as many as the middle page has."""
    pool = pools.texts[unit.document.type, unit.document.language]
    if kind == "random":
        return "\n".join(_pick(kind, pool, unit, rng) or ())
    number = int(median(len(lines) for _, lines in pool)) if pool else 0
    common = Counter(line for _, lines in pool for line in dict.fromkeys(lines)).most_common(number)
    return "\n".join(line for line, _ in common)


def _tables(kind: Kind, unit: Unit, pools: Pools, rng: random.Random) -> Any:
    """Random: another page's tables. Majority: as many tables as pages of the type mostly have, each the commonest."""
    pool = pools.tables[unit.document.type]
    if kind == "random":
        return list(_pick(kind, pool, unit, rng) or ())
    number = Counter(len(tables) for _, tables in pool).most_common(1)[0][0] if pool else 0
    common = Counter(table for _, tables in pool for table in tables).most_common(1)
    return [common[0][0]] * number if common else []


def _answers(kind: Kind, unit: Unit, pools: Pools, rng: random.Random) -> Any:
    found = list(_pick(kind, pools.answers[unit.truth.kind], unit, rng) or ())
    return found[0] if len(found) == 1 else found


_ANSWERS: dict[str, Callable[[Kind, Unit, Pools, random.Random], Any]] = {
    "kie": _kie,
    "layout": _layout,
    "line_order": _order,
    "block_order": _order,
    "text": _text,
    "table": _tables,
    "qa": _answers,
}
