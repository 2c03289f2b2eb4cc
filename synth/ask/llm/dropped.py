"""A question that never came before a judge, kept with the reason."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.questions import Answer, Question

_LONGEST = 300


def dropped(model: str, kind: str, text: str, reason: str, answers: Sequence[str] = ()) -> Question:
    """`reason` begins with a short word that is counted: `ungrounded`, `no_answer`, `length`, `refused`, ..."""
    shown = tuple(Answer(answer[:_LONGEST], "") for answer in answers)
    why = " ".join(reason.split())[:_LONGEST].rstrip(": ")
    return Question(text[:_LONGEST], kind, "none", shown, (), 1, {"op": "none"}, source=model, dropped=why)
