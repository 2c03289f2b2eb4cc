"""What a question has one compare or compute, done again from the words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import permutations

from synth.ask.judge.grid import Grid, GridRow
from synth.ask.judge.page import Pages, Piece, tight
from synth.ask.judge.question import Asked, alike, content, limit
from synth.ask.judge.shape import amount, shape
from synth.ask.judge.terms import Scorer, Term

Column = list[tuple[GridRow, Piece, Decimal]]
_NAMED = 0.74


@dataclass(frozen=True)
class Found:
    """Whether a computation bears an answer out: True, False, or None where the words do not tell. `missing` rows."""

    holds: bool | None
    why: str = ""
    missing: bool = False


class Computer:
    """Recomputes over the tables and labelled numbers of the pages."""

    def __init__(self, asked: Asked, pages: Pages, scorer: Scorer, grids: Sequence[Grid]) -> None:
        self.asked, self.pages, self.scorer, self.grids = asked, pages, scorer, grids

    # Which numbers are meant

    def columns(self) -> list[tuple[Grid, Column]]:
        """Columns whose head the question names, best first; where it names none, all columns, last first."""
        named: list[tuple[float, int, Grid, Column]] = []
        for order, grid in enumerate(self.grids):
            first = min(p.y0 for p in grid.rows[0].pieces)
            for term in self.scorer.terms:
                for key in term.pieces:
                    if term.cover < 0.5 or key.page != grid.page or key.y1 > first + 0.5 * key.height:
                        continue
                    near = key in grid.heads or (first - key.y1) < 4 * key.height
                    column = grid.column(key)
                    if near and len(column) >= max(2, 0.6 * len(grid.rows)):
                        named.append((-term.weight * term.cover, order, grid, column))
        if named:
            best = min(n[0] for n in named)
            return [
                (grid, column) for weight, _, grid, column in sorted(named, key=lambda n: n[:2]) if weight < best / 3
            ]
        return [(grid, column) for grid in self.grids for column in _usual(grid)]

    def named_rows(self, grid: Grid) -> list[GridRow]:
        """Rows that the question names by one of their texts."""
        found: list[tuple[int, int, GridRow]] = []
        if ordinals := self.asked.ordinals:
            return [row for n in ordinals for row in grid.rows if tight(row.pieces[0].text).strip(".") == n]
        for order, row in enumerate(grid.rows):
            whole = "".join(tight(p.text) for p in row.names())
            quoted = [self.asked.tight.find(tight(q)) for q in self.asked.quoted if tight(q) in row.text()]
            if quoted and any(len(q) > 2 for q in self.asked.quoted):
                found.append((min(quoted), order, row))
                continue
            for piece in row.pieces:
                text = tight(piece.text)
                at = self.asked.tight.find(text)
                if amount(piece.text) is None and len(text) > 1 and at >= 0:
                    found.append((at, order, row))
                    break
            else:
                if len(whole) > 3 and whole in self.asked.tight:
                    found.append((self.asked.tight.find(whole), order, row))
                elif self._covered(row) or self._singled_out(row, grid):
                    found.append((10_000 + order, order, row))
        rows = [row for _, _, row in sorted(found, key=lambda f: f[:2])]
        return _without_parts(rows, self.asked.tight)

    def named(self) -> int:
        """How many rows or labels the question names."""
        rows = max((len(self.named_rows(grid)) for grid in self.grids), default=0)
        return max(
            rows, sum(t.cover >= _NAMED and t.weight > 0.3 and bool(self.labelled(t)) for t in self.scorer.terms[:6])
        )

    def in_a_named_row(self, runs: Sequence[Sequence[int]]) -> bool:
        """Whether words lie in the one row that the question names."""
        for grid in self.grids:
            rows = self.named_rows(grid)
            if len(rows) == 1 and any(set(run) & rows[0].words for run in runs):
                return True
        return False

    def named_in_full(self, row: GridRow) -> bool:
        """Whether the question holds a whole text of a row, or what it quotes is one."""
        texts = [tight(p.text) for p in row.names()]
        return any(len(t) > 3 and t in self.asked.tight for t in texts)

    def _covered(self, row: GridRow) -> bool:
        ids = {p.id for p in row.names()}
        return any(t.cover >= _NAMED and t.weight > 0.25 and ids & {p.id for p in t.pieces} for t in self.scorer.terms)

    def _singled_out(self, row: GridRow, grid: Grid) -> bool:
        """Whether a word of the question stands in this row and in no other of its table, nor in the table's heads."""
        language = self.asked.language
        if language == "zh":
            return False
        heads = [w for head in grid.heads for w in content(head.text, language)]

        def has(r: GridRow, word: str) -> bool:
            return any(alike(word, w, language) for p in r.names() for w in content(p.text, language))

        return any(
            len(word) > 3
            and has(row, word)
            and not any(has(r, word) for r in grid.rows if r is not row)
            and word not in heads
            for word in self.asked.tokens
        )

    def labelled(self, term: Term) -> list[Decimal]:
        """Numbers that stand with a label."""
        found = []
        for kind in ("money", "integer", "code"):
            for run in self.scorer.candidates(kind):
                value = amount("".join(self.pages.words[i].text for i in run))
                if value is not None and self.scorer.relation(term, run) >= 0.5:
                    found.append(value)
        return found

    # Sums and differences

    def arithmetic(self, value: Decimal, operations: Sequence[str]) -> Found:
        """Whether a number is the sum or difference of what the question names."""
        possible = {abs(v) for v in self._possible(operations)}
        if not possible:
            return Found(None)
        return Found(True) if abs(value) in possible else Found(False, "the sum or difference is another")

    def _possible(self, operations: Sequence[str]) -> Iterator[Decimal]:
        span = self.asked.cue("highest") and self.asked.cue("lowest")
        if span:
            for _, column in self.columns():
                values = [v for _, _, v in column]
                for size in range(max(2, len(values) - 1), len(values) + 1):
                    yield max(values[:size]) - min(values[:size])
            return
        pairs = 0
        for grid in self.grids:
            rows = self.named_rows(grid)
            for column in self._columns_of(grid):
                values = [v for row, _, v in column if row in rows]
                if len(values) > 1:
                    pairs += 1
                    yield from _combined(values, operations)
                elif not rows and "sum" in operations and self.asked.cue("every"):
                    yield sum((v for _, _, v in column), Decimal(0))
        if pairs:
            return
        strong = [t for t in self.scorer.terms if t.cover >= _NAMED][:6]
        for a, b in permutations(strong, 2):
            if a.at >= 0 and b.at >= 0 and a.text in b.text:
                continue
            for x in self.labelled(a):
                for y in self.labelled(b):
                    yield from _combined([x, y], operations)

    def _columns_of(self, grid: Grid) -> list[Column]:
        named = [column for g, column in self.columns() if g is grid]
        return named[:2] or grid.columns()

    # Comparisons

    def row_words(self, runs: Sequence[Sequence[int]]) -> frozenset[int]:
        """All words of the table rows that hold one of these runs."""
        rows = [row for grid in self.grids for row in grid.rows if any(set(run) & row.words for run in runs)]
        return frozenset(w for row in rows for w in row.words)

    def extreme(self, run: Sequence[int], side: str) -> Found:
        """Whether words lie in the row with the highest or lowest number."""
        seen = False
        columns = self.columns()
        if not any(set(run) & row.words for grid, _ in columns for row in grid.rows):
            columns = [(g, c) for g in self.grids for c in _usual(g)]
        others = [(g, c) for g, c in columns if not any(set(run) & set(piece.words) for _, piece, _ in c)]
        for grid, column in others or columns:
            if len(column) < 2 or not any(set(run) & row.words for row in grid.rows):
                continue
            seen = True
            pick: Callable[..., Decimal] = max if side == "highest" else min
            best = pick(v for _, _, v in column)
            if any(v == best and set(run) & row.words for row, _, v in column):
                return Found(True)
        return Found(False, f"another row is the {side}") if seen else Found(None)

    def filtered(self, runs: Sequence[Sequence[int]]) -> Found:
        """Whether words are the rows on the asked side of a limit, all of them and no others."""
        asked = limit(self.asked)
        if asked is None:
            return Found(None)
        side, text = asked
        bound = amount(text)
        first: Found | None = None
        for grid, column in self.columns():
            rows = [next((r for r in grid.rows if set(run) & r.words), None) for run in runs]
            if bound is None or not any(rows):
                continue
            wanted = [row for row, _, v in column if (v > bound if side == "above" else v < bound)]
            missing = [row for row in wanted if row not in rows]
            wrong = [row for row in rows if row not in wanted]
            if not missing and not wrong:
                return Found(True)
            found = Found(False, "a row fits that is not named" if not wrong else "a row does not fit", not wrong)
            first = first or found
        return first or Found(None)

    def counted(self, value: Decimal) -> Found:
        """Whether a number is how many rows there are, or how many on the asked side of a limit."""
        asked, seen = limit(self.asked), False
        for grid, column in self.columns():
            seen = True
            if asked:
                bound = amount(asked[1]) or Decimal(0)
                count = sum((v > bound if asked[0] == "above" else v < bound) for _, _, v in column)
            else:
                count = len(grid.rows)
            if count == value:
                return Found(True)
            if self.scorer.terms and asked:
                break
        return Found(False, "there are more or fewer") if seen else Found(None)

    def complete(self, runs: Sequence[Sequence[int]]) -> Found:
        """Whether a list leaves out no row of its table."""
        for grid in self.grids:
            rows = [next((r for r in grid.rows if set(run) & r.words), None) for run in runs]
            if all(rows) and (len({id(r) for r in rows}) > 1 or (len(rows) == 1 and grid.heads)):
                return Found(len(set(map(id, rows))) == len(grid.rows), "a row of the table is left out", True)
        return self._aligned(runs)

    def _aligned(self, runs: Sequence[Sequence[int]]) -> Found:
        """The same for lists without numbers: texts that stand in line with the answers, right below or between."""
        pieces = [self.pages.piece_of[run[0]] for run in runs]
        first, last = min(pieces, key=lambda p: (p.page, p.y0)), max(pieces, key=lambda p: (p.page, p.y0))
        if len(pieces) < 2 or first.page != last.page or abs(first.x0 - last.x0) > first.height:
            return Found(None)
        pitch = max(1.0, (last.y0 - first.y0) / max(1, len({p.row for p in pieces}) - 1))
        size = len(self.pages.rows[last.row])
        answered = {p.row for p in pieces}
        for row in self.pages.rows:
            for p in row:
                inside = p.page == first.page and first.y0 < p.y0 <= last.y0 + 1.3 * pitch
                if inside and abs(p.x0 - first.x0) < 0.5 * p.height and p.row not in answered and len(row) == size > 1:
                    return Found(False, "a row of the list is left out", True)
        return Found(True)


def _usual(grid: Grid) -> list[Column]:
    """Columns that may be meant where none is named: the last one of amounts, or any where there are none."""
    columns = list(reversed(grid.columns()))
    money = [c for c in columns if all(shape(piece.text) == "money" for _, piece, _ in c)]
    return money[:1] or columns


def _combined(values: Sequence[Decimal], operations: Sequence[str]) -> Iterator[Decimal]:
    if "sum" in operations:
        yield sum(values, Decimal(0))
    if "difference" in operations:
        for a, b in permutations(values[:4], 2):
            yield a - b


def _without_parts(rows: list[GridRow], question: str) -> list[GridRow]:
    """Rows whose name is not only a part of another named row's."""
    names = {
        id(r): max((tight(p.text) for p in r.names() if tight(p.text) in question), key=len, default="") for r in rows
    }
    return [
        r
        for r in rows
        if not any(names[id(r)] != n and names[id(r)] in n and names[id(r)] for n in names.values())
        or question.count(names[id(r)]) > sum(names[id(r)] in n for n in names.values()) - 1
    ]
