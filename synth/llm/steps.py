"""Runs the steps of a stage: all of them in one go, or as far as the answers reach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from schemas.llm import LlmReply
from schemas.steps import Answer, Ask, Done, Proof, ProofSheet, Step, Steps

T = TypeVar("T")


def advance(steps: Steps[T], answers: Sequence[Answer]) -> Step | Done[T]:
    """The step after these answers, or the end. `steps` is fresh: it is fed every answer from the first on.

    SampleError of the stage itself; ValueError if it ends before the answers do, so that they belong to other steps.
    """
    try:
        try:
            step = next(steps)
        except StopIteration as end:
            if answers:
                raise ValueError(f"{len(answers)} answers to no step") from None
            return Done(end.value)
        for number, answer in enumerate(answers):
            try:
                step = steps.send(answer)
            except StopIteration as end:
                if number + 1 < len(answers):
                    raise ValueError(f"{len(answers)} answers to {number + 1} steps") from None
                return Done(end.value)
        return step
    finally:
        steps.close()


def drive(steps: Steps[T], ask: Callable[[Ask], LlmReply], proof: Callable[[Proof], ProofSheet] | None = None) -> T:
    """The result, with every step answered at once, one after the other. Whatever `ask` and `proof` raise ends it."""
    answer: Answer | None = None
    try:
        while True:
            try:
                step = next(steps) if answer is None else steps.send(answer)
            except StopIteration as end:
                return end.value
            if isinstance(step, Ask):
                answer = ask(step)
            elif isinstance(step, Proof):
                if proof is None:
                    raise TypeError("these steps print, and nothing was given to print with")
                answer = proof(step)
            else:
                answer = tuple(ask(one) for one in step)
    finally:
        steps.close()
