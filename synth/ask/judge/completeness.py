"""Completeness: as many answers as are asked for, and no row of a list left out."""

from __future__ import annotations

import re

from synth.ask.judge.case import Case
from synth.ask.judge.question import alike, content, cues, limit
from synth.ask.judge.terms import Term


def completeness(case: Case) -> None:
    """As many answers as are asked for, and no row of a list left out."""
    asked = case.asked
    computes = asked.cue("sum") or asked.cue("difference") or asked.cue("count")
    if len(case.answers) == 1 and not computes:
        if asked.cue("highest") and asked.cue("lowest"):
            case.lower("completeness", 2, "the highest and the lowest are asked for")
        elif asked.cue("pair") and not limit(asked):
            case.lower("completeness", 2, "more than one thing is asked for")
        elif _two_labels(case) or (not case.lists() and not asked.quoted and _two_words_joined(case)):
            case.lower("completeness", 2, "two labels are asked for")
    lists = asked.cue("every") and not limit(asked) and not computes
    extremes = asked.cue("highest") or asked.cue("lowest")
    if lists and not extremes and all(case.runs) and case.answers:
        found = case.computer.complete([runs[0] for runs in case.runs])
        if found.holds is False:
            case.lower("completeness", 2, found.why)


def _two_labels(case: Case) -> bool:
    """Whether the question joins two labels of the page with an `and`."""
    joined = re.compile(cues()[case.asked.language]["conjunction"])
    named = [t for t in case.scorer.terms if t.at >= 0 and t.cover > 0.99][:8]
    for a in named:
        for b in named:
            between = case.asked.tight[a.at + len(a.text) : b.at]
            if a.at < b.at and between and joined.search(between):
                return True
    return False


def _two_words_joined(case: Case) -> bool:
    """Whether an `and` stands between two words that name different labels."""
    language = case.asked.language
    for match in re.finditer(cues()[language]["and"], case.asked.core):
        left, right = (
            content(case.asked.core[: match.start()], language),
            content(case.asked.core[match.end() :], language),
        )
        if not left or not right:
            continue
        a, b = (
            {p.id for t in case.scorer.terms if t.cover >= 0.5 for p in t.pieces if _names(case, t, word)}
            for word in (left[-1], right[0])
        )
        if a and b and not a & b and not any(_together(case, x, y) for x in left[-2:] for y in right[:2]):
            return True
    return False


def _names(case: Case, term: Term, word: str) -> bool:
    words = content(term.pieces[0].text, case.asked.language)
    return any(alike(word, w, case.asked.language) for w in words)


def _together(case: Case, a: str, b: str) -> bool:
    """Whether one piece of the page has both words."""
    language = case.asked.language
    return any(
        any(alike(a, w, language) for w in words) and any(alike(b, w, language) for w in words)
        for words in (content(p.text, language) for p in case.pages.pieces)
    )
