from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from statistics import median

import numpy as np
import pytest

from schemas.document import Document, PageInfo
from schemas.errors import SampleError
from schemas.geometry import Box
from schemas.sample import TYPES
from synth.content.layout import FAMILIES_APART, family_distances, layout_distance, profiles, ruzicka
from synth.content.writer import write
from synth.render.chromium import Chromium
from synth.render.fonts import font_set
from synth.truth.labels import label
from tests.synth.content.samples import LANGUAGES, only, shipped, spec

EACH = 2  # documents of a family


@pytest.fixture(scope="module")
def printed() -> dict[str, list[Document]]:
    """The first English documents of every family."""
    found: dict[str, list[Document]] = {}
    with Chromium(font_set(LANGUAGES, ()), "auto") as browser:
        for name in sorted(shipped().families):
            found[name] = []
            for index in range(4 * EACH):
                doc = write(spec(name.split("/")[0], "en", index), shipped(), only(name))
                try:
                    found[name].append(label(browser.print(doc), doc))
                except SampleError:
                    continue  # A rejected try; how often that may be is tested with the labels.
                if len(found[name]) == EACH:
                    break
    return found


def of_type(printed: dict[str, list[Document]], kind: str) -> dict[str, list[Document]]:
    return {name: documents for name, documents in printed.items() if name.startswith(f"{kind}/")}


def scaled(document: Document, by: float) -> Document:
    """The document in other units."""

    def box(old: Box) -> Box:
        return Box(*(by * c for c in old))

    return replace(
        document,
        pages=tuple(PageInfo(by * p.width, by * p.height) for p in document.pages),
        words=tuple(replace(w, box=box(w.box)) for w in document.words),
        lines=tuple(replace(line, box=box(line.box)) for line in document.lines),
        cells=tuple(replace(cell, box=box(cell.box)) for cell in document.cells),
        fields=tuple(replace(field, box=box(field.box)) for field in document.fields),
    )


@pytest.mark.parametrize("kind", TYPES)
def test_every_two_families_are_apart_by_the_stated_threshold(printed, kind):
    documents = of_type(printed, kind)
    assert len(documents) >= 6 and all(len(own) == EACH for own in documents.values())
    distances = {pair: d for pair, d in family_distances(documents).items() if pair[0] != pair[1]}
    nearest = min(distances, key=lambda pair: distances[pair])
    assert distances[nearest] >= FAMILIES_APART, nearest


@pytest.mark.parametrize("kind", TYPES)
def test_documents_of_a_family_are_mostly_nearer_than_those_of_two(printed, kind):
    documents = of_type(printed, kind)
    within = [layout_distance(a, b) for own in documents.values() for a, b in combinations(own, 2)]
    between = [layout_distance(a, b) for m, n in combinations(documents, 2) for a in documents[m] for b in documents[n]]
    nearer = float(np.mean(np.array(within)[:, None] < np.array(between)[None, :]))
    assert nearer >= 0.9
    assert median(within) < FAMILIES_APART + 0.1


def test_it_is_a_distance(printed):
    some = [documents[0] for _, documents in sorted(printed.items())][::4]
    for one in some:
        assert layout_distance(one, one) == 0
    for a, b in combinations(some, 2):
        assert 0 < layout_distance(a, b) <= 1
        assert layout_distance(a, b) == pytest.approx(layout_distance(b, a), abs=1e-12)
    for a, b, c in combinations(some, 3):
        assert layout_distance(a, c) <= layout_distance(a, b) + layout_distance(b, c) + 1e-12


def test_units_and_texts_do_not_matter(printed):
    one = printed["form/ruled_sheet"][0]
    assert layout_distance(one, scaled(one, 300 / 72)) == pytest.approx(0, abs=0.02)
    other = replace(one, words=tuple(replace(word, text="x") for word in one.words))
    assert layout_distance(one, other) == 0


def test_moving_everything_down_the_page_is_seen(printed):
    one = printed["form/ruled_sheet"][0]
    taller = replace(one, pages=tuple(PageInfo(p.width, 1.6 * p.height) for p in one.pages))
    assert layout_distance(one, taller) > 0.1


def test_a_page_more_is_seen(printed):
    one = next(d for d in printed["contract/title_page"] if len(d.pages) > 1)
    one = replace(one, cells=(), fields=())
    first = replace(
        one,
        pages=one.pages[:1],
        words=tuple(w for w in one.words if w.page == 0),
        lines=tuple(line for line in one.lines if line.page == 0),
    )
    assert 0.1 < layout_distance(one, first) <= 1


def test_ruzicka_of_known_profiles():
    assert ruzicka(np.array([1.0, 0, 2]), np.array([1.0, 0, 2])) == 0
    assert ruzicka(np.array([1.0, 0]), np.array([0, 1.0])) == 1
    assert ruzicka(np.array([2.0, 1.0]), np.array([1.0, 1.0])) == pytest.approx(1 / 3)
    assert ruzicka(np.array([2.0]), np.array([2.0, 2.0])) == pytest.approx(0.5)
    assert ruzicka(np.zeros(3), np.zeros(5)) == 0


def test_profiles_are_finite_and_not_negative(printed):
    for documents in printed.values():
        for profile in profiles(documents[0]).values():
            assert np.isfinite(profile).all() and (profile >= 0).all()
