"""Track `kie`: the values of a document. UniKIE's field F1 and faithfulness, BaFCo's scores of values, ANLS*."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Any

from synth.metrics import Mode, bafco, unikie
from synth.metrics.anls_star import anls_star
from synth.metrics.ccocr import EPSILON
from synth.metrics.trees import MAX_DEPTH
from synth.score.answer import Unusable
from synth.score.fields import class_of, kind_of, leaves, normal
from synth.score.metric import Metric, mean_of
from synth.score.tally import Part, UnitScore
from synth.score.track import MAX_REPLY, Fault, Unit
from synth.score.truth import DocumentTruth

MAX_VALUES = 10_000  # leaves of one answer
_COLUMNS = (
    "hits",
    "wrong",
    "values",
    "em",
    "nes",
    "precision",
    "recall",
    "f1",
    "anls",
    "documents",
    "faithful",
    "said",
)


class Kie:
    """The answer is an object like the release's `values` of the document, ids are document ids."""

    name = "kie"
    title = "Key information extraction"
    headline = "field_f1"
    columns = _COLUMNS

    def metrics(self, mode: Mode) -> tuple[Metric, ...]:
        epsilon = EPSILON if mode == "compat" else 0.0
        return (
            Metric("field_f1", {"hits": 1.0}, {"hits": 1.0, "wrong": 0.5}, epsilon),
            mean_of("anls_star", "anls", "documents"),
            mean_of("value_precision", "precision", "values"),
            mean_of("value_recall", "recall", "values"),
            mean_of("value_macro_f1", "f1", "values"),
            mean_of("value_nes", "nes", "values"),
            mean_of("value_em", "em", "values"),
            mean_of("faithfulness", "faithful", "said"),
        )

    def units(self, document: DocumentTruth) -> Iterator[Unit]:
        if next(leaves(document.values), None) is not None:
            yield Unit(document.id, document, None, document.values)

    def reply(self, text: str) -> Any:
        if len(text) > MAX_REPLY:
            raise Unusable(f"the reply is longer than {MAX_REPLY} characters")
        reply = unikie.parse_reply(text)
        if reply.error is not None:
            raise Unusable(f"no JSON in the reply: {reply.error}")
        return reply.value

    def read(self, payload: Any) -> dict[str, Any] | None:
        if not isinstance(payload, dict):
            raise Unusable(f"{_type_of(payload)} where an object of values is wanted")
        _check_depth(payload)
        found = list(islice(leaves(payload), MAX_VALUES + 1))
        if len(found) > MAX_VALUES:
            raise Unusable(f"more than {MAX_VALUES} values")
        return payload if any(text.strip() for _, text in found) else None

    def oracle(self, unit: Unit) -> Any:
        return unit.truth

    def score(self, unit: Unit, value: dict[str, Any] | None, mode: Mode) -> UnitScore:
        found, truth = value or {}, unit.truth
        whole = unikie.field_f1({"": found}, {"": truth}, mode)
        gold, pred = list(leaves(truth)), list(leaves(found))
        rows: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0] * len(_COLUMNS))
        sums = [0.0] * len(_COLUMNS)
        in_list = {class_of(path) for path, _ in (*gold, *pred) if "[" in path}
        for name, counts in whole.per_key.items():
            for row in (rows["class", name], rows["cardinality", "list" if name in in_list else "single"]):
                row[0] += counts["tp"] or 0
                row[1] += counts["fp_plus_fn"] or 0
        sums[0], sums[1] = whole.tp, whole.fp_plus_fn
        for path, said, wanted in _pairs(gold, pred, mode):
            one = bafco.value_score(said, wanted, with_bleu=False)
            added = (1.0, one.em, one.nes, one.cdm_precision, one.cdm_recall, one.cdm_f1)
            for row in (sums, rows["class", class_of(path)], rows["cardinality", "list" if "[" in path else "single"]):
                for at, number in enumerate(added, 2):
                    row[at] += number
        sums[8], sums[9] = (anls_star(truth, found) if value is not None else 0.0), 1.0
        said_values = [text for _, text in pred if unikie.normalize(text)]
        if said_values:
            rate = unikie.faithfulness(said_values, unit.document.text)
            sums[10], sums[11] = (rate or 0.0) * len(said_values), float(len(said_values))
        return UnitScore(tuple(sums), tuple(Part(*key, tuple(row)) for key, row in rows.items()))

    def faults(self, unit: Unit, value: dict[str, Any] | None, mode: Mode) -> Iterator[Fault]:
        gold, pred = dict(leaves(unit.truth)), dict(leaves(value or {}))
        wrong = [path for path in (*gold, *(path for path in pred if path not in gold)) if _differ(gold, pred, path)]
        if not wrong:
            return
        classes: dict[str, set[str]] = defaultdict(set)
        for path, text in gold.items():
            classes[normal(text)].add(class_of(path))
        page = normal(unit.document.text)
        for path in wrong:
            said, wanted = pred.get(path, ""), gold.get(path, "")
            place = unit.document.places.get(path, ())
            on = place[0].page_id if place else unit.document.pages[0].id
            boxes = tuple(spot.box for spot in place if spot.page_id == on)
            yield Fault(kind_of(said, wanted, path, classes, page), path, wanted, said, on, boxes)


def _differ(gold: dict[str, str], pred: dict[str, str], path: str) -> bool:
    one, two = (unikie.normalize(side.get(path, ""), "strict") for side in (gold, pred))
    return one != two


def _pairs(gold: list[tuple[str, str]], pred: list[tuple[str, str]], mode: Mode) -> Iterator[tuple[str, str, str]]:
    """(path, said, wanted). Strict: by path, what is missing or surplus stands against "". Compat: BaFCo's zip."""
    if mode == "compat":
        for (path, wanted), (_, said) in zip(gold, pred, strict=False):
            yield path, said, wanted
        return
    found = dict(pred)
    for path, wanted in gold:
        yield path, found.pop(path, ""), wanted
    for path, said in found.items():
        if said:
            yield path, said, ""


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, dict | list)
        ]
        if not level:
            return
    raise Unusable(f"values are nested deeper than {MAX_DEPTH} levels")


def _type_of(payload: Any) -> str:
    names = {str: "a text", list: "a list", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(payload), type(payload).__name__)
