"""The user's own personas: YAML or JSON Lines files in a folder, parted among the splits by name."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from schemas.draws import partition
from schemas.errors import UserError
from schemas.sample import LANGUAGES, SampleSpec
from synth.persona.people import Profile

MAX_CHARACTERS = 4000
_SUFFIXES = (".yaml", ".yml", ".jsonl")


@lru_cache(maxsize=4)
def read_personas(folder: Path) -> tuple[Profile, ...]:
    """All personas of a folder, in the order of files and lines. UserError with file and line for what is wrong.

    A persona is a mapping of attributes; `name` must be there, `language` says that only documents in it get this
    persona (without it all do), `id` names it (else the file and its place).
    """
    if not folder.is_dir():
        raise UserError("no such folder of personas", str(folder), "name an existing folder in writer.personas")
    found: list[Profile] = []
    for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() in _SUFFIXES):
        for number, (where, raw) in enumerate(_records(path), 1):
            found.append(_profile(raw, f"{path.relative_to(folder).with_suffix('').as_posix()}-{number}", where))
    if not found:
        raise UserError(
            "no persona found", str(folder), "put YAML or JSONL files there, a mapping with `name` for each"
        )
    ids = [one.id for one in found]
    twice = next((one for one in ids if ids.count(one) > 1), None)
    if twice is not None:
        raise UserError(f"two personas have the id {twice!r}", str(folder), "give each its own `id`, or leave it out")
    return tuple(found)


def profiles_of(folder: Path, split: str, language: str, shares: Mapping[str, float]) -> list[Profile]:
    """The personas that a split alone uses in a language. A name stands in one split only. UserError if it has none."""
    fit = [one for one in read_personas(folder) if one.language in ("", language)]
    names = list(dict.fromkeys(one.name for one in fit))
    try:
        mine = set(partition(names, dict(shares), "personas")[split])
    except ValueError:
        raise UserError(
            f"{len(names)} personas for {language} cannot be parted among {len(shares)} splits",
            str(folder),
            "add personas, or use fewer splits",
        ) from None
    return [one for one in fit if one.name in mine]


def choose_profile(spec: SampleSpec, folder: Path, shares: Mapping[str, float]) -> Profile:
    """The persona of a sample from the user's folder."""
    return spec.rng("persona").choice(profiles_of(folder, spec.split, spec.language, shares))


def _records(path: Path) -> Iterator[tuple[str, Any]]:
    """Every record of a file, with where it stands."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UserError("is not UTF-8", str(path), "save it as UTF-8") from None
    if path.suffix.lower() == ".jsonl":
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                try:
                    yield f"{path}:{number}", json.loads(line)
                except json.JSONDecodeError as error:
                    raise UserError(f"not JSON: {error.msg}", f"{path}:{number}", "one object a line") from None
        return
    try:
        raw = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise UserError(f"not YAML: {getattr(error, 'problem', error)}", where, "mend the YAML") from None
    for one in raw if isinstance(raw, list) else [raw]:
        yield str(path), one


def _profile(raw: Any, name: str, where: str) -> Profile:
    if not isinstance(raw, dict) or not raw.get("name"):
        raise UserError(
            "a persona is a mapping with at least `name`", where, "like {name: Ada Wood, occupation: baker}"
        )
    attributes = {str(key): _text(value, str(key), where) for key, value in raw.items()}
    language = attributes.pop("language", "")
    if language not in ("", *LANGUAGES):
        raise UserError(f"unknown language {language!r}", where, f"use one of {', '.join(LANGUAGES)}, or none")
    if sum(map(len, attributes.values())) > MAX_CHARACTERS:
        raise UserError(f"persona {raw['name']!r} is too long", where, f"at most {MAX_CHARACTERS} characters")
    return Profile(attributes.pop("id", name), language, attributes)


def _text(value: Any, key: str, where: str) -> str:
    """An attribute as one line: texts, numbers and dates as they are, lists with commas, groups with their keys."""
    if isinstance(value, dict):
        return "; ".join(f"{name} {_text(one, key, where)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(_text(one, key, where) for one in value)
    if value is None:
        raise UserError(f"{key} has no value", where, "fill it in, or leave it out")
    return " ".join(str(value).split())
