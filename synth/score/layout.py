"""Track `layout`: the blocks of a page. BaFCo's precision, recall, F1 and mean IoU, and COCO's mAP."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from schemas.document import ROLES
from synth.metrics import Mode, bafco
from synth.metrics.detection import greedy_match, ious
from synth.score.answer import Unusable
from synth.score.metric import Metric, f1_of, mean_of
from synth.score.precision import XYWH, AveragePrecision
from synth.score.tally import Part, UnitScore
from synth.score.track import MAX_REPLY, Fault, Kind, Unit
from synth.score.truth import Box, DocumentTruth

MAX_FOUND = 5_000  # boxes of one answer
_COLUMNS = ("gold", "found", "hits_50", "hits_30", "iou", "iou_50", "iou_30")
_TOUCH = 0.1


@dataclass(frozen=True)
class Found:
    """A predicted block: its role, its box (x0, y0, x1, y1) in pixels, its confidence."""

    role: str
    box: Box
    score: float


class Layout:
    """The answer is a list of {"box": [x0, y0, x1, y1], "role": name, "score": number}, ids are page ids."""

    name = "layout"
    title = "Layout"
    headline = "map"
    columns = _COLUMNS

    def metrics(self, mode: Mode) -> tuple[Metric, ...]:
        return (
            f1_of("f1_50", "hits_50", "found", "gold"),
            mean_of("precision_50", "hits_50", "found"),
            mean_of("recall_50", "hits_50", "gold"),
            f1_of("f1_30", "hits_30", "found", "gold"),
            mean_of("precision_30", "hits_30", "found"),
            mean_of("recall_30", "hits_30", "gold"),
            mean_of("mean_iou", "iou", "found"),
            mean_of("mean_iou_50", "iou_50", "hits_50"),
            mean_of("mean_iou_30", "iou_30", "hits_30"),
        )

    def units(self, document: DocumentTruth) -> Iterator[Unit]:
        for page in document.pages:
            yield Unit(page.id, document, page, page.placed, wanted=bool(page.placed))

    def reply(self, text: str) -> Any:
        if len(text) > MAX_REPLY:
            raise Unusable(f"the reply is longer than {MAX_REPLY} characters")
        found = bafco.parse_reply(text)
        if not found and "[]" not in text:
            raise Unusable("no JSON in the reply")
        return found

    def read(self, payload: Any) -> list[Found] | None:
        if not isinstance(payload, list):
            raise Unusable("no list of boxes")
        if len(payload) > MAX_FOUND:
            raise Unusable(f"more than {MAX_FOUND} boxes")
        return [_found(item, at) for at, item in enumerate(payload)] or None

    def oracle(self, unit: Unit) -> Any:
        return [{"box": list(part.box), "role": part.role, "score": 1.0} for part in unit.truth]

    def score(self, unit: Unit, value: list[Found] | None, mode: Mode) -> UnitScore:
        parts = []
        for name, gold, found, _ in _by_role(unit, value):
            overlaps = ious(found, gold)
            row = [float(len(gold)), float(len(found)), 0.0, 0.0, 0.0, 0.0, 0.0]
            for column, threshold in ((2, 0.5), (3, 0.3)):
                taken = greedy_match(overlaps, threshold)
                matched = [float(overlaps[at, to]) for at, to in enumerate(taken) if to >= 0]
                row[column], row[column + 3] = float(len(matched)), sum(matched)
                if threshold == 0.5:
                    free = [to for to in range(len(gold)) if to not in taken]
                    rest = [float(overlaps[at, free].max(initial=0.0)) for at, to in enumerate(taken) if to < 0]
                    row[4] = sum(matched) + sum(rest)
            parts.append(Part("class", name, tuple(row)))
        sums = tuple(sum(part.sums[at] for part in parts) for at in range(len(_COLUMNS)))
        return UnitScore(sums, tuple(parts))

    def collect(self, into: AveragePrecision, document: int, unit: Unit, value: list[Found] | None) -> None:
        """Add a page to the average precision."""
        for name, gold, found, scores in _by_role(unit, value):
            into.add(document, unit.id, name, gold, found, scores)

    def faults(self, unit: Unit, value: list[Found] | None, mode: Mode) -> Iterator[Fault]:
        """interpretation: a box of another role; layout: a box of the role that does not fit (IoU under 0.5), a piece
        of a block, a second box; omission: a block that no box comes near (IoU under 0.1); hallucination: a box of
        which less than half lies on blocks."""
        gold, found = list(unit.truth), list(value or [])
        overlaps = ious([_xywh(item.box) for item in found], [_xywh(part.box) for part in gold])
        claimed: set[int] = set()
        for at, part in enumerate(gold):
            column = overlaps[:, at] if len(found) else np.empty(0)
            same = [
                k for k in range(len(found)) if found[k].role == part.role and column[k] >= 0.5 and k not in claimed
            ]
            if same:
                claimed.add(max(same, key=lambda k: column[k]))
                continue
            best = int(column.argmax()) if len(column) else -1
            if best < 0 or column[best] < _TOUCH:
                yield _fault("omission", unit, part.role, "", (part.box,), ())
                continue
            other = found[best]
            kind: Kind = "interpretation" if column[best] >= 0.5 and other.role != part.role else "layout"
            claimed.add(best)
            said = f"{other.role}, IoU {column[best]:.2f}"
            yield _fault(kind, unit, part.role, said, (part.box,), (other.box,))
        for k, item in enumerate(found):
            if k not in claimed:
                covered = sum(_common(item.box, part.box) for part in gold) >= 0.5 * _area(item.box)
                yield _fault("layout" if covered else "hallucination", unit, "", item.role, (), (item.box,))


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _common(one: Box, two: Box) -> float:
    across, down = min(one[2], two[2]) - max(one[0], two[0]), min(one[3], two[3]) - max(one[1], two[1])
    return max(0.0, across) * max(0.0, down)


def _fault(kind: Kind, unit: Unit, truth: str, said: str, one: tuple[Box, ...], two: tuple[Box, ...]) -> Fault:
    return Fault(kind, truth or said, truth, said, unit.id, one, two)


def _found(item: Any, at: int) -> Found:
    if not isinstance(item, dict):
        raise Unusable(f"box {at} is no object")
    box, role, score = item.get("box"), item.get("role"), item.get("score", 1.0)
    if not isinstance(box, list) or len(box) != 4 or not all(_number(value) for value in box):
        raise Unusable(f"box {at} has no box of four numbers")
    if not isinstance(role, str) or role not in ROLES:
        raise Unusable(f"box {at} has no role, or an unknown one; the roles are {', '.join(ROLES)}")
    if not _number(score):
        raise Unusable(f"box {at}: its score is no number")
    if box[2] < box[0] or box[3] < box[1]:
        raise Unusable(f"box {at} ends before it begins: give [x0, y0, x1, y1]")
    return Found(role, tuple(map(float, box)), float(score))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and abs(value) < 1e9


def _xywh(box: Box) -> XYWH:
    return box[0], box[1], box[2] - box[0], box[3] - box[1]


def _by_role(unit: Unit, value: list[Found] | None) -> Iterator[tuple[str, list[XYWH], list[XYWH], list[float]]]:
    """(role, gold boxes, found boxes by falling score, their scores)."""
    gold: dict[str, list[XYWH]] = defaultdict(list)
    found: dict[str, list[tuple[XYWH, float]]] = defaultdict(list)
    for part in unit.truth:
        gold[part.role].append(_xywh(part.box))
    for item in sorted(value or [], key=lambda item: -item.score):
        found[item.role].append((_xywh(item.box), item.score))
    for name in sorted({*gold, *found}):
        yield name, gold.get(name, []), [box for box, _ in found.get(name, [])], [s for _, s in found.get(name, [])]
