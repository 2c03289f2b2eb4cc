"""A table with what all drafts over it share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.document import Field
from schemas.questions import Answer
from synth.ask.draft import Draft, joined
from synth.ask.facts import Column, Facts, Table

MOST_LISTED = 12  # answers of one question
SHOWN_ROWS = 40


@dataclass(frozen=True)
class Rows:
    """A table of a document, and how its columns and rows are named in a question."""

    facts: Facts
    table: Table

    def label(self, column: Column, slot: str = "label") -> tuple[dict[str, str], frozenset[str]] | None:
        """The slot of a column's label; a usual word where the table has no heads, marked as not printed."""
        if column.label:
            return {slot: column.label}, frozenset()
        return ({slot: f"@{column.leaf}"}, frozenset({slot})) if column.leaf in ("amount",) else None

    def name(self, row: int) -> str:
        prefix = "#" if self.table.names.leaf == "instalment" else ""
        return f"{prefix}{cell_of(self.table.names, row).value}"

    def draft(
        self,
        kind: str,
        operation: str,
        wording: str,
        columns: Mapping[str, Column],
        answers: tuple[Answer, ...],
        evidence: tuple[int, ...],
        difficulty: int,
        program: Mapping[str, Any],
        paths: Sequence[str],
        more: Mapping[str, str] | None = None,
        specific: bool = False,
    ) -> Draft | None:
        slots: dict[str, str] = {"list": self.table.name, **(more or {})}
        default: frozenset[str] = frozenset()
        for slot, column in columns.items():
            found = self.label(column, slot)
            if found is None:
                return None
            slots |= found[0]
            default |= found[1]
        heads = joined(*(column.head for column in columns.values()))
        full = {"list": self.table.name, **program}
        return Draft(
            kind,
            operation,
            wording,
            slots,
            answers,
            joined(heads, evidence),
            difficulty,
            full,
            frozenset(paths),
            specific,
            default,
        )


def cell_of(column: Column, row: int) -> Field:
    """The field in a row; only for columns that have one in every row."""
    cell = column.cells[row]
    assert cell is not None
    return cell
