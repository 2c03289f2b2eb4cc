"""Draws the persona of a sample: a person of the sample's split alone, with attributes that hang together.

Each sample gets a persona that the writer of its document is conditioned on (UniKIE-Bench, A.4); its facts are spelt
out attribute by attribute, as in the source personas of FormGym (section 3.1).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from schemas.errors import SampleError
from schemas.sample import SampleSpec
from synth.content.data import places
from synth.content.persona import City, cities_of, draw_name, owned, personas_of
from synth.persona.grammar import expand

YOUNGEST, OLDEST = 18, 84


@dataclass(frozen=True)
class Profile:
    """A person as a writer is told of: attributes by name, in order, values in the person's language."""

    id: str
    language: str
    attributes: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.attributes["name"]

    def told(self) -> str:
        """One line an attribute, for a prompt."""
        return "\n".join(f"- {name}: {value}" for name, value in self.attributes.items())

    def __str__(self) -> str:
        return f"{self.id}: " + "; ".join(self.attributes.values())


class _Family:
    """Names of the people around a person, each drawn once. Children have the father's family name where they do."""

    def __init__(
        self, rng: random.Random, name: str, female: bool, city: City, split: str, shares: Mapping[str, float]
    ):
        self.rng, self.name, self.female, self.city = rng, name, female, city
        self._split, self._shares = split, shares
        self._known: dict[str, str] = {}

    def slot(self, kind: str) -> str:
        if kind == "city":
            return self.city.name
        if kind not in self._known:
            self._known[kind] = self._draw(kind)
        return self._known[kind]

    def _draw(self, kind: str) -> str:
        if kind == "spouse":
            return self._owned(lambda: draw_name(self.rng, self.city.country, not self.female))
        if kind not in ("child", "second", "elder"):
            raise SampleError("bad_persona", "writer", f"the grammar names nobody {kind!r}")
        father = self._known.get("spouse", self.name) if self.female else self.name
        return self._owned(lambda: self._named_after(father))

    def _named_after(self, father: str) -> str:
        drawn = draw_name(self.rng, self.city.country, self.rng.random() < 0.5)
        if self.city.country == "CN":
            return father[0] + drawn[1:]
        if self.city.country == "BD":
            return drawn
        return f"{drawn.split()[0]} {father.split()[-1]}"

    def _owned(self, draw: Callable[[], str]) -> str:
        return owned(draw, self._split, self._shares)


def draw_profile(spec: SampleSpec, shares: Mapping[str, float]) -> Profile:
    """The persona of a sample from the shipped grammar. The same id in the same language is the same person.

    SampleError if no name of the split is found.
    """
    number = spec.rng("persona").choice(personas_of(spec.split, shares))
    rng = random.Random(f"profile:{number}:{spec.language}")
    city = rng.choice(cities_of(spec.language))
    female = rng.random() < 0.5
    span = OLDEST - YOUNGEST + 1
    age = YOUNGEST + min(rng.randrange(span), rng.randrange(span))
    name = owned(lambda: draw_name(rng, city.country, female), spec.split, shares)
    family = _Family(rng, name, female, city, spec.split, shares)
    said = expand(spec.language, age, rng, family.slot)
    parts = (city.name, rng.choice(city.districts) if city.districts else "", city.region)
    region = ", ".join(part for part in dict.fromkeys(parts) if part)
    street = rng.choice(places(spec.language)["streets"])
    facts = {
        "name": name,
        "gender": "female" if female else "male",
        "age": str(age),
        "region": f"{region} ({city.country})",
        "street": street,
    }
    return Profile(number, spec.language, facts | said)
