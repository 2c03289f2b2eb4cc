"""Conciseness: each answer is what is asked for, and nothing else."""

from __future__ import annotations

import re

from synth.ask.judge.case import Case
from synth.ask.judge.page import Piece, fold, tight
from synth.ask.judge.question import alike, content
from synth.ask.judge.shape import amount, parts, shape
from synth.ask.judge.terms import LONG


def conciseness(case: Case) -> None:
    """Each answer is what is asked for, and nothing else."""
    texts = [tight(a) for a in case.answers]
    if len(texts) != len(set(texts)):
        case.lower("conciseness", 2, "an answer is given twice")
    for answer, runs in zip(case.answers, case.runs, strict=True):
        if not tight(answer):
            continue
        if re.search(r"[。!?]|[a-z]{4,}\.\s+[A-Z]", answer.strip(" .。")) and shape(answer) == "text":
            case.lower("conciseness", 2, "the answer goes on after its end")
        _repeats_question(case, answer)
        _holds_more_than_asked(case, answer)
        if runs and not any(_one_place(case, run) for run in runs):
            case.lower("conciseness", 2, "the answer runs on into its neighbour")
        if not runs and amount(answer) is None and _has_more_around(case, answer):
            case.lower("conciseness", 2, "the answer has words around it that are not on the page")


def _repeats_question(case: Case, answer: str) -> None:
    text, language = tight(answer), case.asked.language
    for term in case.scorer.terms:
        if term.cover >= 0.99 and len(term.text) > 2 and term.text in text and len(text) > len(term.text) + 1:
            is_label = any(p.is_label for p in term.pieces) or text.startswith(term.text)
            if is_label and not any(len(p.words) and tight(p.text) == text for p in case.pages.pieces):
                case.lower("conciseness", 2, "the answer repeats the label")
                return
    words = content(answer, language)
    said = [w for w in words if any(alike(w, q, language) for q in case.asked.tokens)]
    if len(words) > 3 and len(said) >= 2 and len(said) >= 0.4 * len(words) and _is_sentence(case, answer):
        case.lower("conciseness", 2, "the answer repeats the question")


def _is_sentence(case: Case, answer: str) -> bool:
    """Whether an answer is cut out of running text, or of no one place."""
    return not any(
        tight(answer) == tight(p.text) for p in case.pages.pieces if len(p.text) <= LONG[case.asked.language]
    )


def _holds_more_than_asked(case: Case, answer: str) -> None:
    """A date, an amount or a name that has other words beside it."""
    text = " ".join(fold(answer).split())
    words = len(text.split()) if case.asked.language != "zh" else len(text) / 2
    for cue, kind in (("when", "date"), ("money", "money")):
        if case.asked.cue(cue) and shape(answer) == "text":
            spans = parts(text, kind)
            if spans and words > 2 and sum(b - a for a, b in spans) < 0.7 * len(text):
                case.lower("conciseness", 2, f"the answer is more than the {kind} asked for")
    digits = sum(c.isdigit() for c in text)
    if case.asked.cue("who") and digits > 3 and digits < len(text) / 2:
        case.lower("conciseness", 2, "the answer is more than the name asked for")
    if re.search(r"\S: \S", text) or re.search(r"[^\d\s]:[^\d\s]", text):
        case.lower("conciseness", 2, "the answer holds a label")


def _one_place(case: Case, run: tuple[int, ...]) -> bool:
    """Whether words lie in one cell or block: one piece, or lines of a block right below one another."""
    pieces = list(dict.fromkeys(case.pages.piece_of[i].id for i in run))
    last = case.pages.pieces[pieces[0]]
    if _starts_within(case, run):
        return False
    for number in pieces[1:]:
        piece = case.pages.pieces[number]
        if last.is_label and piece.row == last.row:
            return False
        if piece.row == last.row:
            comb = len(tight(piece.text)) <= 2 or len(tight(last.text)) <= 2
            if not comb and piece.x0 - last.x1 > 0.75 * piece.height:
                return False
        elif not _continues(case, last, piece):
            wraps = len(last.text) > LONG[case.asked.language] / 2 or len(piece.text) > LONG[case.asked.language] / 2
            if not wraps:
                return False
        elif _own_line(case, last, piece):
            return False
        last = piece
    return True


def _starts_within(case: Case, run: tuple[int, ...]) -> bool:
    """Whether words begin in the middle of a short piece and go on beyond it."""
    piece = case.pages.piece_of[run[0]]
    beyond = run[-1] not in piece.words
    following = next((i for i in run if i not in piece.words), run[-1])
    aligned = abs(case.pages.words[following].x0 - case.pages.words[run[0]].x0) < 0.5 * piece.height
    short = len(piece.text) < LONG[case.asked.language] / 2
    return beyond and run[0] != piece.words[0] and short and not aligned


def _continues(case: Case, last: Piece, piece: Piece) -> bool:
    """Whether a piece can be the next line of the one before: right below it, in letters of the same size."""
    below = piece.page == last.page and piece.y0 - last.y0 > 0 and piece.y0 - last.y1 < 0.8 * last.height
    size = max(piece.height, last.height) / min(piece.height, last.height)
    return below and size < 1.12 and (piece.over(last) > 0.3 or abs(piece.x0 - last.x0) < last.height)


def _own_line(case: Case, last: Piece, piece: Piece) -> bool:
    """Whether the lower line is something of its own: a label, or of another kind than the one above it."""
    if piece.is_label or last.is_label:
        return True
    kinds = {shape(last.text), shape(piece.text)}
    return len(kinds) > 1 and kinds & {"date", "money", "email", "time"} != set()


def _has_more_around(case: Case, answer: str) -> bool:
    """Whether a part of the answer is on the page and the rest is only wrapped around it."""
    words = answer.split() if case.asked.language != "zh" else list(answer)
    for size in range(len(words) - 1, max(0, len(words) // 4), -1):
        for start in range(len(words) - size + 1):
            part = (" " if case.asked.language != "zh" else "").join(words[start : start + size])
            if len(tight(part)) > 3 and case.pages.find(part):
                return True
    return False
