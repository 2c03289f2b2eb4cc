from __future__ import annotations

from schemas.questions import Answer, Asked, Question


def question(*evidence: int) -> Question:
    return Question("?", "single_span", "value", (Answer("x", "x", evidence[:1]),), evidence, 1, {})


def test_a_question_about_hidden_words_is_rejected() -> None:
    asked = Asked((question(0, 1), question(2), question(1)), ())
    seen = asked.in_sight([1.0, 0.3, 0.6])
    assert seen.kept == (question(2),)
    assert [q.evidence for q in seen.rejected] == [(0, 1), (1,)]
    for lost in seen.rejected:
        assert lost.verdict is not None
        assert not lost.verdict.kept
        assert lost.verdict.reasons == ("evidence is hidden in the picture",)
    assert asked.in_sight([1.0, 0.5, 1.0]) is asked
