"""Which fonts a document uses, from those that its split alone may use."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from schemas.draws import partition
from schemas.errors import UserError
from schemas.recipe import Content
from synth.render.fonts import Family, font_set

COMMON_LATIN = "Noto Sans"  # staged for every language
_GENERIC = {"sans": "sans-serif", "serif": "serif", "mono": "monospace", "hand": "cursive"}


@dataclass(frozen=True)
class Stack:
    """CSS font families of a document: `text` for all of it, `hand` for what is filled in by hand."""

    families: tuple[str, ...]
    text: str
    hand: str


@lru_cache(maxsize=64)
def _parted(
    languages: tuple[str, ...],
    folders: tuple[Path, ...],
    language: str,
    shares: tuple[tuple[str, float], ...],
    seed: int,
) -> dict[str, list[Family]]:
    """The language's text fonts and hand fonts, each parted among the splits. UserError if there are too few."""
    families = [f for f in font_set(languages, folders).families if f.language == language]
    by_name = {family.name: family for family in families}
    text = sorted(f.name for f in families if f.kind != "hand")
    hand = sorted(f.name for f in families if f.kind == "hand")
    salt = f"{seed}:fonts:{language}"
    try:
        parts = partition(text, dict(shares), salt)
    except ValueError:
        raise UserError(
            f"{len(text)} fonts for {language} cannot be parted among {len(shares)} splits",
            "content.splits",
            "use fewer splits or add fonts in fonts.folders",
        ) from None
    if len(hand) >= len(shares):
        hands = partition(hand, dict(shares), salt)
    else:  # Too few for all: the splits that get none write by hand in their text font.
        hands = {split: [name] for (split, _), name in zip(shares, hand, strict=False)}
    return {split: [by_name[n] for n in parts[split] + hands.get(split, [])] for split, _ in shares}


def draw_stack(rng: random.Random, language: str, split: str, content: Content, wish: str) -> Stack:
    """The language's text font, then a Latin one. `wish` is a kind or `any`; hand fonts only where asked for.

    UserError if there are fewer fonts than splits.
    """
    main = _pick(rng, language, split, content, wish)
    names = [main.name]
    if language != "en" and "en" in content.languages:
        names.append(_pick(rng, "en", split, content, main.kind).name)
    names.append(COMMON_LATIN)
    hand = _pick(rng, language, split, content, "hand")
    names = list(dict.fromkeys(names))
    text = ", ".join(f"'{name}'" for name in names) + f", {_GENERIC[main.kind]}"
    return Stack(tuple(dict.fromkeys((*names, hand.name))), text, f"'{hand.name}', {text}")


def spare_families(rng: random.Random, language: str, split: str, content: Content, drawn: Stack) -> tuple[str, ...]:
    """The other text fonts of the split, in a drawn order: what may stand in where a font cannot write a text."""
    shares = tuple(content.shares.items())
    mine = _parted(tuple(content.languages), content.fonts.folders, language, shares, content.seed)[split]
    spares = [family.name for family in mine if family.kind != "hand" and family.name not in drawn.families]
    rng.shuffle(spares)
    return tuple(spares)


def _pick(rng: random.Random, language: str, split: str, content: Content, wish: str) -> Family:
    shares = tuple(content.shares.items())
    mine = _parted(tuple(content.languages), content.fonts.folders, language, shares, content.seed)[split]
    fit = [family for family in mine if family.kind == wish]
    return rng.choice(fit or [family for family in mine if family.kind != "hand"])
