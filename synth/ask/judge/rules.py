"""The five guardrails as rules (MosaicDoc, Hallucination Guardrails): each criterion 1 to 5, kept above 3 in all.

The judges see the question, the answers and the words of the pages with their boxes. They know nothing of how the
question was made, so they judge those of a model or a person just as well. Criteria and steps: docs/questions.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.questions import Verdict
from synth.ask.judge.case import Case
from synth.ask.judge.clarity import clarity
from synth.ask.judge.completeness import completeness
from synth.ask.judge.conciseness import conciseness
from synth.ask.judge.consistency import grounded
from synth.ask.judge.inference import computed
from synth.ask.judge.page import Pages, PageWord, tight


def judge(question: str, answers: Sequence[str], words: Sequence[PageWord] | Pages) -> Verdict:
    """Scores by criterion with reasons. `words` are those of all pages of the document, in reading order."""
    case = Case(question, answers, words if isinstance(words, Pages) else Pages(words))
    clarity(case)
    conciseness(case)
    if not answers or not all(tight(a) for a in answers):
        case.lower("completeness", 1, "no answer")
    elif not computed(case):
        grounded(case)
    completeness(case)
    s = case.scores
    scores = (s["completeness"], s["consistency"], s["conciseness"], s["clarity"], s["inference"])
    return Verdict(scores, tuple(case.reasons))
