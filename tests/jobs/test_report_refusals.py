from __future__ import annotations

from typing import Any

import pytest

from jobs.report_refusals import Refused, length_class, refusals


def rejected(family: str, font: str = "", script: str = "", characters: int | None = 10) -> dict[str, Any]:
    return {"family": family, "font": font, "script": script, "characters": characters}


def accepted(family: str, fonts: list[str], characters: int = 10) -> dict[str, Any]:
    return {"family": family, "fonts": fonts, "characters": characters}


def test_refusals_by_template_font_script_and_length() -> None:
    documents = [
        accepted("a/x", ["Mukti", "Noto Sans"]),
        accepted("a/x", ["Noto Sans"]),
        accepted("a/y", ["Ani"], 6000),
    ]
    tries = [
        rejected("a/x", "Mukti", "Beng"),
        rejected("a/y", "Mukti", "Beng", 600),
        rejected("a/y", characters=700),
        rejected("", characters=None),
    ]
    found = refusals(documents, tries)
    assert found["Template"] == [Refused("a/y", 1, 1, 1), Refused("a/x", 2, 1, 0)]
    assert found["Font"] == [Refused("Mukti", 1, 2, 0), Refused("Ani", 1, 0, 0), Refused("Noto Sans", 2, 0, 0)]
    assert found["Script"] == [Refused("Beng", None, 2, 0)]
    assert found["Length of the text"] == [
        Refused("0 to 199", 2, 1, 0), Refused("500 to 999", 0, 1, 1), Refused("5000 and more", 1, 0, 0)
    ]  # fmt: skip
    assert found["Font"][0].share == pytest.approx(2 / 3)
    assert refusals(documents, []) == {}


@pytest.mark.parametrize(
    ("characters", "name"),
    [
        (None, ""),
        (0, "0 to 199"),
        (199, "0 to 199"),
        (200, "200 to 499"),
        (4999, "2000 to 4999"),
        (5000, "5000 and more"),
    ],
)
def test_classes_of_length(characters: int | None, name: str) -> None:
    assert length_class(characters) == name
