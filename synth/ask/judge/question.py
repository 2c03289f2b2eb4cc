"""A question as a judge reads it: its language, its content words, and what it asks one to do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from synth.ask.judge.page import fold, tight

_CUES = Path(__file__).parent / "cues.yaml"
_WORD = re.compile(r"[^\W_]+(?:[\u0980-\u09ff\u0300-\u036f]+[^\W_]*)*|[\u0980-\u09ff]+")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_QUOTED = re.compile(r"[\"“”「『]([^\"“”」』]{2,60})[\"“”」』]")


@lru_cache(maxsize=1)
def cues() -> Mapping[str, Mapping[str, Any]]:
    return yaml.load(_CUES.read_text(encoding="utf-8"), yaml.CSafeLoader)


@lru_cache(maxsize=8)
def _stops(language: str) -> frozenset[str]:
    return frozenset(fold(word) for word in cues()[language]["stop"])


@lru_cache(maxsize=8)
def _groups(language: str) -> Mapping[str, int]:
    return {fold(word): number for number, group in enumerate(cues()[language]["synonyms"]) for word in group}


def language_of(text: str) -> str:
    """en, zh or bn, by the letters."""
    if re.search(r"[\u0980-\u09ff]", text):
        return "bn"
    return "zh" if len(_HAN.findall(text)) and re.search(r"[\u4e00-\u9fff]{2}", text) else "en"


@dataclass(frozen=True)
class Asked:
    """`text` folded; `core` without the words that say which document is meant, `tight` that without white space.

    `tokens` are the core's content words (pairs of characters in Chinese), `quoted` what stands in quotes.
    """

    language: str
    raw: str
    text: str
    core: str
    tight: str
    tokens: tuple[str, ...]
    quoted: tuple[str, ...]

    def cue(self, name: str) -> bool:
        """Whether the question, outside of its quotes, says so."""
        return re.search(cues()[self.language][name], self.bare) is not None

    @property
    def bare(self) -> str:
        return _QUOTED.sub('""', self.core)

    @property
    def unquoted(self) -> str:
        """All of the question but what stands in quotes."""
        return _QUOTED.sub('""', self.text)

    @property
    def ordinals(self) -> list[str]:
        """Numbers of rows, such as the 3 of instalment 3."""
        return [m["n"] for m in re.finditer(cues()[self.language]["ordinal"], self.core)]


def parse(question: str) -> Asked:
    text = " ".join(fold(question).split())
    language = language_of(question)
    quoted = tuple(q.strip() for q in _QUOTED.findall(text))
    core = text
    for pattern in cues()[language]["naming"]:
        core = " ".join(re.sub(pattern, " ", core).split())
    if not content(core, language):
        core = text
    return Asked(language, question, text, core, tight(core), content(core, language), quoted)


@lru_cache(maxsize=8192)
def content(text: str, language: str) -> tuple[str, ...]:
    """Content words of a text: words but the stop words, or neighbouring pairs of Chinese characters."""
    text = fold(text)
    if language != "zh":
        words = _WORD.findall(text)
        return tuple(w for w in words if w not in _stops(language) and not re.fullmatch(r"\d{1,2}", w))
    for stop in sorted(_stops("zh"), key=lambda word: (-len(word), word)):
        if len(stop) > 1:
            text = text.replace(stop, " ")
    tokens: list[str] = []
    text = re.sub("[的是]", " ", text)
    for run in _HAN.findall(text):
        tokens += [run[i : i + 2] for i in range(len(run) - 1)] or ([run] if run not in _stops("zh") else [])
    return (*tokens, *(w for w in re.findall(r"[a-z0-9][a-z0-9.\-]*", text) if len(w) > 1))


def same(a: str, b: str, language: str) -> bool:
    """Whether two words are forms of one."""
    groups = _groups(language)
    return a == b or (alike(a, b, language) and not (a in groups and groups.get(b) == groups[a]))


@lru_cache(maxsize=65536)
def alike(a: str, b: str, language: str) -> bool:
    """Whether two words are forms of one, or mean the same."""
    if a == b:
        return True
    groups = _groups(language)
    if a in groups and groups.get(b) == groups[a]:
        return True
    if language == "zh" or a[0] != b[0] or any(c.isdigit() for c in a + b):
        return False
    shared = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        shared += 1
    short = min(len(a), len(b))
    return shared >= max(3, 0.65 * max(len(a), len(b))) or (shared == short >= 3 and max(len(a), len(b)) <= short + 4)


_AMOUNT = r"[$£€¥৳]? ?(?P<n>\d[\d,]*(?:\.\d+)?)"


def limit(asked: Asked) -> tuple[str, str] | None:
    """(above or below, the number) where a question sets a limit."""
    for side in ("above", "below"):
        pattern = cues()[asked.language][side]
        for part in _alternatives(pattern):
            if found := re.search(part.replace("%N", _AMOUNT), asked.bare):
                return side, found["n"]
    return None


def _alternatives(pattern: str) -> list[str]:
    """Top-level alternatives of a pattern, since each holds the same named number."""
    parts, depth = [""], 0
    for c in pattern:
        depth += (c == "(") - (c == ")")
        if c == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return parts
