"""`content.questions` of a recipe: who writes questions, who judges them, and how models are asked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from schemas.draws import whole_weights
from schemas.questions import KINDS
from schemas.strict import Strict, no_bool
from schemas.weights import Weights, WeightsOrList, check_names

DEFAULT_KINDS = {"single_span": 3.0, "multi_span": 3.0, "table": 3.0, "multi_hop": 2.0, "chart": 2.0}


class QuestionModels(Strict):
    """Language models that write and judge questions, by name; where they answer is `execution.llm`."""

    model: str = Field(min_length=1, max_length=200)
    """Writes questions and their answers."""
    discriminator: str | None = None
    """Says which contexts allow reasoning; None: `model`."""
    judges: tuple[str, ...] = Field(default=(), max_length=9)
    """Each scores the five criteria; none named: `model`. Of several, more than half have to let a question pass."""
    gates: tuple[Literal["blind", "picture"], ...] = ()
    """`blind` rejects what is answered without the page, `picture` what cannot be read off the finished picture."""
    reader: str | None = None
    """Answers at the gates; None: `model`. For `picture` it has to see."""
    embedder: str | None = None
    """A model of embeddings by which the duplicate gate compares questions; None: it compares their words."""
    same_above: float = Field(default=0.95, gt=0, le=1)
    """Cosine from which two questions with equal answers are one; what it means differs between models."""
    temperature: Annotated[float | None, Field(ge=0, le=2)] = 0.7
    """Of the writer; judges and readers are asked at 0. None sends none to anybody, as reasoning models want it."""
    reasoning_effort: str | None = None
    max_tokens: int = Field(default=1024, ge=16, le=200_000)
    """Of one answer."""
    constrained: bool = True
    """Send a JSON Schema with each request; else ask for JSON in words."""
    bound: int | None = Field(default=None, ge=8, le=10_000)
    """Most characters of each text in an answer, for small models under a grammar."""
    examples: int = Field(default=4, ge=0, le=4)
    """Few-shot examples from each of the two pools."""
    extract: Literal["free", "spans"] = "free"
    """`spans` lets the writer only choose among parts of the lines it located; for small models."""


class Questions(Strict):
    """Questions about each document (table `qa`): made by rules from its labels, by a language model, or by both."""

    per_document: Annotated[int, BeforeValidator(no_bool)] = Field(default=12, ge=1, le=100)
    """At most so many of one document; a sparse one has fewer."""
    kinds: WeightsOrList = Field(default_factory=DEFAULT_KINDS.copy)
    """Weights of the kinds of question; one that a document has nothing for leaves its turns to the others."""
    kind: Literal["rules", "llm", "both"] = "rules"
    judges: Literal["rules", "llm", "both", "none"] = "rules"
    """Who looks at each question before it is kept; of both, rules come first, since they are free."""
    llm: QuestionModels | None = None

    @field_validator("kinds")
    @classmethod
    def _known(cls, value: Weights) -> Weights:
        check_names(value, KINDS, "unknown kind of question")
        whole_weights(list(value.values()))
        return value

    @model_validator(mode="after")
    def _models(self) -> Questions:
        needed = next((n for n in ("kind", "judges") if getattr(self, n) in ("llm", "both")), None)
        if needed and self.llm is None:
            raise ValueError(f"{needed}: {getattr(self, needed)} needs a model; add llm: {{model: NAME}}")
        if self.llm is not None and not needed:
            raise ValueError("llm is named, but neither kind nor judges uses it")
        if self.kind != "rules" and not any(weight for name, weight in self.kinds.items() if name != "multi_hop"):
            raise ValueError("models chain multi_hop questions from others; give another kind a weight")
        return self
