"""Clarity: the question names what it means, on these pages and in its own words."""

from __future__ import annotations

import re

from synth.ask.judge.case import Case
from synth.ask.judge.page import fold, tight
from synth.ask.judge.question import alike, content, cues, limit
from synth.ask.judge.shape import amount


def clarity(case: Case) -> None:
    """The question names what it means, on these pages and in its own words."""
    asked, known = case.asked, cues()[case.asked.language]
    page_text = case.pages.stream[0]
    for pattern in known["dangling"]:
        for match in re.finditer(pattern, asked.unquoted):
            if not any(tight(match[0]) in t.text for t in case.scorer.terms if t.at >= 0):
                case.lower("clarity", 2, f"{match[0].strip()!r} refers to something outside of the question")
    for match in re.finditer(known["pronouns"], asked.text):
        if not content(asked.text[: match.start()], asked.language):
            case.lower("clarity", 2, f"{match[0].strip()!r} stands for nothing named before")
    for quoted in asked.quoted:
        if tight(quoted) not in page_text and not _named_somewhere(case, quoted):
            case.lower("clarity", 2, f"{quoted!r} is not on the page")
    for unknown in _unknown_names(case):
        case.lower("clarity", 2, f"{unknown!r} is not on the page")


def _named_somewhere(case: Case, text: str) -> bool:
    """Whether one place of the page has nearly all words of a text."""
    words = content(text, case.asked.language)
    if not words:
        return True
    for piece in case.pages.pieces:
        there = content(piece.text, case.asked.language)
        if sum(any(alike(w, t, case.asked.language) for t in there) for w in words) >= 0.8 * len(words):
            return True
    return False


def _unknown_names(case: Case) -> list[str]:
    """Codes and, in English, runs of capitalised words that the pages do not hold."""
    page_text, found = case.pages.stream[0], []
    bound = limit(case.asked)
    for code in re.findall(r"[a-z0-9][a-z0-9\-/.]*", fold(case.asked.raw)):
        bare = code.strip(".-")
        if sum(c.isdigit() for c in bare) >= 4 and tight(bare) not in page_text:
            if bound and amount(bare) == amount(bound[1]):
                continue
            digits = re.findall(r"\d{4,}", bare)
            if not digits or not all(d in page_text for d in digits):
                found.append(bare)
    if case.asked.language == "en":
        there = {w for piece in case.pages.pieces for w in content(piece.text, "en")}
        for run in re.findall(r"(?<=[\w,] )(?:[A-Z][a-z]+(?:'s)? ?){2,}", case.asked.raw):
            words = content(run.replace("'s", ""), "en")
            if len(words) > 1 and not any(alike(w, t, "en") for w in words for t in there):
                found.append(run.strip())
    return found
