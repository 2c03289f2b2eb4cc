"""The user's own personas: read with care, parted by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.errors import UserError
from schemas.sample import SampleSpec
from synth.persona.folder import choose_profile, profiles_of, read_personas

SHARES = {"train": 1.0, "test": 1.0}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "crew.yaml").write_text(
        "- {name: Ada Wood, occupation: baker, children: [Tom, Eve], home: {town: Leeds, floor: 2}}\n"
        "- {name: 李雷, language: zh, age: 40}\n- {name: 韩梅梅, language: zh, id: meimei}\n"
    )
    (tmp_path / "more.jsonl").write_text('{"name": "Bo Hill", "age": 31}\n\n{"name": "Cy Dunn"}\n{"name": "Di Fox"}\n')
    return tmp_path


def test_personas_of_a_folder(folder: Path) -> None:
    ada, *_ = people = read_personas(folder)
    assert [p.id for p in people] == ["crew-1", "crew-2", "meimei", "more-1", "more-2", "more-3"]
    assert ada.told() == "- name: Ada Wood\n- occupation: baker\n- children: Tom, Eve\n- home: town Leeds; floor 2"
    assert "language" not in people[1].attributes and people[1].language == "zh"


def test_splits_share_no_name_and_languages_get_their_own(folder: Path) -> None:
    for language in ("en", "zh"):
        train, test = ({p.name for p in profiles_of(folder, split, language, SHARES)} for split in SHARES)
        assert train and test and not train & test
        assert ("李雷" in train | test) == (language == "zh")
    spec = SampleSpec(0, "d", "test", 3, 0, "form", "en", 3)
    assert choose_profile(spec, folder, SHARES) in profiles_of(folder, "test", "en", SHARES)
    with pytest.raises(UserError, match="cannot be parted"):
        profiles_of(folder, "a", "en", dict.fromkeys("abcdefg", 1.0))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.yaml", "- name: [", "a.yaml:"),
        ("a.yaml", "occupation: baker", "at least `name`"),
        ("a.yaml", "name: Ada\nage:", "age has no value"),
        ("a.yaml", "name: Ada\nlanguage: fr", "unknown language 'fr'"),
        ("a.jsonl", '{"name": "Ada"}\n{"name"', "a.jsonl:2"),
        ("a.jsonl", '{"name": "Ada", "id": "x"}\n{"name": "Bo", "id": "x"}', "two personas"),
        ("a.txt", "Ada", "no persona found"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=said) as caught:
        read_personas(tmp_path)
    assert "\n" not in str(caught.value)
