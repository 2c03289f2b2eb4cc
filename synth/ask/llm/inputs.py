"""What questions of models depend on beside the code: what a lock pins."""

from __future__ import annotations

from schemas.questions import CRITERIA
from schemas.recipe import Content
from synth.ask.llm.examples import example_digests
from synth.llm.prompts import load_prompt

PROMPTS = (
    *("ask-summary-1", "ask-question-1", "ask-answer-1", "ask-hop-1", "ask-discriminator-1"),
    *("judge-pair-1", *(f"judge-{criterion}-1" for criterion in CRITERIA)),
    *("gate-blind-1", "gate-picture-1", "answer-schema-1", "answer-json-1"),
)


def question_inputs(content: Content) -> dict[str, str]:
    """SHA-256 of prompts and examples, by name; nothing where the recipe's questions ask no model."""
    if content.questions is None or content.questions.llm is None:
        return {}
    return {f"prompts/{name}": load_prompt(name).sha256 for name in PROMPTS} | example_digests()
