"""Gates: guesses without the page, pictures that cannot be read; and the whole stage in its order."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from schemas.question_settings import QuestionModels, Questions
from schemas.sample import Picture, SampleSpec
from synth.ask.llm.gates import blind_steps, picture_steps
from synth.ask.llm.service import ask_steps
from tests.fixtures.llm_questioner import questioner
from tests.synth.ask.conftest import Printed
from tests.synth.ask.llm.asking import MODELS, Scripted, document, question

PAGE = document(("key_value", ["Guest: Maria Lopez", "Total: £1,250.00"]))
GUEST, TOTAL = question("Who is the guest?", "Maria Lopez"), question("What is the total?", "£1,250.00")
PICTURE = Picture(0, cv2.imencode(".jpg", np.full((40, 40, 3), 200, np.uint8))[1].tobytes(), "jpeg", 40, 40, 75, "none")


def test_what_is_guessed_without_the_page_is_refused() -> None:
    script = questioner(guess=lambda prompt: ["1250.00"] if "total" in prompt else ["Paul"])
    scripted = Scripted(script)
    guest, total = scripted.run(blind_steps([GUEST, TOTAL], "receipt", "en", MODELS))
    assert [g.passed for g in (*guest.gates, *total.gates)] == [True, False] and "1250.00" in total.gates[0].detail
    assert all("Maria" not in str(ask.request.messages) for ask in scripted.asks), "the page is not shown"


def test_what_cannot_be_read_off_the_picture_is_refused() -> None:
    scripted = Scripted(questioner(guess=lambda prompt: ["Maria Lopes"] if "guest" in prompt else ["£1,260.00"]))
    guest, total = scripted.run(picture_steps([GUEST, TOTAL], PAGE, [PICTURE], MODELS))
    assert guest.gates[0].passed, "a letter may be misread"
    assert not total.gates[0].passed and total.gates[0].detail == "read £1,260.00", "a number may not"
    assert all(ask.request.images == 1 for ask in scripted.asks)


def settings(**more) -> Questions:
    models = QuestionModels(model="writer", gates=("blind", "picture"), reader="reader", **more.pop("llm", {}))
    return Questions(**({"per_document": 4, "kind": "both", "judges": "both", "llm": models} | more))


def test_free_checks_come_first_and_every_verdict_stays(documents: list[Printed]) -> None:
    spec, page = next((p.spec, p.document) for p in documents if p.spec.type == "invoice" and p.spec.language == "en")
    pictures = [Picture(n, PICTURE.data, "jpeg", 40, 40, 75, "none") for n in range(len(page.pages))]
    blind = _run(spec, page, pictures, lambda prompt: []).rejected
    unread = [q for q in blind if q.gates and q.gates[-1].gate == "picture" and not q.gates[-1].passed]
    assert unread, "what the reader cannot read is refused"

    def reads(prompt: str) -> list[str]:
        seen = next((q for q in unread if q.text in prompt), None)
        return [] if seen is None or "cannot see" in prompt else [a.text for a in seen.answers]

    asked = _run(spec, page, pictures, reads)
    assert {q.source for q in asked.kept} >= {"rules"} and len(asked.kept) <= 4
    for q in (*asked.kept, *asked.rejected):
        refused_by_rules = q.opinions and not q.opinions[0].kept
        if q.dropped and not q.dropped.startswith("surplus"):
            assert not q.opinions and not q.gates
        elif refused_by_rules:
            assert [o.judge for o in q.opinions] == ["rules"], "what rules refuse costs nothing more"
        else:
            assert q.opinions[0].judge == "rules"
            assert [g.gate for g in q.gates][:1] == ["duplicate"]
    for q in asked.kept:
        assert [o.judge for o in q.opinions] == ["rules", "writer"] and q.verdict and q.verdict.kept
        assert [g.gate for g in q.gates] in (["duplicate", "blind", "picture"], ["duplicate", "blind"])


def _run(spec: SampleSpec, page, pictures, guess):
    return Scripted(questioner(guess=guess)).run(ask_steps(spec, page, pictures, settings()))


def test_a_recipe_that_wants_models_names_one() -> None:
    for wrong in ({"kind": "llm"}, {"judges": "both"}, {"llm": {"model": "m"}}):
        with pytest.raises(ValueError, match=r"needs a model|neither"):
            Questions.model_validate(wrong)
