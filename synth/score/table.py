"""Track `table`: the tables of a page as HTML. TEDS, with content and of the structure alone."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist
from scipy.optimize import linear_sum_assignment

from synth.metrics import Mode
from synth.metrics.teds import strict_teds, teds
from synth.score.answer import Unusable, is_refusal, without_thoughts
from synth.score.metric import Metric, mean_of
from synth.score.tally import UnitScore
from synth.score.track import Fault, Unit
from synth.score.truth import DocumentTruth, TableTruth, table_html

MAX_HTML = 500_000  # characters of one table
MAX_TABLES = 50  # of one answer
TOO_LARGE = 10  # a table with more than this many times the cells of the truth, and 100, is not compared: it scores 0
_TABLE = re.compile(r"<table\b.*?</table\s*>", re.DOTALL | re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")


class Table:
    """The answer is a list of HTML tables, one for each table on the page, in any order; ids are page ids.

    A page without a table wants no answer; tables predicted there count against it.
    """

    name = "table"
    title = "Tables"
    headline = "teds"
    columns = ("teds", "structure", "tables")

    def metrics(self, mode: Mode) -> tuple[Metric, ...]:
        return mean_of("teds", "teds", "tables"), mean_of("teds_structure", "structure", "tables")

    def units(self, document: DocumentTruth) -> Iterator[Unit]:
        for page in document.pages:
            yield Unit(page.id, document, page, page.tables, wanted=bool(page.tables))

    def reply(self, text: str) -> Any:
        if is_refusal(text):
            raise Unusable("a refusal")
        answer = without_thoughts(text)
        found = _TABLE.findall(answer)
        if not found and answer:
            raise Unusable("no <table> in the reply")
        return found

    def read(self, payload: Any) -> list[str] | None:
        tables = [payload] if isinstance(payload, str) else payload
        if not isinstance(tables, list) or not all(isinstance(item, str) for item in tables):
            raise Unusable("no list of HTML tables")
        tables = [found for item in tables if item.strip() for found in (_TABLE.findall(item) or [item])]
        if len(tables) > MAX_TABLES or any(len(item) > MAX_HTML for item in tables):
            raise Unusable(f"more than {MAX_TABLES} tables, or one of more than {MAX_HTML} characters")
        if any("<table" not in item.lower() for item in tables):
            raise Unusable("a table without <table>")
        return [_clean(item) for item in tables] or None

    def oracle(self, unit: Unit) -> Any:
        return [table_html(table.cells) for table in unit.truth]

    def score(self, unit: Unit, value: list[str] | None, mode: Mode) -> UnitScore:
        scores = [_scores(truth, said, mode) for truth, said in _paired(unit.truth, value or [])]
        number = max(len(unit.truth), len(value or []))
        return UnitScore((sum(one for one, _ in scores), sum(two for _, two in scores), float(number)))

    def faults(self, unit: Unit, value: list[str] | None, mode: Mode) -> Iterator[Fault]:
        """layout: another structure; perception: the structure is right, a cell's text is not; omission and
        hallucination: a table that is not there, and one that nobody asked for."""
        pairs = _paired(unit.truth, value or [])
        for table, said in pairs:
            if said == table_html(table.cells):
                continue
            content, structure = _scores(table, said, mode)
            if content < 1:
                kind = "layout" if structure < 1 else "perception"
                label = f"TEDS {content:.2f}, structure {structure:.2f}"
                yield Fault(kind, label, _plain(table_html(table.cells)), _plain(said), unit.id, (table.box,))
        matched = {id(table) for table, _ in pairs}
        for table in unit.truth:
            if id(table) not in matched:
                yield Fault("omission", "no table", _plain(table_html(table.cells)), "", unit.id, (table.box,))
        if len(value or []) > len(pairs):
            used = {said for _, said in pairs}
            for said in value or []:
                if said not in used:
                    yield Fault("hallucination", "a table too many", "", _plain(said), unit.id)


def _clean(text: str) -> str:
    """Without characters that XML knows not, which the parser refuses."""
    return "".join(c if c in "\t\n\r" or ord(c) >= 32 else " " for c in text)


def _plain(markup: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", markup)).split())[:400]


def _paired(truth: Sequence[TableTruth], said: Sequence[str]) -> list[tuple[TableTruth, str]]:
    """True with predicted tables, one to one, by the nearest text of their cells."""
    if not truth or not said:
        return []
    if len(truth) == len(said) == 1:
        return [(truth[0], said[0])]
    cost: np.ndarray = cdist(
        [" ".join(cell[5] for cell in table.cells) for table in truth],
        [" ".join(html.unescape(_TAG.sub(" ", item)).split()) for item in said],
        scorer=Levenshtein.normalized_distance,
    )
    pairs: list[tuple[int, int]] = np.column_stack(linear_sum_assignment(cost)).tolist()
    return [(truth[row], said[column]) for row, column in pairs]


def _scores(table: TableTruth, said: str, mode: Mode) -> tuple[float, float]:
    """(TEDS, of the structure). Compat counts as PubTabNet's code does, which never compares the text of heads."""
    gold = table_html(table.cells)
    if gold == said:
        return 1.0, 1.0
    if len(_CELL.findall(said)) > TOO_LARGE * len(table.cells) + 100:
        return 0.0, 0.0
    if mode == "compat":
        one, two = (f"<html><body>{text}</body></html>" for text in (said, gold))
        try:
            return teds(one, two, False), teds(one, two, True)
        except (ValueError, ZeroDivisionError):  # spans that are no numbers, two empty tables
            return 0.0, 0.0
    structure = strict_teds(said, gold, True) or 0.0
    return strict_teds(said, gold) or 0.0, structure
