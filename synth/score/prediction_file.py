"""Reading a file of predictions: every line is checked once and only its place is kept, so memory does not grow.

What is a mistake and what is only counted depends on the mode; docs/evaluate.md has the table.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, get_args

from pydantic import ValidationError

from schemas.errors import UserError
from synth.metrics import Mode
from synth.score.answer import Prediction, TrackName

MAX_LINE = 16 << 20  # bytes
_FORMAT = 'give one JSON object a line, like {"track": "kie", "id": "test-00000000", "prediction": {...}}'


@dataclass
class PredictionFile:
    """Where each (track, id) stands in a file. `skipped` counts lines that compat mode leaves out, by reason."""

    path: Path
    places: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    _file: BinaryIO | None = None

    @property
    def tracks(self) -> list[str]:
        """Tracks that have a line, in the order of the format."""
        found = {track for track, _ in self.places}
        return [name for name in get_args(TrackName) if name in found]

    def ids(self, track: str) -> Iterator[str]:
        return (name for one, name in self.places if one == track)

    def get(self, track: str, name: str) -> Prediction | None:
        """The line of (track, id), read again from the file."""
        place = self.places.get((track, name))
        if place is None:
            return None
        try:
            if self._file is None:
                self._file = self.path.open("rb")
            self._file.seek(place[0])
            row = _object(self._file.readline(MAX_LINE + 2).removeprefix(b"\xef\xbb\xbf"))
            return Prediction.model_construct(**row)  # it was checked when it was indexed
        except (OSError, ValueError) as error:
            raise UserError("changed while it was read", f"{self.path}:{place[1]}", "score a finished file") from error

    def line_of(self, track: str, name: str) -> int:
        return self.places[track, name][1]

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def open_predictions(path: Path, mode: Mode, only: Collection[str] = ()) -> PredictionFile:
    """Check every line and index it. `only`: lines of other tracks are not indexed.

    UserError with file and line for what cannot be read as predictions. In compat mode a line that is no JSON object is
    skipped and of two lines for one id the later counts, as UniKIE-Bench's code does; both are counted.
    """
    found = PredictionFile(path)
    try:
        if path.is_dir():
            raise UserError("is a folder", str(path), "name the prediction file in it")
        if path.exists() and not path.is_file():  # it is read twice, which a pipe cannot be
            raise UserError("is no regular file", str(path), "write the predictions to a file first")
        with path.open("rb") as file:
            lines = _index(found, file, mode, only)
    except FileNotFoundError:
        raise UserError("no such prediction file", str(path), "make one with `pageloom baseline`") from None
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", str(path), "name a file you may read") from None
    if not lines:
        raise UserError("holds no prediction", str(path), _FORMAT)
    return found


def _index(found: PredictionFile, file: BinaryIO, mode: Mode, only: Collection[str]) -> int:
    offset, number, lines = 0, 0, 0
    while raw := file.readline(MAX_LINE + 1):
        number += 1
        where = f"{found.path}:{number}"
        if len(raw) > MAX_LINE:
            size = f"longer than {MAX_LINE >> 20} MiB"
            raise UserError(f"the line is {size}, which no prediction is", where, "end each line with a line break")
        start, offset = offset, offset + len(raw)
        text = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
        if not text.strip():
            continue
        lines += 1
        try:
            row = _object(text)
        except UnicodeDecodeError as error:
            raise UserError(f"is not UTF-8 (byte {error.start} of the line)", where, "save it as UTF-8") from None
        except (ValueError, RecursionError) as error:
            if mode == "compat":
                found.skipped["broken lines"] += 1
                continue
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise UserError(f"is not a JSON object: {reason[:150]}", where, "mend or remove the line") from None
        prediction = _checked(row, where)
        if only and prediction.track not in only:
            continue
        key = prediction.track, prediction.id
        if key in found.places:
            if mode == "strict":
                first = found.places[key][1]
                what = (
                    f"a second {prediction.track} prediction for {prediction.id[:80]!r}; the first is in line {first}"
                )
                raise UserError(what, where, "keep one, or score with --mode compat, where the last one counts")
            found.skipped["duplicates"] += 1
        found.places[key] = start, number
    return lines


def _object(raw: bytes) -> dict[str, Any]:
    text = raw.decode("utf-8")
    row = json.loads(text, parse_constant=_no_number)
    if not isinstance(row, dict):
        raise ValueError(f"it is {type(row).__name__}")
    return _whole(row) if "\\u" in text else row


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _whole(value: Any) -> Any:
    """The value with half surrogate pairs, which no text can hold, replaced."""
    if isinstance(value, str):
        with suppress(UnicodeEncodeError):
            value.encode()
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_whole(key): _whole(child) for key, child in value.items()}
    return [_whole(child) for child in value] if isinstance(value, list) else value


def _checked(row: dict[str, Any], where: str) -> Prediction:
    try:
        return Prediction.model_validate(row)
    except ValidationError as error:
        first = min(error.errors(), key=lambda one: one["type"] == "missing")
    name = str(first["loc"][0]) if first["loc"] else ""
    given = repr(row.get(name))
    given = given if len(given) <= 40 else given[:37] + "..."
    known = list(Prediction.model_fields)
    if first["type"] == "extra_forbidden":
        close = get_close_matches(name, known, 1)
        raise UserError(
            f"unknown key {name[:60]!r}", where, f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"
        )
    if first["type"] == "missing":
        raise UserError(f"the key {name!r} is missing", where, _FORMAT)
    if name == "track":
        raise UserError(f"unknown track {given}", where, f"the tracks are {', '.join(get_args(TrackName))}")
    if name == "version":
        raise UserError(f"version {given} of the format is not known", where, "this Pageloom reads version 1")
    if not name:
        raise UserError(first["msg"].removeprefix("Value error, "), where, "see docs/evaluate.md")
    raise UserError(f"{name}: {first['msg'].replace('Input should', 'it must')} (got {given})", where, _FORMAT)
