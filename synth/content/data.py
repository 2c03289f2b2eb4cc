"""Reads the word lists that ship with the package: wordings, catalogues of goods, places and names."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent


@lru_cache(maxsize=256)
def read_yaml(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)


def digests() -> dict[str, str]:
    """SHA-256 of every data file of this package that decides content, by path relative to the package."""
    files = sorted(p for kind in ("lexicon", "catalog", "places", "prose") for p in (ROOT / kind).rglob("*.yaml"))
    return {p.relative_to(ROOT).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@lru_cache(maxsize=8)
def lexicon(language: str) -> Mapping[str, tuple[str, ...]]:
    """Wordings by semantic key. Keys that begin with `word.` are titles and slogans, all others are labels.

    ValueError if a key stands in two files or has no wording.
    """
    merged: dict[str, tuple[str, ...]] = {}
    for path in sorted((ROOT / "lexicon" / language).glob("*.yaml")):
        for key, wordings in read_yaml(path).items():
            if key in merged or not wordings or not all(isinstance(w, str) for w in wordings):
                raise ValueError(f"lexicon {language}: {key!r} in {path.name} stands twice or is not a list of texts")
            merged[key] = tuple(wordings)
    return merged


@lru_cache(maxsize=8)
def places(language: str) -> Mapping[str, Any]:
    return read_yaml(ROOT / "places" / f"{language}.yaml")


@dataclass(frozen=True)
class Good:
    """Something sold: name, unit, the bounds of its price in cents, and its heading of the Harmonized System."""

    name: str
    unit: str
    low: int
    high: int
    hs_code: str = ""

    def price(self, rng: random.Random, endings: Sequence[int]) -> int:
        """A price in cents within the bounds, with one of the usual endings (9 for $3.49, 0 for round ones)."""
        cents = rng.randint(self.low, self.high)
        ending = rng.choice(endings)
        base = 10 if ending < 10 else 100
        return max(base, cents - cents % base + ending)


@lru_cache(maxsize=64)
def catalog(language: str, domain: str, country: str = "") -> tuple[Good, ...]:
    """Goods of a domain such as `grocery`, as the country sells them where it has a list of its own.

    Lines read `name | low-high | unit | heading of the Harmonized System`, prices in main units; the last two may lack.
    """
    folder = ROOT / "catalog" / language
    own = folder / country.lower() / f"{domain}.yaml"
    goods = []
    for line in read_yaml(own if country and own.is_file() else folder / f"{domain}.yaml"):
        name, prices, unit, hs_code = ([*(part.strip() for part in line.split("|")), "", ""])[:4]
        low, high = (round(float(p) * 100) for p in prices.split("-"))
        goods.append(Good(name, unit, low, high, hs_code))
    return tuple(goods)
