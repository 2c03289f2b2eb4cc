"""Which fonts a document uses, from those that its split alone may use."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from schemas.draws import partition
from schemas.errors import UserError
from schemas.recipe import Content

_GENERIC = {"sans": "sans-serif", "serif": "serif", "mono": "monospace", "hand": "cursive"}


@dataclass(frozen=True)
class Face:
    """A font family and its kind: sans, serif, mono or hand."""

    family: str
    kind: str


FACES: Mapping[str, tuple[Face, ...]] = {
    "en": (Face("Noto Sans", "sans"), Face("Noto Serif", "serif"), Face("Noto Sans Mono", "mono")),
    "zh": (Face("Noto Sans CJK SC", "sans"), Face("Noto Serif CJK SC", "serif")),
    "bn": (Face("Noto Sans Bengali", "sans"), Face("Noto Serif Bengali", "serif")),
}


@dataclass(frozen=True)
class Stack:
    """CSS font families of a document: `text` for all of it, `hand` for what is filled in by hand."""

    families: tuple[str, ...]
    text: str
    hand: str


def draw_stack(rng: random.Random, language: str, split: str, content: Content, wish: str) -> Stack:
    """The language's text font, then a Latin one. `wish` is a kind or `any`; hand fonts only where asked for.

    UserError if there are fewer fonts than splits.
    """
    main = _pick(rng, language, split, content, wish)
    stack = [main]
    if language != "en":
        stack.append(_pick(rng, "en", split, content, main.kind))
    hand = _pick(rng, language, split, content, "hand")
    families = tuple(dict.fromkeys(face.family for face in stack))
    quoted = ", ".join(f"'{name}'" for name in families)
    text = f"{quoted}, {_GENERIC[main.kind]}"
    return Stack(tuple(dict.fromkeys((*families, hand.family))), text, f"'{hand.family}', {text}")


def _pick(rng: random.Random, language: str, split: str, content: Content, wish: str) -> Face:
    faces = {face.family: face for face in FACES[language]}
    try:
        mine = partition(sorted(faces), content.shares, f"{content.seed}:fonts:{language}")[split]
    except ValueError:
        raise UserError(
            f"{len(faces)} fonts for {language} cannot be parted among {len(content.shares)} splits",
            "content.splits",
            "use fewer splits or add fonts in fonts.folders",
        ) from None
    fit = [faces[name] for name in mine if faces[name].kind == wish]
    plain = [faces[name] for name in mine if faces[name].kind != "hand"]
    return rng.choice(fit or plain or [faces[name] for name in mine])
