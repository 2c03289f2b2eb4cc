"""Who a document is about: personas from a fixed space of ids that is parted among the splits."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from faker import Faker

from schemas.draws import partition
from schemas.errors import SampleError
from schemas.sample import SampleSpec
from synth.content.data import places

SPACE = 4000
FAKER_LOCALES = {"US": "en_US", "GB": "en_GB", "CN": "zh_CN", "BD": "bn_BD"}
_HOUSEHOLDS = ("lives alone", "couple", "couple with one child", "family of four", "three generations", "shared flat")
_STYLES = ("tidy", "hurried", "thrifty", "generous", "old-fashioned", "practical")


@dataclass(frozen=True)
class City:
    """A real town: its region, patterns of postcode and phone (# digit, @ letter), country, and districts if named."""

    name: str
    region: str
    postcode: str
    phone: str
    country: str
    districts: tuple[str, ...]


@dataclass(frozen=True)
class Persona:
    """A person of one split. `id` names it in the space of personas; `age` in years."""

    id: str
    name: str
    female: bool
    age: int
    occupation: str
    household: str
    style: str
    city: City

    def __str__(self) -> str:
        return (
            f"{self.id}: {self.name}, {self.age}, {self.occupation}, {self.household}, {self.style}, {self.city.name}"
        )


@lru_cache(maxsize=4)
def cities_of(language: str) -> tuple[City, ...]:
    """The towns of a language, in the order of the file."""
    cities = []
    for line in places(language)["cities"]:
        name, region, postcode, phone, country, *rest = (part.strip() for part in line.split("|"))
        cities.append(City(name, region, postcode, phone, country, tuple(rest[0].split("、")) if rest else ()))
    return tuple(cities)


@lru_cache(maxsize=4)
def faker(locale: str) -> Faker:
    return Faker(locale)


def owner(name: str, shares: Mapping[str, float]) -> str:
    """The split a proper name belongs to, by its hash, in the ratio of the shares."""
    place = int.from_bytes(hashlib.sha256(f"name\0{name}".encode()).digest()[:8], "big") / 2**64 * sum(shares.values())
    for split, share in shares.items():
        place -= share
        if place < 0:
            return split
    return next(reversed(list(shares)))


def owned(draw: Callable[[], str], split: str, shares: Mapping[str, float]) -> str:
    """The first drawn name that belongs to the split. SampleError if 3000 draws give none."""
    for _ in range(3000):
        name = draw()
        if owner(name, shares) == split:
            return name
    raise SampleError("no_name_for_split", "content", f"3000 draws gave no name that belongs to split {split}")


def draw_name(rng: random.Random, country: str, female: bool) -> str:
    """A person's full name as the country writes it."""
    if country == "BD":
        words = places("bn")
        if not female and rng.random() < 0.12:
            return f"{rng.choice(words['hindu_first'])} {rng.choice(words['hindu_last'])}"
        kind = "female" if female else "male"
        return f"{rng.choice(words[f'{kind}_first'])} {rng.choice(words[f'{kind}_last'])}"
    source = faker(FAKER_LOCALES[country])
    source.seed_instance(rng.getrandbits(64))
    first = source.first_name_female() if female else source.first_name_male()
    last = source.last_name()
    return f"{last}{first}" if country == "CN" else f"{first} {last}"


@lru_cache(maxsize=32)
def _parts(shares: tuple[tuple[str, float], ...]) -> dict[str, list[str]]:
    return partition([f"p{i:04d}" for i in range(SPACE)], dict(shares), "personas")


def personas_of(split: str, shares: Mapping[str, float]) -> list[str]:
    """Ids of the split's personas; parts of different splits are disjoint."""
    return _parts(tuple(shares.items()))[split]


def draw_persona(spec: SampleSpec, shares: Mapping[str, float]) -> Persona:
    """The persona of a sample, from those of its split alone. The same id in the same language is the same person."""
    name_of = spec.rng("persona").choice(personas_of(spec.split, shares))
    rng = random.Random(f"{name_of}:{spec.language}")
    city = rng.choice(cities_of(spec.language))
    female = rng.random() < 0.5
    return Persona(
        id=name_of,
        name=owned(lambda: draw_name(rng, city.country, female), spec.split, shares),
        female=female,
        age=rng.randint(19, 78),
        occupation=rng.choice(places(spec.language)["occupations"]),
        household=rng.choice(_HOUSEHOLDS),
        style=rng.choice(_STYLES),
        city=city,
    )


def draw_city(rng: random.Random, language: str, country: str) -> City:
    return rng.choice([city for city in cities_of(language) if city.country == country])
