"""Multi-hop questions with their chain: what a model gives, held against the lines it names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemas.document import Document
from schemas.questions import Answer, Question
from synth.ask.llm.asking import Turn, line_numbers, list_of, record, text
from synth.ask.llm.dropped import dropped
from synth.ask.llm.examples import Example
from synth.ask.llm.ground import agrees, calculated, located
from synth.ask.llm.units import Piece
from synth.ask.values import normal, plain

MOST_STEPS = 6


def hop_schema(lines: int) -> dict[str, Any]:
    """Question, chain, calculation, answer, in this order: the answer follows from the chain."""
    step = record(says=text(), lines=line_numbers(lines))
    return record(question=text(), steps=list_of(step, 1, MOST_STEPS), calculation=text(), answer=text())


def hop_turns(examples: Sequence[Example]) -> list[Turn]:
    turns: list[Turn] = []
    for e in examples:
        steps = [{"says": says, "lines": list(lines)} for says, lines in e.steps]
        steps = steps or [{"says": e.lines[n - 1], "lines": [n]} for n in e.uses[:MOST_STEPS]]
        row = {"question": e.question, "steps": steps, "calculation": e.calculation, "answer": e.answers[0]}
        turns.append((e.numbered, row))
    return turns


def hop_of(document: Document, model: str, context: Sequence[Piece], row: dict[str, Any]) -> Question:
    """The question, with its answer on the page or computed from it, or dropped with the reason."""
    said, answer, expression = row["question"].strip(), row["answer"].strip(), row["calculation"].strip()
    used = sorted({n for step in row["steps"] for n in step["lines"]})
    pieces = [context[n - 1] for n in used]
    steps = [{"says": step["says"], "lines": [context[n - 1].text for n in step["lines"]]} for step in row["steps"]]

    def drop(reason: str) -> Question:
        return dropped(model, "multi_hop", said, reason, [answer])

    if len(pieces) < 2:
        return drop("one_line: a chain over a single line")
    if not said or not answer:
        return drop("no_answer: question or answer is empty")
    place = located(document, pieces, answer)
    value = calculated(expression, pieces, document) if place is None and expression else None
    if place is None and value is None:
        why = f"calculation {expression!r} is none of the lines' numbers" if expression else f"{answer!r} is not there"
        return drop(f"ungrounded: {why}")
    if value is not None and not agrees(answer, value):
        return drop(f"wrong_calculation: {expression} is {plain(value)[:40]}, not {answer}")
    found = Answer(place.text, normal(place.text), place.words) if place is not None else Answer(answer, normal(answer))
    return Question(
        text=said,
        kind="multi_hop",
        operation="chain" if value is None else "calculation",
        answers=(found,),
        evidence=tuple(dict.fromkeys(word for piece in pieces for word in piece.words)),
        difficulty=3,
        program={"op": "chain", "steps": steps, "calculation": expression if value is not None else ""},
        source=model,
    )
