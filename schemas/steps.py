"""Work on one document that waits for models' answers: what a stage asks for, step by step, and what it gets.

A writer, questioner or judge is a plain generator (`Steps`) in `synth`: it yields a step, receives its answer, and
returns its result or raises SampleError. It must be a function of its arguments and the answers alone, because it is
run again from the start with the answers so far (`synth.llm.steps.advance`) wherever there is room for it.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from schemas.llm import LlmReply, LlmRequest
from schemas.sample import HtmlDocument

T = TypeVar("T")


@dataclass(frozen=True)
class Ask:
    """A call of a model; its answer is an LlmReply. With the request, `stage` is its key in the ledger.

    `shared`: the answer belongs to all samples that ask the same (a description of a document type), so that a shard
    asks once: its ledger key has index 0 and try 0.
    """

    stage: str
    request: LlmRequest
    shared: bool = False


@dataclass(frozen=True)
class Proof:
    """A print of a document to look at; its answer is a ProofSheet. No model and no ledger: the browser does it.

    `pictures`: also send the first pages as pictures, for a model that sees.
    """

    document: HtmlDocument
    pictures: bool = False


@dataclass(frozen=True)
class Fault:
    """What is wrong with a document: a short snake_case reason as in a SampleError, where it was found, and details."""

    reason: str
    stage: str
    detail: str


@dataclass(frozen=True)
class ProofSheet:
    """A printed document as its writer sees it. `fault` None: it prints, and its labels can be traced.

    `view` describes the pages in words: what stands where, in millimetres from the top left. `pictures` are JPEG files.
    """

    fault: Fault | None
    view: str
    pictures: tuple[bytes, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Done(Generic[T]):
    """The end of the steps."""

    result: T


Step = Ask | Proof | tuple[Ask, ...]
"""A tuple asks several at once; the answer is a tuple of replies in the same order."""
Answer = LlmReply | ProofSheet | tuple[LlmReply, ...]
Steps = Generator[Step, Any, T]
