"""Gates beside the five criteria: guessed without the page, not to be read off the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz.distance import Levenshtein

from schemas.document import Document
from schemas.llm import Image, LlmReply
from schemas.question_settings import QuestionModels
from schemas.questions import GateResult, Question
from schemas.release import sha256
from schemas.sample import Picture
from schemas.steps import Ask, Steps
from synth.ask.facts import squeeze
from synth.ask.llm.asking import LANGUAGES, Asker, list_of, read_answer, record, text
from synth.ask.values import number
from synth.llm.pictures import MAX_PIXELS

ALIKE = 0.8
"""A text read off a picture counts as read when it is this near (1 less the normalised edit distance)."""
_ANSWERS = record(answers=list_of(text(), 0, 12))
_SHAPE = 'an object {"answers": ["..."]}'


def blind_steps(
    questions: Sequence[Question], type: str, language: str, settings: QuestionModels
) -> Steps[list[Question]]:
    """The questions with the result of the blind gate: it is passed where a model does not guess all answers."""
    asker, reader = Asker(settings), settings.reader or settings.model
    asks = tuple(
        asker.ask(
            "gate.blind", reader, "gate-blind-1", _ANSWERS, _SHAPE,
            {"question": q.text, "type": type, "language": LANGUAGES[language]},
        )
        for q in questions
    )  # fmt: skip
    replies: Sequence[LlmReply] = yield asks
    found: list[Question] = []
    for question, reply in zip(questions, replies, strict=True):
        read = read_answer(reply, _ANSWERS)
        guesses = read.value["answers"] if read.usable else []
        guessed = all(any(_same(answer.text, guess) for guess in guesses) for answer in question.answers)
        detail = f"guessed {' | '.join(guesses)}" if guessed else "" if read.usable else read.status
        found.append(_with(question, GateResult("blind", not guessed, detail[:200])))
    return found


def picture_steps(
    questions: Sequence[Question], document: Document, pictures: Sequence[Picture], settings: QuestionModels
) -> Steps[list[Question]]:
    """The questions with the result of the picture gate: it is passed where a model that sees the finished pages of
    the evidence reads every answer. Computed answers are left out: to compute is no matter of legibility."""
    asker, reader = Asker(settings), settings.reader or settings.model
    by_page = {p.page: Image(p.data, sha256(p.data), p.width * p.height, MAX_PIXELS) for p in pictures}
    asked = [n for n, q in enumerate(questions) if all(a.words for a in q.answers)]
    asks: list[Ask] = []
    for n in asked:
        pages = sorted({document.words[word].page for word in questions[n].evidence})
        shown = (
            "The picture shows a page." if len(pages) == 1 else f"The {len(pages)} pictures show pages of a document."
        )
        fill = {"source": shown, "question": questions[n].text}
        images = [by_page[page] for page in pages]
        asks.append(asker.ask("gate.picture", reader, "gate-picture-1", _ANSWERS, _SHAPE, fill, pictures=images))
    if not asks:
        return list(questions)
    replies: Sequence[LlmReply] = yield tuple(asks)
    found = list(questions)
    for n, reply in zip(asked, replies, strict=True):
        read = read_answer(reply, _ANSWERS)
        seen = read.value["answers"] if read.usable else []
        legible = all(any(_near(answer.text, text) for text in seen) for answer in questions[n].answers)
        detail = "" if legible else f"read {' | '.join(seen)}" if read.usable else read.status
        found[n] = _with(questions[n], GateResult("picture", legible, detail[:200]))
    return found


def _with(question: Question, result: GateResult) -> Question:
    return replace(question, gates=(*question.gates, result))


def _same(answer: str, guess: str) -> bool:
    a, b = number(answer), number(guess)
    return squeeze(answer) == squeeze(guess) or (a is not None and b is not None and a.value == b.value)


def _near(answer: str, seen: str) -> bool:
    """Numbers have to be equal, texts nearly so."""
    if number(answer) is not None:
        return _same(answer, seen)
    return Levenshtein.normalized_similarity(squeeze(answer), squeeze(seen)) >= ALIKE
