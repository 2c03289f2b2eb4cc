"""What a track is: which units it asks for, how an answer is read, and how it is scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from synth.metrics import Mode
from synth.score.answer import Answer, Prediction, Unusable, is_refusal
from synth.score.metric import Metric
from synth.score.tally import UnitScore
from synth.score.truth import Box, DocumentTruth, PageTruth

Kind = Literal["perception", "layout", "interpretation", "hallucination", "omission"]
KINDS: tuple[Kind, ...] = ("perception", "layout", "interpretation", "hallucination", "omission")
MAX_REPLY = 1 << 20  # characters of a reply that is read as JSON


@dataclass(frozen=True)
class Unit:
    """One thing to answer. `wanted`: whether an answer is missed if it is absent (a page without tables wants none)."""

    id: str
    document: DocumentTruth
    page: PageTruth | None
    truth: Any
    wanted: bool = True
    difficulty: str = ""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong in an answer, for error tables and the gallery. Boxes are in pixels of the page."""

    kind: Kind
    label: str
    truth: str
    predicted: str
    page_id: str = ""
    truth_boxes: tuple[Box, ...] = ()
    predicted_boxes: tuple[Box, ...] = ()


class Track(Protocol):
    """A task that predictions are scored on. `columns` name the sums that `metrics` are ratios of."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def headline(self) -> str: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    def metrics(self, mode: Mode) -> tuple[Metric, ...]: ...

    def units(self, document: DocumentTruth) -> Iterator[Unit]:
        """What the track asks for in a document."""
        ...

    def reply(self, text: str) -> Any:
        """The payload in a raw reply; Unusable where there is none."""
        ...

    def read(self, payload: Any) -> Any:
        """An answer in the form that `score` takes, None for an empty one; Unusable for a payload of another form."""
        ...

    def oracle(self, unit: Unit) -> Any:
        """The payload of a perfect prediction."""
        ...

    def score(self, unit: Unit, value: Any | None, mode: Mode) -> UnitScore:
        """Sums of a unit; `value` None for every status but "answered", which scores like no answer at all."""
        ...

    def faults(self, unit: Unit, value: Any | None, mode: Mode) -> Iterable[Fault]:
        """What is wrong, by the kinds of UniKIE-Bench, section 5.3, as far as they can be computed."""
        ...


def answer_of(track: Track, row: Prediction) -> Answer:
    """What became of a line of a prediction file: its status and, where it can be scored, its value."""
    if row.failed is not None:
        return Answer("failed", why=row.failed)
    if row.refused:
        return Answer("refused")
    try:
        payload = row.prediction if row.reply is None else track.reply(row.reply)
        value = None if payload is None else track.read(payload)
    except (Unusable, RecursionError) as error:
        refused = row.reply is not None and is_refusal(row.reply)
        why = str(error) if isinstance(error, Unusable) else "it is nested too deeply"
        return Answer("refused" if refused else "unparsable", why=why)
    if value is None:
        return Answer("empty")
    return Answer("answered", value)


def share(above: float, below: float) -> float:
    """above / below, 0 for 0/0."""
    return above / below if below else 0.0
