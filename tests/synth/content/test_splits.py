from __future__ import annotations

from synth.content.persona import draw_persona, owner, personas_of
from synth.content.typeface import _parted
from synth.content.writer import families_of, write
from tests.synth.content.samples import LANGUAGES, kit, recipe, shipped, spec

SPLITS = {"train": {"samples": 80, "share": 4}, "dev": {"samples": 10}, "test": {"samples": 10}}


def disjoint(groups: list[set[str]]) -> bool:
    return sum(map(len, groups)) == len(set().union(*groups))


def test_families_fonts_and_personas_of_splits_are_disjoint():
    content = recipe(splits=SPLITS)
    families = [set(families_of(spec("receipt", "en", split=s), shipped(), content)) for s in SPLITS]
    assert disjoint(families) and all(families)
    personas = [set(personas_of(s, content.shares)) for s in SPLITS]
    assert disjoint(personas) and min(map(len, personas)) > 500
    for language in LANGUAGES:
        parts = _parted(LANGUAGES, (), language, tuple(content.shares.items()), content.seed)
        assert disjoint([{face.name for face in parts[s]} for s in SPLITS])


def test_spare_fonts_are_those_of_the_split_and_only_where_the_recipe_wants_them():
    content = recipe(splits=SPLITS, fonts={"substitute": True})
    spares: dict[str, set[str]] = {split: set() for split in SPLITS}
    for split in SPLITS:
        for index in range(12):
            doc = write(spec("receipt", "bn", index, split), shipped(), content)
            assert not set(doc.spare_fonts) & set(doc.fonts)
            spares[split] |= set(doc.spare_fonts)
            assert write(spec("receipt", "bn", index, split), shipped(), recipe(splits=SPLITS)).spare_fonts == ()
    parts = _parted(tuple(sorted(LANGUAGES)), (), "bn", tuple(content.shares.items()), content.seed)
    assert spares["train"] and all(spares[s] <= {face.name for face in parts[s]} for s in SPLITS)


def test_families_are_the_same_part_in_every_language():
    content = recipe(splits=SPLITS)
    for split in SPLITS:
        parts = {
            tuple(families_of(spec("invoice", lang, split=split), shipped(), recipe("invoice", SPLITS)))
            for lang in LANGUAGES
        }
        assert len(parts) == 1
    assert content.shares == {"train": 4, "dev": 1, "test": 1}


def test_names_of_people_companies_and_shops_belong_to_their_split():
    shares = {"train": 4.0, "test": 1.0}
    for language in LANGUAGES:
        tools = kit("receipt", language, 0)
        tools._shares = shares
        for draw in (tools.person, tools.company, lambda tools=tools: tools.shop("grocery")):
            assert all(owner(draw(), shares) == "test" for _ in range(5))
        names = {s: {draw_persona(spec("form", language, i, split=s), shares).name for i in range(60)} for s in shares}
        assert not names["train"] & names["test"]


def test_shops_on_the_pages_of_two_splits_never_meet():
    content = recipe(splits={"train": 30, "test": 30})
    shops = {
        split: {
            write(spec("receipt", lang, i, split=split), shipped(), content).values["merchant"]["name"]
            for lang in LANGUAGES
            for i in range(8)
        }
        for split in ("train", "test")
    }
    assert not shops["train"] & shops["test"]
