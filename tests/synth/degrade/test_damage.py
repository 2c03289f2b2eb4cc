"""Faults on whole documents, through the camera."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from schemas.document import Document, Printed
from schemas.recipe import FAULTS
from schemas.sample import Picture
from synth.degrade.bank import SceneEntry
from synth.degrade.camera import photograph
from synth.degrade.damage import sizes_of
from synth.degrade.warp import flat
from tests.synth.degrade.pages import content, printed, spec
from tests.synth.degrade.test_camera import pixels


@cache
def page(pages: int = 1) -> Printed:
    return printed(74, 105, pages=pages)


def evenly_lit(_scene: str) -> SceneEntry:
    return flat(74, 105)


def shoot(number: int = 0, attempt: int = 0, pages: int = 1, **degradation: object) -> tuple[list[Picture], Document]:
    given = content(degradation={"scenes": ["flat_scan"], **degradation}, picture={"format": "png"})
    return photograph(page(pages), spec(number, attempt=attempt), given, evenly_lit)


def test_severity_0_changes_nothing() -> None:
    plain, labels = shoot()
    assert plain[0].faults == ()
    for name in FAULTS:
        pictures, document = shoot(faults=[name], severity=0)
        assert pictures[0].data == plain[0].data, name
        assert document == labels, name
        assert [(f.name, f.severity, f.amount) for f in pictures[0].faults] == [(name, 0, 0)]


def test_every_page_and_try_has_draws_of_its_own_and_repeats_them() -> None:
    first, again, other = (shoot(attempt=k, pages=2, faults=["stamp"], severity=5) for k in (0, 0, 1))
    assert [p.data for p in first[0]] == [p.data for p in again[0]]
    assert first[1] == again[1]
    assert len({p.data for p in (*first[0], *other[0])}) == 4
    assert {f.severity for p in (*first[0], *other[0]) for f in p.faults} == {5.0}


def test_several_faults_act_together_in_the_order_of_nature() -> None:
    pictures, document = shoot(faults=["jpeg_loss", "elastic", "redaction", "faded_ink"], faults_per_page=4, severity=3)
    assert [f.name for f in pictures[0].faults] == ["faded_ink", "redaction", "elastic", "jpeg_loss"]
    assert {b.role for b in document.blocks} == {"table", "redaction"}


@pytest.mark.parametrize("name", ["redaction", "sticky_note", "hole_punch", "stamp"])
def test_objects_are_labelled_where_they_are_seen(name: str) -> None:
    """What differs from the picture without them lies within their quads' boxes, and most of it is there."""
    plain = pixels(shoot()[0][0]).astype(int)
    pictures, document = shoot(faults=[name], severity=5)
    things = [b for b in document.blocks if b.role == name]
    assert things
    assert [b.id for b in document.blocks] == list(range(len(document.blocks)))
    changed = np.abs(pixels(pictures[0]).astype(int) - plain).max(2) > 60
    inside = np.zeros_like(changed)
    for block in things:
        x0, y0, x1, y1 = (round(c) for c in block.box)
        assert changed[y0:y1, x0:x1].any()
        inside[max(0, y0 - 3) : y1 + 3, max(0, x0 - 3) : x1 + 3] = True
    assert not changed[~inside].any()
    hidden = [w for w in document.words if w.visible < 0.9]
    for word in hidden:
        x0, y0, x1, y1 = (round(c) for c in word.box)
        assert inside[y0:y1, x0:x1].any()
    assert all(0 <= w.visible <= 1 for w in document.words)
    assert hidden or name == "hole_punch"


def test_what_shows_through_is_the_other_page() -> None:
    """The leaf's back side: both pages are alike here, so the patches show in a mirror."""
    plain = pixels(shoot(pages=2)[0][0]).astype(int)
    through = pixels(shoot(pages=2, faults=["bleed_through"], severity=5)[0][0]).astype(int)
    darker = (plain - through).max(2) > 20
    assert 0.005 < darker.mean() < 0.4


def test_type_sizes_of_a_page() -> None:
    document = page(2).document
    assert sizes_of(document, 1, 144) == [(20.0, sum(len(w.text) for w in document.words if w.page == 1))]
    assert sizes_of(document, 7, 144) == [(20.0, 1)]


def test_a_target_error_rate_sets_the_amounts() -> None:
    low, high = (shoot(faults=["gaussian_blur"], target_cer=t)[0][0].faults[0] for t in (0.04, 0.2))
    assert 0 <= low.amount < high.amount < 1
    assert 0 <= low.severity < high.severity <= 5
