from __future__ import annotations

import re

import pytest

from jobs.lookbook import Book, as_html
from schemas.recipe import FAULTS, SCENE_FAMILIES
from synth.degrade.bank import SceneEntry
from synth.degrade.scenes import scene_spec
from synth.degrade.warp import flat
from tests.synth.degrade.pages import content, printed, spec


@pytest.fixture(scope="module")
def book() -> Book:
    """A small page in even light: what is tested here is the book, not the pictures."""

    def entry(_scene: str) -> SceneEntry:
        return flat(37, 52)

    def params(scene: str) -> dict[str, float]:
        return scene_spec(0, "test", "train", scene.split("-")[0], 0, 1.414).params

    return Book(printed(37, 52), spec(), content(), entry, params)


def test_every_fault_is_there_at_every_severity_with_its_amount(book: Book) -> None:
    chapters = list(book.faults((0, 5)))
    assert [chapter.name for chapter in chapters] == list(FAULTS)
    for chapter in chapters:
        assert [plate.title for plate in chapter.plates] == ["severity 0", "severity 5"]
        amounts = [float(re.findall(r"amount ([\d.]+)", plate.parameters)[0]) for plate in chapter.plates]
        assert amounts[0] == 0
        assert amounts[1] > 0
        assert chapter.plates[0].page != chapter.plates[1].page, chapter.name


def test_every_scene_family_is_there_with_its_parameters(book: Book) -> None:
    chapters = list(book.scenes())
    assert [chapter.name for chapter in chapters] == list(SCENE_FAMILIES)
    assert all("margin_x" in plate.parameters for chapter in chapters for plate in chapter.plates)
    page = as_html(chapters, "form", "en")
    assert page.count('<img src="data:image/jpeg;base64,') == 2 * sum(len(c.plates) for c in chapters)
    assert "http" not in page.replace("http-equiv", "")
