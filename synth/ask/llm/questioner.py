"""Questions of a language model, step by step (MosaicDoc, High-Fidelity QA Generation).

A summary; questions with the lines that answer them; the answer from those lines alone; a discriminator that says
which contexts allow reasoning; multi-hop questions with their chain over those. Every answer is then found on the page,
and what cannot be found is dropped with that reason.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.document import Document
from schemas.llm import LlmReply
from schemas.question_settings import DEFAULT_KINDS, QuestionModels
from schemas.questions import Answer, Question
from schemas.steps import Ask, Steps
from synth.ask.llm.asking import LANGUAGES, Asker, line_numbers, list_of, read_answer, record, text
from synth.ask.llm.drafts import Wish, described, hops, wishes
from synth.ask.llm.dropped import dropped
from synth.ask.llm.examples import draw
from synth.ask.llm.ground import located
from synth.ask.llm.hops import hop_of, hop_schema, hop_turns
from synth.ask.llm.spans import spans_of
from synth.ask.llm.units import Piece, Unit, text_of, units_of
from synth.ask.values import normal

MOST_CHARACTERS = 12_000
"""Of a document, for its summary."""
MOST_ANSWERS = 12
_HOP_SHAPE = 'an object {"question": "", "steps": [{"says": "", "lines": [...]}], "calculation": "", "answer": ""}'
AROUND = 1
"""Lines before and after the located ones that the discriminator and the multi-hop questions see too."""
_SUMMARY = record(summary=text())
_ALLOWS = record(why=text(), allows={"type": "boolean"})


@dataclass(frozen=True)
class Located:
    """A question with the pieces that are said to answer it."""

    wish: Wish
    text: str
    pieces: tuple[Piece, ...]


def question_steps(
    document: Document,
    language: str,
    rng: random.Random,
    settings: QuestionModels,
    count: int,
    kinds: Mapping[str, float] = DEFAULT_KINDS,
) -> Steps[list[Question]]:
    """About `count` questions in the document's language and, beside them, all that was dropped, with reasons.

    `kinds`: weights.
    """
    asker, found = Asker(settings), list[Question]()
    units = units_of(document)
    wanted = wishes(units, count, kinds, rng)
    if not wanted:
        return found
    summary = yield from _summary(asker, document, language, found)
    chains = hops(count, kinds)
    questions = yield from _questions(asker, wanted, language, summary, rng, found)
    yield from _answers(asker, document, questions, language, rng, found)
    contexts = _contexts(questions, units)[: 2 * chains]
    allowed = yield from _allowed(asker, contexts, found)
    yield from _hops(asker, document, allowed[:chains], language, summary, rng, found)
    return found


def _summary(asker: Asker, document: Document, language: str, found: list[Question]) -> Steps[str]:
    fill = {"text": text_of(document, MOST_CHARACTERS), "language": LANGUAGES[language]}
    model = asker.settings.model
    ask = asker.ask("ask.summary", model, "ask-summary-1", _SUMMARY, 'an object {"summary": "..."}', fill)
    reply: LlmReply = yield ask
    read = read_answer(reply, _SUMMARY)
    if not read.usable:
        found.append(dropped(model, "summary", "", f"{read.status}: {read.detail}"))
        return "unknown"
    return read.value["summary"]


def _questions(
    asker: Asker, wanted: Sequence[Wish], language: str, summary: str, rng: random.Random, found: list[Question]
) -> Steps[list[Located]]:
    model = asker.settings.model
    asks: list[Ask] = []
    schemas: list[dict[str, Any]] = []
    for wish in wanted:
        item = record(question=text(), lines=line_numbers(len(wish.unit.pieces)))
        schema = record(questions=list_of(item, 1, wish.count))
        examples = draw(wish.kind, language, rng, asker.settings.examples)
        turns = [(e.numbered, {"questions": [{"question": e.question, "lines": list(e.uses)}]}) for e in examples]
        fill = {"language": LANGUAGES[language], "summary": summary, "unit": described(wish.unit), "wanted": wish.words}
        shape = 'an object {"questions": [{"question": "...", "lines": [...]}]}'
        seed = rng.randrange(2**31)
        last = wish.unit.numbered
        asks.append(
            asker.ask(
                f"ask.{wish.kind}", model, "ask-question-1", schema, shape, fill,
                turns=turns, last=last, creative=True, seed=seed,
            )
        )  # fmt: skip
        schemas.append(schema)
    replies: Sequence[LlmReply] = yield tuple(asks)
    questions: list[Located] = []
    for wish, schema, reply in zip(wanted, schemas, replies, strict=True):
        read = read_answer(reply, schema)
        if not read.usable:
            found.append(dropped(model, wish.kind, "", f"{read.status}: {read.detail}"))
            continue
        for row in read.value["questions"]:
            numbers = list(dict.fromkeys(row["lines"]))
            if len(row["question"].split()) < 2 and len(row["question"]) < 4:
                found.append(dropped(model, wish.kind, row["question"], "no_question"))
                continue
            questions.append(Located(wish, row["question"].strip(), tuple(wish.unit.pieces[n - 1] for n in numbers)))
    return questions


def _answers(
    asker: Asker,
    document: Document,
    questions: Sequence[Located],
    language: str,
    rng: random.Random,
    found: list[Question],
) -> Steps[None]:
    if not questions:
        return
    model = asker.settings.model
    asks: list[Ask] = []
    schemas: list[dict[str, Any]] = []
    for one in questions:
        several = one.wish.kind != "single_span"
        least, most = (0 if asker.settings.extract == "free" else 1), MOST_ANSWERS if several else 1
        item = text()
        if asker.settings.extract == "spans":
            item = {"enum": spans_of(document, one.pieces)}
            least = 2 if one.wish.kind == "multi_span" else 1
            most = min(most, len(item["enum"]))
        schema = record(answers=list_of(item, min(least, most), most))
        turns = [
            (f"{e.used}\n\nQuestion: {e.question}", {"answers": list(e.answers)})
            for e in draw(one.wish.kind, language, rng, asker.settings.examples)
        ]
        lines = "\n".join(f"[{n}] {piece.text}" for n, piece in enumerate(one.pieces, 1))
        wanted = "each text that answers the question" if several else "the text that answers the question"
        shape = 'an object {"answers": ["..."]}'
        last = f"{lines}\n\nQuestion: {one.text}"
        asks.append(
            asker.ask("ask.answer", model, "ask-answer-1", schema, shape, {"wanted": wanted}, turns=turns, last=last)
        )
        schemas.append(schema)
    replies: Sequence[LlmReply] = yield tuple(asks)
    for one, schema, reply in zip(questions, schemas, replies, strict=True):
        read = read_answer(reply, schema)
        if not read.usable:
            found.append(dropped(model, one.wish.kind, one.text, f"{read.status}: {read.detail}"))
        else:
            found.append(grounded(document, model, one, [a for a in read.value["answers"] if a.strip()]))


def grounded(document: Document, model: str, one: Located, answers: Sequence[str]) -> Question:
    """The question with its answers placed on the page, or dropped because one of them is not there."""
    kind, answers = one.wish.kind, list(dict.fromkeys(answers))
    if not answers:
        return dropped(model, kind, one.text, "no_answer: these lines do not answer it")
    places = [located(document, one.pieces, answer) for answer in answers]
    missing = [answer for answer, place in zip(answers, places, strict=True) if place is None]
    if missing:
        return dropped(model, kind, one.text, f"ungrounded: {missing[0][:100]!r} is not in the lines", answers)
    if kind == "multi_span" and len(answers) < 2:
        return dropped(model, kind, one.text, "one_answer: a multi-span question with one answer", answers)
    printed = [place for place in places if place is not None]
    return Question(
        text=one.text,
        kind=kind,
        operation="extract",
        answers=tuple(Answer(place.text, normal(place.text), place.words) for place in printed),
        evidence=tuple(dict.fromkeys(word for piece in one.pieces for word in piece.words)),
        difficulty=1 if kind == "single_span" else 2,
        program={"op": "extract", "lines": [piece.text for piece in one.pieces]},
        source=model,
    )


def _contexts(questions: Sequence[Located], units: Sequence[Unit]) -> list[tuple[Piece, ...]]:
    """What was located, with a line before and after it: different ones of two lines and more, the longest first."""
    found: dict[tuple[Piece, ...], None] = {}
    for one in questions:
        pieces = one.wish.unit.pieces
        at = [pieces.index(piece) for piece in one.pieces]
        context = pieces[max(0, min(at) - AROUND) : max(at) + AROUND + 1]
        if len(context) > 1:
            found[context] = None
    return sorted(found, key=lambda context: -len(context))


def _allowed(
    asker: Asker, contexts: Sequence[tuple[Piece, ...]], found: list[Question]
) -> Steps[list[tuple[tuple[Piece, ...], str]]]:
    """The contexts that allow reasoning, each with why."""
    if not contexts:
        return []
    model = asker.settings.discriminator or asker.settings.model
    shape = 'an object {"why": "...", "allows": true or false}'
    asks = [
        asker.ask("ask.discriminator", model, "ask-discriminator-1", _ALLOWS, shape, {}, last=_numbered(context))
        for context in contexts
    ]
    replies: Sequence[LlmReply] = yield tuple(asks)
    allowed: list[tuple[tuple[Piece, ...], str]] = []
    for context, reply in zip(contexts, replies, strict=True):
        read = read_answer(reply, _ALLOWS)
        if not read.usable:
            found.append(dropped(model, "multi_hop", "", f"discriminator {read.status}: {read.detail}"))
        elif read.value["allows"]:
            allowed.append((context, read.value["why"]))
    return allowed


def _hops(
    asker: Asker,
    document: Document,
    allowed: Sequence[tuple[tuple[Piece, ...], str]],
    language: str,
    summary: str,
    rng: random.Random,
    found: list[Question],
) -> Steps[None]:
    if not allowed:
        return
    model = asker.settings.model
    asks: list[Ask] = []
    for context, why in allowed:
        fill = {"language": LANGUAGES[language], "summary": summary, "why": why}
        turns = hop_turns(draw("multi_hop", language, rng, asker.settings.examples))
        last, seed = _numbered(context), rng.randrange(2**31)
        schema = hop_schema(len(context))
        asks.append(
            asker.ask(
                "ask.multi_hop", model, "ask-hop-1", schema, _HOP_SHAPE, fill,
                turns=turns, last=last, creative=True, seed=seed,
            )
        )  # fmt: skip
    replies: Sequence[LlmReply] = yield tuple(asks)
    for (context, _), reply in zip(allowed, replies, strict=True):
        read = read_answer(reply, hop_schema(len(context)))
        if not read.usable:
            found.append(dropped(model, "multi_hop", "", f"{read.status}: {read.detail}"))
        else:
            found.append(hop_of(document, model, context, read.value))


def _numbered(pieces: Sequence[Piece]) -> str:
    return "\n".join(f"[{n}] {piece.text}" for n, piece in enumerate(pieces, 1))
