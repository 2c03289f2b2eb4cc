"""Sums of one track by document, and within documents by class or answer cardinality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from synth.score.bootstrap import Group

Sums = tuple[float, ...]


@dataclass(frozen=True)
class Part:
    """Sums of a part of a unit: those of its fields of one class, say."""

    dimension: str
    group: str
    sums: Sums


@dataclass(frozen=True)
class UnitScore:
    """Sums of one unit in the order of the track's columns, and its parts."""

    sums: Sums
    parts: tuple[Part, ...] = ()


@dataclass
class Tally:
    """What is summed while documents go by. Documents are numbered as they come."""

    columns: tuple[str, ...]
    counts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    _whole: dict[int, list[float]] = field(default_factory=dict)
    _units: Counter[int] = field(default_factory=Counter)
    _parts: dict[tuple[str, str], dict[int, list[float]]] = field(default_factory=dict)

    def add(self, document: int, score: UnitScore) -> None:
        """Add one unit of a document."""
        _add(self._whole, document, score.sums)
        self._units[document] += 1
        for part in score.parts:
            _add(self._parts.setdefault((part.dimension, part.group), {}), document, part.sums)

    @property
    def documents(self) -> list[int]:
        """The documents that have a unit of this track, in order."""
        return sorted(self._whole)

    def units(self, documents: Iterable[int] | None = None) -> int:
        """Number of units, of these documents or of all."""
        return self._units.total() if documents is None else sum(self._units[at] for at in documents)

    def whole(self, documents: Sequence[int] | None = None) -> Group:
        """Sums by document, of these or of all."""
        return _group(self._whole, self.documents if documents is None else documents, len(self.columns))

    def parts(self) -> dict[tuple[str, str], Group]:
        """Sums by document for every (dimension, group) within documents, in order of name."""
        return {
            key: _group(self._parts[key], sorted(self._parts[key]), len(self.columns)) for key in sorted(self._parts)
        }


def _add(into: dict[int, list[float]], document: int, sums: Sums) -> None:
    row = into.get(document)
    if row is None:
        into[document] = list(sums)
    else:
        for at, value in enumerate(sums):
            row[at] += value


def _group(rows: dict[int, list[float]], documents: Sequence[int], columns: int) -> Group:
    return Group(
        np.asarray(documents, dtype=np.int64),
        np.asarray([rows[at] for at in documents], dtype=np.float64).reshape(len(documents), columns),
    )
