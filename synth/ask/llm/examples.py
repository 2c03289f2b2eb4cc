"""Few-shot examples from two pools, four of each (MosaicDoc, Prompts Construction).

`examples/made.jsonl` are written by hand; `examples/documents.jsonl` are taken from documents whose answers are known
(scripts/qa_examples.py). `examples/judged.jsonl` shows judges how the scales are used.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from schemas.release import sha256

POOLS = ("made", "documents")
_FOLDER = Path(__file__).parent / "examples"


@dataclass(frozen=True)
class Example:
    """A passage in lines, a question about it, the numbers of the lines that answer it, and the answers.

    `steps` are the chain of a multi-hop question: what is found, and in which lines.
    """

    kind: str
    language: str
    lines: tuple[str, ...]
    question: str
    uses: tuple[int, ...]
    answers: tuple[str, ...]
    steps: tuple[tuple[str, tuple[int, ...]], ...] = ()
    calculation: str = ""

    @property
    def numbered(self) -> str:
        return "\n".join(f"[{n}] {line}" for n, line in enumerate(self.lines, 1))

    @property
    def used(self) -> str:
        """The lines that answer it, with their numbers."""
        return "\n".join(f"[{n}] {self.lines[n - 1]}" for n in self.uses)


@cache
def pool(name: str) -> tuple[Example, ...]:
    """All examples of a pool."""
    lines = (_FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(_example(json.loads(line)) for line in lines)


def draw(kind: str, language: str, rng: random.Random, of_each: int = 4) -> list[Example]:
    """So many of each pool, of this kind and language, in random order; fewer where a pool has fewer."""
    fit = [[e for e in pool(name) if (e.kind, e.language) == (kind, language)] for name in POOLS]
    found = [example for some in fit for example in rng.sample(some, min(of_each, len(some)))]
    rng.shuffle(found)
    return found


@cache
def judged_examples() -> tuple[dict[str, Any], ...]:
    """Pairs with the right grade for each criterion, a bad one and a good one."""
    return tuple(json.loads(line) for line in (_FOLDER / "judged.jsonl").read_text(encoding="utf-8").splitlines())


def example_digests() -> dict[str, str]:
    """SHA-256 of each file of examples: what a lock pins."""
    return {f"examples/{name}": sha256((_FOLDER / f"{name}.jsonl").read_bytes()) for name in (*POOLS, "judged")}


def _example(row: dict[str, Any]) -> Example:
    return Example(
        kind=row["kind"],
        language=row["language"],
        lines=tuple(row["lines"]),
        question=row["question"],
        uses=tuple(row["uses"]),
        answers=tuple(row["answers"]),
        steps=tuple((step["says"], tuple(step["lines"])) for step in row.get("steps", ())),
        calculation=row.get("calculation", ""),
    )
