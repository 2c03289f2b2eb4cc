"""`pageloom metrics check FILE`: run a file of reference cases against the metrics and say what differs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.errors import UserError
from synth.metrics import SCORER_VERSION, Mode
from synth.metrics.registry import METRICS, outcome

SHOWN = 10
LIMIT = 256 * 2**20  # bytes of a case file


class _Case(BaseModel):
    model_config = ConfigDict(extra="allow")
    id: str
    metric: str
    input: dict[str, Any]
    expected: Any
    params: dict[str, Any] | None = None
    mode: Mode = "strict"


class _Tolerance(BaseModel):
    abs: float = Field(default=1e-6, ge=0, allow_inf_nan=False)


class _Meta(BaseModel):
    model_config = ConfigDict(extra="allow")
    tolerance: _Tolerance = _Tolerance()


class _Cases(BaseModel):
    model_config = ConfigDict(extra="allow")
    meta: _Meta = _Meta()
    vectors: list[_Case] = Field(min_length=1)


@dataclass(frozen=True)
class Difference:
    """Where one case differs: its id, metric and mode, the path in the result, the value wanted and the one found."""

    case: str
    metric: str
    mode: str
    path: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        where = f"{self.case} ({self.mode}){' ' + self.path if self.path else ''}"
        return f"{where}: expected {_short(self.expected)}, found {_short(self.found)}"


@dataclass(frozen=True)
class CheckResult:
    """How many cases hold, and the first difference of each that does not."""

    passed: int
    failed: int
    differences: list[Difference]


def check(path: str | Path) -> CheckResult:
    """Run every case of a file like tests/data/metrics.json, each in its mode; numbers within the file's tolerance.

    UserError when the file cannot be read as such. A metric that is not known is a failed case, not a bad file.
    """
    cases = _read(Path(path))
    differences: list[Difference] = []
    for case in cases.vectors:
        scorer = METRICS.get(case.metric)
        if scorer is None:
            differences.append(Difference(case.id, case.metric, case.mode, "", case.expected, "no such metric"))
            continue
        found = outcome(lambda s=scorer, c=case: s(c.input, c.params or {}, c.mode))
        first = next(_compare(case.expected, _plain(found), cases.meta.tolerance.abs), None)
        if first is not None:
            differences.append(Difference(case.id, case.metric, case.mode, *first))
    return CheckResult(len(cases.vectors) - len(differences), len(differences), differences)


def main(path: str | Path) -> int:
    """Print passed, failed and the first differences; 0: all hold, 1: one fails, 2: a bad file (one line on stderr)."""
    try:
        result = check(path)
    except UserError as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 2
    print(f"metrics {SCORER_VERSION}: {result.passed} passed, {result.failed} failed")
    for difference in result.differences[:SHOWN]:
        print(f"  {difference}")
    if len(result.differences) > SHOWN:
        print(f"  ... and {len(result.differences) - SHOWN} more")
    return 1 if result.failed else 0


def _read(path: Path) -> _Cases:
    fix = "give a JSON file with a list of cases under `vectors`, each with id, metric, input and expected"
    try:
        if path.stat().st_size > LIMIT:
            raise UserError(f"is larger than {LIMIT >> 20} MiB", str(path), fix)
        raw = json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise UserError(f"cannot be read: {fault.strerror or fault}", str(path), fix) from fault
    except (ValueError, RecursionError) as fault:
        raise UserError(f"is not JSON: {fault}", str(path), fix) from fault
    try:
        return _Cases.model_validate(raw)
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        modes = f" (modes: {', '.join(get_args(Mode))})" if where.endswith("mode") else ""
        raise UserError(f"{where}: {first['msg']}{modes}", str(path), fix) from fault


def _plain(value: Any) -> Any:
    """A result as JSON would hold it: tuples as lists, keys as text, NaN as null."""
    if isinstance(value, Mapping):
        return {_key(name): _plain(child) for name, child in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(child) for child in value]
    return None if isinstance(value, float) and value != value else value


def _key(name: Any) -> str:
    return name if isinstance(name, str) else json.dumps(name)


def _compare(expected: Any, found: Any, tolerance: float, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """(path, expected, found) of every place where two JSON values differ; true and 1 differ, 1 and 1.0 do not."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in [*expected, *(name for name in found if name not in expected)]:
            one, two = (side.get(name, _MISSING) for side in (expected, found))
            yield from _compare(one, two, tolerance, f"{path}.{name}" if path else name)
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield path, expected, found
        else:
            for at, (one, two) in enumerate(zip(expected, found, strict=True)):
                yield from _compare(one, two, tolerance, f"{path}[{at}]")
    elif _number(expected) and _number(found):
        if expected != found and not abs(expected - found) <= tolerance:
            yield path, expected, found
    elif type(expected) is not type(found) or expected != found:
        yield path, expected, found


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


_MISSING = _Missing()


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) and value == "no such metric" else None
    if text is None:
        text = repr(value) if isinstance(value, _Missing) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 160 else f"{text[:157]}..."
