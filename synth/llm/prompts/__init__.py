"""Prompts are files, `name-version.txt`: mended wording is a new version, an old one never changes.

`{{name}}` is a blank. Lines before `---` are remarks for people and are not sent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from schemas.release import sha256

_BLANK = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True)
class Prompt:
    """A prompt file. `id` is `name-version`, which requests carry."""

    id: str
    text: str
    sha256: str

    @property
    def blanks(self) -> frozenset[str]:
        return frozenset(_BLANK.findall(self.text))

    def fill(self, **values: str) -> str:
        """The prompt with all blanks filled; ValueError for a blank without value and a value without blank."""
        if set(values) != self.blanks:
            raise ValueError(f"prompt {self.id} has the blanks {sorted(self.blanks)}, not {sorted(values)}")
        return _BLANK.sub(lambda match: values[match[1]], self.text)


@cache
def load_prompt(id: str) -> Prompt:
    """The prompt `name-version`, like `kie-1`; KeyError if there is no such file."""
    try:
        text = files(__name__).joinpath(f"{id}.txt").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise KeyError(f"no prompt {id!r}") from None
    _, found, sent = text.partition("\n---\n")
    if not found:
        raise ValueError(f"prompt {id} has no line `---` after its remarks")
    return Prompt(id, sent.strip(), sha256(text.encode()))
