"""Personas hang together, belong to one split, and are the same wherever they are drawn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from schemas.sample import LANGUAGES, SampleSpec
from synth.persona import people
from synth.persona.grammar import grammar_of
from synth.persona.people import OLDEST, YOUNGEST, Profile, draw_profile

SHARES = {"train": 3.0, "test": 1.0}
RETIRED = {"en": "retired", "zh": "退休", "bn": "অবসরপ্রাপ্ত"}
STUDENT = {"en": "student", "zh": "在读学生", "bn": "শিক্ষার্থী"}


def spec(language: str, index: int, split: str = "train") -> SampleSpec:
    return SampleSpec(0, "personas", split, index, 0, "form", language, index)


def drawn(language: str, split: str = "train", count: int = 150) -> Iterator[Profile]:
    return (draw_profile(spec(language, index, split), SHARES) for index in range(count))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_age_and_choice_leads_to_a_whole_person(language: str) -> None:
    seen: dict[str, set[str]] = {}
    for person in drawn(language, count=300):
        assert list(person.attributes)[:5] == ["name", "gender", "age", "region", "street"]
        assert list(person.attributes)[5:] == list(grammar_of(language))
        assert all(value and "{" not in value and "  " not in value for value in person.attributes.values())
        assert YOUNGEST <= int(person.attributes["age"]) <= OLDEST
        for name, value in person.attributes.items():
            seen.setdefault(name, set()).add(value)
    assert len(seen["occupation"]) > 25 and len(seen["household"]) > 60 and len(seen["writing"]) >= 9


@pytest.mark.parametrize("language", LANGUAGES)
def test_attributes_hang_together(language: str) -> None:
    stages: set[str] = set()
    for person in drawn(language, count=300):
        age, work, stage = (person.attributes[name] for name in ("age", "occupation", "stage"))
        stages.add(stage)
        assert int(age) >= 60 or RETIRED[language] not in work
        assert int(age) <= 23 or stage != STUDENT[language]
    assert len(stages) == 6


def test_splits_share_no_person_and_no_name() -> None:
    for language in LANGUAGES:
        train, test = ({(p.id, p.name) for p in drawn(language, split)} for split in ("train", "test"))
        for place in (0, 1):
            assert not {one[place] for one in train} & {one[place] for one in test}


def test_a_person_is_the_same_in_every_sample_and_process() -> None:
    by_id: dict[str, Profile] = {}
    for person in drawn("en", count=800):
        assert by_id.setdefault(person.id, person) == person
    assert draw_profile(spec("zh", 7), SHARES) == draw_profile(spec("zh", 7), SHARES)
    assert "\n- occupation: " in draw_profile(spec("en", 1), SHARES).told()


def test_family_names_follow_the_father_where_they_do() -> None:
    for language, head in (("zh", lambda name: name[0]), ("en", lambda name: name.split()[-1])):
        city = next(c for c in people.cities_of(language))
        rng = spec(language, 0).rng("x")
        father = "孙强" if language == "zh" else "Amy Evans"
        family = people._Family(rng, father, False, city, "train", SHARES)
        assert head(family.slot("child")) == head(father) and family.slot("child") == family.slot("child")
