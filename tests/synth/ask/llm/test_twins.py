"""The duplicate gate: by words, and by the embeddings of a model that the recipe names."""

from __future__ import annotations

from dataclasses import replace

from schemas.llm import LlmReply, Text
from schemas.question_settings import QuestionModels
from schemas.questions import Question
from schemas.steps import Ask
from synth.ask.llm.twins import Meanings, meaning_steps, twin
from synth.llm.steps import drive
from synth.llm.vectors import MOST_TEXTS, vectors_reply
from tests.fixtures.llm_endpoint import bag_of_words
from tests.synth.ask.llm.asking import MODELS, question

EMBEDS = MODELS.model_copy(update={"embedder": "bag"})
HIGHEST = question("Which item has the highest price?", "Desk lamp")
LARGEST = question("The largest price has which item?", "Desk lamp")
DATE = question("When does the lease end?", "Desk lamp")


def meanings(questions: list[Question], settings: QuestionModels = EMBEDS, refused: bool = False) -> Meanings | None:
    asked: list[Ask] = []

    def ask(step: Ask) -> LlmReply:
        asked.append(step)
        assert step.stage == "gate.duplicate" and step.request.model == "bag" and step.request.max_tokens == 0
        texts = [part.text for part in step.request.messages[0].parts if isinstance(part, Text)]
        data = [{"index": n, "embedding": bag_of_words(text)} for n, text in enumerate(texts)]
        reply = vectors_reply({"data": data}, step.request, "e")
        return replace(reply, text="", finish_reason="bad_request") if refused else reply

    found = drive(meaning_steps(questions, settings), ask)
    assert len(asked) == (0 if found is None else -(-len({q.text for q in questions}) // MOST_TEXTS))
    return found


def test_twins_are_alike_in_words_and_answers() -> None:
    kept = [HIGHEST, question("What is the price of the Oak board?", "7.40")]
    assert not twin(question("which item has  the highest price?", "Stapler"), kept).passed
    assert not twin(question("What is the Oak board price, of the?", "7.40"), kept).passed
    assert twin(question("What is the price of the Elm board?", "9.10"), kept).passed
    assert twin(question("What is the date?", "7.40"), kept).passed
    assert twin(LARGEST, kept).passed, "in other words it is not found"


def test_with_embeddings_twins_are_alike_in_meaning_and_answers() -> None:
    found = meanings([HIGHEST, LARGEST, DATE])
    refused = twin(LARGEST, [DATE, HIGHEST], found)
    assert not refused.passed and refused.detail.startswith("cosine 1.000 with 'Which item")
    assert twin(DATE, [HIGHEST], found).passed
    assert twin(replace(LARGEST, answers=question("?", "Stapler").answers), [HIGHEST], found).passed


def test_the_recipe_says_how_near_is_the_same() -> None:
    near = question("Which item has the highest price today?", "Desk lamp")
    for same, passed in ((0.9, False), (0.99, True)):
        settings = EMBEDS.model_copy(update={"same_above": same})
        assert twin(near, [HIGHEST], meanings([HIGHEST, near], settings)).passed is passed


def test_no_model_or_nothing_to_compare_asks_nothing() -> None:
    assert meanings([HIGHEST, LARGEST], MODELS) is None
    assert meanings([HIGHEST, HIGHEST]) is None


def test_many_questions_take_several_calls() -> None:
    many = [question(f"What is the number of row {n}?", str(n)) for n in range(2 * MOST_TEXTS + 1)]
    found = meanings(many)
    assert found is not None and len(found.vectors) == len(many)


def test_where_the_endpoint_refuses_words_decide_and_the_row_says_so() -> None:
    found = meanings([HIGHEST, LARGEST], refused=True)
    passed = twin(LARGEST, [HIGHEST], found)
    assert passed.passed and passed.detail == "by words, no embedding: bad_request"
    assert not twin(replace(HIGHEST, text="Which item has highest the price?"), [HIGHEST], found).passed
