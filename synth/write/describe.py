"""What a document type consists of: a shipped description, or one that a model makes from examples (UniKIE-Bench, A.4).

A description names elements and their kinds, never a value of an example.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from schemas.errors import SampleError
from schemas.llm import Image, LlmReply, LlmRequest, Message, Text
from schemas.release import sha256
from schemas.steps import Ask, Steps
from synth.llm.answers import read_json
from synth.llm.pictures import MAX_PIXELS
from synth.llm.prompts import load_prompt
from synth.write.clean import STAGE
from synth.write.examples import Example

PROMPT = "describe-1"
MAX_TOKENS = 2000
TRIES = 3
ROOT = Path(__file__).parent / "descriptions"
KINDS = ("header", "key_values", "table", "totals", "text", "list", "signature", "stamp", "figure", "footer")
_ELEMENT = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": list(KINDS)},
        "shows": {"type": "string", "minLength": 3, "maxLength": 400},
        "fields": {"type": "array", "maxItems": 20, "items": {"type": "string", "maxLength": 60}},
    },
    "required": ["kind", "shows", "fields"],
    "additionalProperties": False,
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "paper": {"type": "string", "enum": ["sheet", "roll", "slip"]},
        "purpose": {"type": "string", "minLength": 3, "maxLength": 400},
        "layout": {"type": "string", "minLength": 3, "maxLength": 800},
        "elements": {"type": "array", "minItems": 2, "maxItems": 16, "items": _ELEMENT},
    },
    "required": ["paper", "purpose", "layout", "elements"],
    "additionalProperties": False,
}
_LONG_NUMBER = re.compile(r"\d{4,}")
COPIED_WORDS = 6
COPIED_CHARACTERS = 12  # of scripts that are written without spaces
_SPACELESS = re.compile(r"[\u3400-\u9fff]+")


@dataclass(frozen=True)
class Description:
    """The content elements of a document type and how they are laid out. `paper`: "sheet", "roll" or "slip"."""

    paper: str
    purpose: str
    layout: str
    elements: tuple[tuple[str, str, tuple[str, ...]], ...]  # kind, what it shows, names of fields

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Description:
        elements = tuple((one["kind"], one["shows"], tuple(one["fields"])) for one in raw["elements"])
        return cls(raw["paper"], raw["purpose"], raw["layout"], elements)

    def told(self) -> str:
        """The description as a prompt has it."""
        lines = [self.purpose, f"Layout: {self.layout}", "Elements, from top to bottom:"]
        for kind, shows, fields in self.elements:
            named = f" Fields such as {', '.join(fields)}." if fields else ""
            lines.append(f"- {kind.replace('_', ' ')}: {shows}.{named}")
        return "\n".join(lines)


@lru_cache(maxsize=64)
def shipped_description(kind: str) -> Description | None:
    """The description of a type that comes with the package, None if there is none."""
    path = ROOT / f"{kind}.yaml"
    return Description.of(yaml.safe_load(path.read_text(encoding="utf-8"))) if path.is_file() else None


def shipped_types() -> list[str]:
    return sorted(path.stem for path in ROOT.glob("*.yaml"))


def digests() -> dict[str, str]:
    """SHA-256 of the shipped descriptions, looks and conventions, for the lock."""
    files = sorted([*ROOT.glob("*.yaml"), *ROOT.parent.glob("*.yaml")])
    return {f"writer/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def describe(kind: str, language: str, examples: Sequence[Example], model: str, seed: int) -> Steps[Description]:
    """The description that a model makes of some examples; shared by all samples that ask the same.

    SampleError of stage "writer": "no_description" if no answer of `TRIES` can be read, "copied_example" if all repeat
    what stands in an example.
    """
    reason = SampleError("no_description", STAGE, "nothing was asked")
    for number in range(TRIES):
        reply: LlmReply = yield Ask("describe", _request(kind, language, examples, model, seed + number), shared=True)
        read = read_json(reply, SCHEMA)
        if not read.usable:
            reason = SampleError("no_description", STAGE, f"{read.status} {read.detail}".strip())
            continue
        description = Description.of(read.value)
        copied = copied_from(description.told(), examples)
        if copied is None:
            return description
        reason = SampleError("copied_example", STAGE, f"the description repeats {copied!r}")
    raise reason


def copied_from(text: str, examples: Sequence[Example]) -> str | None:
    """A long number, or a run of words or of Han characters, that a text has from an example; None if there is none."""
    for example in examples:
        for number in _LONG_NUMBER.findall(text):
            if number in example.text:
                return number
        theirs, mine = example.text.split(), text.split()
        runs = {tuple(theirs[i : i + COPIED_WORDS]) for i in range(len(theirs) - COPIED_WORDS + 1)}
        for i in range(len(mine) - COPIED_WORDS + 1):
            if tuple(mine[i : i + COPIED_WORDS]) in runs:
                return " ".join(mine[i : i + COPIED_WORDS])
        for run in _SPACELESS.findall(text):
            for i in range(len(run) - COPIED_CHARACTERS + 1):
                if run[i : i + COPIED_CHARACTERS] in example.text:
                    return run[i : i + COPIED_CHARACTERS]
    return None


def _request(kind: str, language: str, examples: Sequence[Example], model: str, seed: int) -> LlmRequest:
    prompt = load_prompt(PROMPT)
    texts = "\n\n".join(f"Example {n}:\n{one.text}" for n, one in enumerate(examples, 1) if one.text)
    filled = prompt.fill(
        kind=kind.replace("_", " "),
        language=language,
        count=str(len(examples)),
        examples=texts or "The examples are the pictures.",
        kinds=", ".join(KINDS),
    )
    pictures = tuple(Image(p, sha256(p), one.pixels, MAX_PIXELS) for one in examples for p in one.pictures)
    message = Message("user", (*pictures, Text(filled)))
    return LlmRequest(model, (message,), MAX_TOKENS, 0.0, seed=seed, schema=SCHEMA, prompt=prompt.id)
