"""A document's labels as bytes, for the way between processes of one run. Not a file format.

Plain pickle writes and reads thousands of small objects one by one. Here each attribute of all words is one column and
each kind of coordinates one array, which takes a fraction of the time.
"""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import chain, repeat
from typing import Any

from schemas.geometry import Box, Point, Quad

Column = tuple[str, str, Any]
"""Name of the attribute, kind of its values ("box", "quad" or "any"), the values."""


def pack(groups: Sequence[Sequence[Any]], kinds: Sequence[type[Any]]) -> bytes:
    """Sequences of frozen dataclasses, all of one group of the class in `kinds`, as bytes for `unpack`."""
    return pickle.dumps([_columns(group, kind) for group, kind in zip(groups, kinds, strict=True)], protocol=5)


def unpack(data: bytes, kinds: Sequence[type[Any]]) -> list[tuple[Any, ...]]:
    """What `pack` was given. `data` must be our own: it is unpickled."""
    packed: list[tuple[int, list[Column]]] = pickle.loads(data)
    return [_elements(number, columns, kind) for (number, columns), kind in zip(packed, kinds, strict=True)]


def _columns(elements: Sequence[Any], kind: type[Any]) -> tuple[int, list[Column]]:
    columns: list[Column] = []
    for field in fields(kind):
        values = [getattr(e, field.name) for e in elements]
        if field.type == "Box":
            columns.append((field.name, "box", array("d", chain.from_iterable(values)).tobytes()))
        elif field.type == "Quad":
            flat = chain.from_iterable(chain.from_iterable(values))
            columns.append((field.name, "quad", array("d", flat).tobytes()))
        else:
            columns.append((field.name, "any", values))
    return len(elements), columns


def _elements(number: int, columns: list[Column], kind: type[Any]) -> tuple[Any, ...]:
    names = [name for name, _, _ in columns]
    values = [_READ[form](data) for _, form, data in columns]
    made = tuple(object.__new__(kind) for _ in range(number))
    for element, row in zip(made, zip(*values, strict=True), strict=True):
        element.__dict__.update(zip(names, row))  # noqa: B905  frozen: no attribute can be set one by one
    return made


def _boxes(data: bytes) -> Iterable[Box]:
    four = iter(array("d", data))
    return _tuples(Box, zip(four, four, four, four, strict=True))


def _quads(data: bytes) -> Iterable[Quad]:
    two = iter(array("d", data))
    point = _tuples(Point, zip(two, two, strict=True))
    return _tuples(Quad, zip(point, point, point, point, strict=True))


def _tuples(kind: type[Any], rows: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Named tuples without a call of Python code for each."""
    return map(tuple.__new__, repeat(kind), rows)


_READ = {"box": _boxes, "quad": _quads, "any": iter}
