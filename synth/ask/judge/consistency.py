"""Consistency: each answer stands on the page, and nothing there goes better with the question."""

from __future__ import annotations

from collections.abc import Sequence

from synth.ask.judge.case import Case
from synth.ask.judge.page import tight
from synth.ask.judge.shape import shape

# How much better another value of the same kind has to go with the question before it is the right one.
MARGIN = {"text": 0.75}
MARGIN_OTHERS = 0.4


def grounded(case: Case) -> None:
    """Each answer stands on the page, and nothing there goes better with the question."""
    taken = {i for runs in case.runs for run in runs for i in run}
    for answer, runs in zip(case.answers, case.runs, strict=True):
        if not runs:
            case.lower("consistency", 1, f"{answer!r} is not on the page")
            continue
        kind = shape(answer)
        if not _kind_fits(case, kind, answer):
            case.lower("consistency", 2, f"{answer!r} is not the kind of thing asked for")
        _in_named_row(case, runs)
        if len(case.answers) == 1:
            _beside_named_label(case, runs)
        if len(case.answers) == 1 and case.labels_tell() and (text := _better(case, kind, runs, taken)):
            case.lower("consistency", 2, f"{text!r} goes better with the question")
    if len(case.answers) > 1 and all(case.runs) and not case.lists():
        _each_has_its_label(case)


def _in_named_row(case: Case, runs: Sequence[tuple[int, ...]]) -> None:
    """Where one row is named, by its number or its name, the answer lies in it."""
    if not case.asked.ordinals and (len(case.answers) > 1 or case.lists()):
        return
    for grid in case.computer.grids:
        rows = case.computer.named_rows(grid)
        inside = any(set(run) & row.words for row in grid.rows for run in runs)
        plain = case.asked.ordinals or (len(rows) == 1 and case.computer.named_in_full(rows[0]))
        if rows and plain and inside and not any(set(run) & row.words for row in rows for run in runs):
            case.lower("consistency", 2, "it stands in another row")


def _beside_named_label(case: Case, runs: Sequence[tuple[int, ...]]) -> None:
    """Where a label is named in full and has a value of its own, an answer from elsewhere is not that value."""
    quoted = {tight(q) for q in case.asked.quoted}
    labels = [t for t in case.scorer.strong if t.weight > 0.5 and case.is_label(t)]
    if len(labels) != 1 or case.lists() or case.asked.ordinals or case.scorer.names_a_row(labels[0]):
        return
    if labels[0].text not in quoted and (len(labels[0].text) < 3 or not case.labels_tell()):
        return
    own = max(case.scorer.relation(labels[0], run) for run in runs)
    if own >= 0.5:
        return
    for piece in case.pages.pieces:
        if not piece.is_label and case.scorer.relation(labels[0], piece.words) >= 0.95:
            case.lower("consistency", 2, f"{piece.text!r} stands with {labels[0].text!r}")
            return


def _each_has_its_label(case: Case) -> None:
    """With several answers: every label named in full has one of them, where it has a value like theirs at all."""
    kinds = {shape(a) for a in case.answers}
    quoted = {tight(q) for q in case.asked.quoted}
    for term in case.scorer.strong:
        if term.at < 0 or case.asked.ordinals or (quoted and term.text not in quoted):
            continue
        own = max(case.scorer.relation(term, run) for runs in case.runs for run in runs)
        if own >= 0.5:
            continue
        pieces = [p.words for p in case.pages.pieces if not p.is_label] if term.text in quoted else []
        for kind in sorted(kinds):
            for run in [*case.scorer.candidates(kind), *pieces]:
                if case.scorer.relation(term, run) > (0.85 if run not in pieces else 0.94):
                    text = " ".join(case.pages.words[i].text for i in run)
                    case.lower("consistency", 2, f"{text!r} stands with {term.text!r}")
                    return


def _better(case: Case, kind: str, runs: Sequence[tuple[int, ...]], taken: set[int]) -> str:
    """Another value of the same kind that goes better with what is asked, and with no part of it worse."""
    own = max((case.scorer.fit(run) for run in runs), key=sum)
    margin = MARGIN.get(kind, MARGIN_OTHERS)
    best: tuple[float, tuple[int, ...]] | None = None
    for run in case.scorer.candidates(kind):
        if taken & set(run) or (case.only and not case.only & set(run)):
            continue
        fit = case.scorer.fit(run)
        gain = sum(fit) - sum(own)
        worse = any(mine - its > 0.25 * t.weight for mine, its, t in zip(own, fit, case.scorer.strong, strict=False))
        if gain > margin and not worse and (best is None or gain > best[0]):
            best = gain, run
    return " ".join(case.pages.words[i].text for i in best[1]) if best else ""


def _kind_fits(case: Case, kind: str, answer: str) -> bool:
    asked = case.asked
    if len(case.answers) > 1:
        return True
    if asked.cue("when") and kind in ("email", "money", "percent"):
        return False
    if asked.cue("money") and kind in ("email", "date", "time"):
        return False
    if asked.cue("who") and kind in ("email", "date", "time", "money", "code", "integer", "percent"):
        return False
    return not (asked.cue("email") and kind in ("date", "money", "code"))
