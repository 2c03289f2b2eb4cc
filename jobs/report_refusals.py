"""Who is refused: tries by template, font, script and length of the text, so that a bias of what is left is seen."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from jobs.marks import Row

LENGTHS = (200, 500, 1000, 2000, 5000)  # characters; where a class begins


@dataclass(frozen=True)
class Refused:
    """One template, font, script or length. `accepted` is None where it is not known of accepted documents.

    `by_font`: refused since a font cannot draw its text; `otherwise`: for any other reason.
    """

    name: str
    accepted: int | None
    by_font: int
    otherwise: int

    @property
    def share(self) -> float | None:
        """Of its tries, those that were refused."""
        refused = self.by_font + self.otherwise
        return None if self.accepted is None else refused / max(1, refused + self.accepted)


def refusals(documents: Sequence[Row], rejected: Sequence[Row]) -> dict[str, list[Refused]]:
    """Tables by what they count, those with a refusal in them. Rows in order of their share, then of their name."""
    found = {
        "Template": _table(documents, rejected, lambda row: [row["family"] or ""]),
        "Length of the text": _table(documents, rejected, lambda row: [length_class(row["characters"])], by_size=True),
        "Font": _table(documents, rejected, lambda row: row["fonts"] if "fonts" in row else [row["font"] or ""]),
        "Script": _table(None, rejected, lambda row: [row["script"] or ""]),
    }
    return {name: rows for name, rows in found.items() if any(row.by_font + row.otherwise for row in rows)}


def length_class(characters: int | None) -> str:
    """Such as `500 to 999`; empty if nothing was written."""
    if characters is None:
        return ""
    at = bisect(LENGTHS, characters)
    if at == len(LENGTHS):
        return f"{LENGTHS[-1]} and more"
    return f"{LENGTHS[at - 1] if at else 0} to {LENGTHS[at] - 1}"


def _table(
    documents: Sequence[Row] | None,
    rejected: Sequence[Row],
    names: Callable[[Row], Iterable[str]],
    by_size: bool = False,
) -> list[Refused]:
    accepted = Counter(name for row in documents or () for name in names(row))
    fonts: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for row in rejected:
        (fonts if row["font"] else others).update(names(row))
    rows = [
        Refused(name, None if documents is None else accepted[name], fonts[name], others[name])
        for name in sorted(accepted | fonts | others)
        if name
    ]
    if by_size:
        return sorted(rows, key=lambda row: int(row.name.split()[0]))
    return sorted(rows, key=lambda row: -(row.share or 0.0))
