"""Inference: what is compared or computed comes out the same when it is done again."""

from __future__ import annotations

from collections.abc import Sequence

from synth.ask.judge.case import Case
from synth.ask.judge.compute import Found
from synth.ask.judge.question import limit
from synth.ask.judge.shape import amount, shape


def computed(case: Case) -> bool:
    """Check what is compared or computed. True if that settles whether the answers are right."""
    asked, computer = case.asked, case.computer
    values = [amount(a) for a in case.answers]
    one = values[0] if len(values) == 1 else None
    found = Found(None)
    if one is not None and asked.cue("count"):
        found = computer.counted(one)
        if case.runs[0] and (found.holds is None or computer.in_a_named_row(case.runs[0])):
            return False
    elif one is not None and (asked.cue("sum") or asked.cue("difference")):
        operations = [name for name in ("sum", "difference") if asked.cue(name)]
        few = computer.named() < 2 or computer.in_a_named_row(case.runs[0])
        if case.runs[0] and few and not (asked.cue("highest") and asked.cue("lowest")):
            return False
        found = computer.arithmetic(one, operations)
        if found.holds is not True and case.runs[0] and _stands_with_label(case, case.runs[0]):
            return False
        if found.holds is None:
            if case.runs[0]:
                return False
            found = Found(False, "the words do not give what is to be computed")
    elif all(case.runs) and limit(asked):
        found = computer.filtered([runs[0] for runs in case.runs])
    elif all(case.runs) and asked.cue("highest") and asked.cue("lowest") and len(case.answers) == 2:
        sides = [computer.extreme(case.runs[0][0], "highest"), computer.extreme(case.runs[1][0], "lowest")]
        swapped = [computer.extreme(case.runs[0][0], "lowest"), computer.extreme(case.runs[1][0], "highest")]
        wrong = [f for f in sides if f.holds is False]
        found = wrong[0] if wrong and any(f.holds is False for f in swapped) else Found(sides[0].holds and True)
    elif all(case.runs) and len(case.answers) == 1 and (asked.cue("highest") or asked.cue("lowest")):
        side = "highest" if asked.cue("highest") else "lowest"
        results = [computer.extreme(run, side) for run in case.runs[0]]
        found = next((f for f in results if f.holds), results[0])
        if found.holds and shape(case.answers[0]) != "text":
            case.only = computer.row_words(case.runs[0])
            return False  # the row is right; whether the cell is, the labels tell
    if found.holds is False:
        case.lower("completeness" if found.missing else "inference", 2, found.why)
    return found.holds is not None


def _stands_with_label(case: Case, runs: Sequence[tuple[int, ...]]) -> bool:
    """Whether a number is printed right beside a label that the question names in full."""
    strong = [t for t in case.scorer.terms if t.cover > 0.9 and t.weight > 0.5]
    named = [t for t in strong if any(case.scorer.relation(t, run) > 0.8 for run in runs)]
    return bool(named) and len(strong) < 3 and not case.asked.cue("difference")
