from __future__ import annotations

import math
import random
from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.document import Document, PageInfo
from schemas.errors import SampleError
from schemas.geometry import Box, Point, Quad, quad_of
from synth.degrade.bank import SceneEntry
from synth.degrade.labels import map_document
from synth.degrade.mapping import PageMap
from synth.degrade.outlines import Shot
from synth.degrade.quads import least_quads
from synth.truth.structure import parents
from tests.synth.degrade.pages import printed


def shots(entry: SceneEntry, document: Document) -> list[Shot]:
    maps = [PageMap.of(entry, round(p.width * 150 / 72), round(p.height * 150 / 72)) for p in document.pages]
    return [Shot(m.picture, m.width, m.height) for m in maps]


def quad(corners: np.ndarray) -> Quad:
    return Quad(*(Point(float(x), float(y)) for x, y in corners))


def outside(outer: Quad, inner: Quad) -> float:
    """How far the furthest corner of `inner` is out of `outer`, in pixels (clockwise corners, y downwards)."""
    furthest = 0.0
    for a, b in zip(outer, (*outer[1:], outer[0]), strict=True):
        length = math.hypot(b.x - a.x, b.y - a.y)
        for p in inner:
            furthest = max(furthest, -((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)) / length)
    return furthest


def check_containment(document: Document) -> int:
    """Assert that every parent holds its children, box and quad, within the picture; the number of pairs."""
    pairs = [(line, document.words[i]) for line in document.lines for i in line.words]
    pairs += [(block, document.lines[i]) for block in document.blocks for i in block.lines]
    pairs += [(e, document.words[i]) for e in (*document.cells, *document.fields) for i in e.words]
    assert all(parent.contains(child, 1e-6) for parent, child in parents(document))
    for parent, child in pairs:
        assert parent.box.contains(child.box)
        assert outside(parent.quad, child.quad) < 1e-6
    for element in (*document.words, *document.lines, *document.blocks, *document.cells, *document.fields):
        page = document.pages[element.page]
        assert Box(0, 0, page.width, page.height).contains(element.box)
        assert min(element.box.width, element.box.height) > 0
        assert 0 <= element.visible <= 1
    assert all(word.quad.box.contains(word.box, 1e-6) for word in document.words)  # both around one outline
    return len(pairs)


@pytest.mark.parametrize("name", ["flat_scan", "soft_curl", "one_crease", "roll"])
def test_parents_hold_their_children(entries: dict[str, SceneEntry], name: str) -> None:
    page = printed(*((80, 252) if name == "roll" else (210, 297)))
    assert check_containment(map_document(page.document, shots(entries[name], page.document))) > 200


def wild(seed: int) -> Shot:
    """A random map: turned, in perspective, with waves, partly beyond the picture, with hidden patches."""
    rng = np.random.default_rng(seed)
    turn, pull = rng.uniform(-math.pi, math.pi), rng.uniform(-0.35, 0.35, 2)
    waves = [(rng.uniform(0, 0.03), rng.uniform(3, 25), rng.uniform(0, 6), k % 2) for k in range(5)]
    shift = rng.uniform(-0.05, 0.05, 2)

    def picture(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        p = [u - 0.5, v - 0.5]
        for height, speed, phase, axis in waves:
            p[axis] = p[axis] + height * np.sin(speed * p[1 - axis] + phase)
        deep = 1 + pull[0] * p[0] + pull[1] * p[1]
        x, y = p[0] / deep, p[1] / deep
        x, y = x * math.cos(turn) - y * math.sin(turn) + shift[0], x * math.sin(turn) + y * math.cos(turn) + shift[1]
        return (x + 0.5) * 500, (y + 0.5) * 500

    hidden = None
    if seed % 2:
        rows, columns = np.mgrid[0:500, 0:500]
        spots = [(*rng.integers(0, 500, 2), *rng.integers(5, 90, 2)) for _ in range(4)]
        hidden = np.any([((columns - x) / a) ** 2 + ((rows - y) / b) ** 2 < 1 for x, y, a, b in spots], axis=0)
    return Shot(picture, 500, 500, hidden)


def middle_patches() -> list[Box]:
    """Patches far enough within a page of 100 mm that no turn puts one wholly outside the picture."""
    return [Box(75 + 12 * c, 75 + 16 * r, 75 + 12 * c + 3 + c, 75 + 16 * r + 9) for r in range(8) for c in range(11)]


@settings(max_examples=16, derandomize=True, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_parents_hold_their_children_in_any_map(seed: int) -> None:
    page = printed(100, 100, columns=11, boxes=middle_patches())
    assert check_containment(map_document(page.document, [wild(seed)])) >= 200


def test_a_bent_word_is_held_by_its_quad() -> None:
    """An arc: the corners alone would leave its middle out; the quad goes round and no further."""
    bow = Shot(lambda u, v: (u * 100, v * 100 - 8 * np.sin(math.pi * u)), 100, 100)
    word = map_document(small([Box(20, 40, 80, 50)]), [bow]).words[0]
    top, bottom = 40 - 8, 50 - 8 * math.sin(math.pi * 0.2)
    assert word.quad.box == pytest.approx((20, top, 80, bottom), abs=0.02)
    assert word.visible == 1


def test_what_hides_a_word_is_left_out_and_counted() -> None:
    hidden = np.zeros((100, 100), bool)
    hidden[:, 60:] = True
    boxes = [Box(10, 10, 30, 20), Box(52, 10, 72, 20), Box(80, 10, 95, 20)]
    document = map_document(small(boxes), [Shot(lambda u, v: (u * 100, v * 100), 100, 100, hidden)])
    assert [w.visible for w in document.words] == pytest.approx([1, 0.4, 0], abs=0.01)
    assert document.words[1].box == pytest.approx((52, 10, 60, 20), abs=0.3)
    assert document.words[1].ink == pytest.approx((52, 10, 60, 20), abs=0.3)
    assert document.words[2].box == (80, 10, 95, 20)
    assert document.lines[0].visible == pytest.approx(50 / 85, abs=0.01)


def test_a_turned_word_at_the_edge_ends_there() -> None:
    turn = math.radians(20)

    def picture(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x, y = u * 100 - 30, v * 100 - 30
        return x * math.cos(turn) - y * math.sin(turn) + 5, x * math.sin(turn) + y * math.cos(turn) + 40

    word = map_document(small([Box(20, 25, 50, 35)]), [Shot(picture, 100, 100)]).words[0]
    assert word.box.x0 == 0
    assert word.quad.box.x0 >= 0
    own = np.stack(
        picture(*(k.ravel() / 100 for k in np.meshgrid(np.linspace(20, 50, 400), np.linspace(25, 35, 200)))), 1
    )
    assert word.visible == pytest.approx((own[:, 0] > 0).mean(), abs=0.01)


def test_corners_stay_in_the_order_of_the_text(entries: dict[str, SceneEntry]) -> None:
    page = printed(210, 297)
    boxes = [w.box for w in page.document.words]
    turned = replace(
        page.document,
        words=tuple(
            replace(w, quad=Quad(*(quad_of(b)[(k + n) % 4] for k in range(4))))
            for n, (w, b) in enumerate(zip(page.document.words, boxes, strict=True))
        ),
        lines=tuple(replace(e, quad=Quad(*(e.quad[(k + 1) % 4] for k in range(4)))) for e in page.document.lines),
    )
    plain, other = (map_document(d, shots(entries["soft_curl"], d)) for d in (page.document, turned))
    for n, (a, b) in enumerate(zip(plain.words, other.words, strict=True)):
        assert all(math.dist(b.quad[k], a.quad[(k + n) % 4]) < 1e-6 for k in range(4))
    for a, b in zip(plain.lines, other.lines, strict=True):
        assert all(math.dist(b.quad[k], a.quad[(k + 1) % 4]) < 1e-3 for k in range(4))


def test_least_quads_have_the_area_opencv_finds() -> None:
    rng = random.Random(3)
    for _ in range(60):
        angle, cloud = rng.uniform(-0.3, 0.3), []
        for k in range(16):
            t = k / 16 * 2 * math.pi
            x, y = 90 * math.cos(t), 25 * math.sin(t) + rng.uniform(-1, 1)
            cloud.append((x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)))
        hull = cv2.convexHull(np.array(cloud, np.float32))[:, 0].astype(float)
        like = np.array([(-90, -25), (90, -25), (90, 25), (-90, 25)], float)
        sides = np.roll(hull, -1, 0) - hull
        away = np.array([200.0, 200.0])
        ours = least_quads((hull + away)[None], sides[None], (like + away)[None], 2 * away)[0] - away
        (_, (w, h), _) = cv2.minAreaRect(hull.astype(np.float32))
        assert cv2.contourArea(ours.astype(np.float32)) <= w * h * 1.0001
        assert outside(quad(ours), quad(hull[:4])) < 1e-6


def shifted(dx: float) -> Shot:
    """A page of 100 x 100 points pushed `dx` pixels to the left in a picture of 100 x 100."""
    return Shot(lambda u, v: (u * 100 - dx, v * 100), 100, 100)


def small(boxes: list[Box]) -> Document:
    page = printed(100 / 72 * 25.4, 100 / 72 * 25.4, columns=len(boxes), boxes=boxes)
    return replace(page.document, pages=(PageInfo(100, 100),))


def test_a_word_cut_by_the_edge_says_how_much_is_left() -> None:
    document = map_document(small([Box(10, 10, 30, 20), Box(50, 10, 70, 20)]), [shifted(15)])
    assert document.words[0].visible == pytest.approx(0.75)
    assert document.words[0].box == (0, 10, 15, 20)
    assert document.words[1].visible == 1
    assert document.lines[0].box.x0 == 0
    assert document.pages == (PageInfo(100, 100),)


@pytest.mark.parametrize(("cut", "hides"), [(25.0, False), (0.0, True)])
def test_half_a_word_is_half_its_print_however_the_camera_foreshortens_it(cut: float, hides: bool) -> None:
    """What is seen at u is at u squared: the left half of the word fills a third of its place in the picture."""

    def picture(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.sign(u) * u * u * 100 - cut, v * 100

    def back(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, ...]:
        u = np.sqrt(np.maximum(x + cut, 1e-9) / 100)
        return u, y / 100, 1 / (200 * u), 0 * u, 0 * u, 0 * u + 1 / 100

    hidden = np.zeros((100, 100), bool)
    hidden[:, :25] = hides
    document = map_document(small([Box(10, 10, 90, 20)]), [Shot(picture, 100, 100, hidden, back)])
    assert document.words[0].visible == pytest.approx(0.5, abs=0.005)
    assert document.lines[0].visible == pytest.approx(0.5, abs=0.005)


def test_a_word_outside_the_picture_rejects_the_sample() -> None:
    with pytest.raises(SampleError, match="out_of_picture"):
        map_document(small([Box(2, 10, 12, 20), Box(50, 10, 70, 20)]), [shifted(15)])


def test_ink_goes_its_own_way() -> None:
    page = small([Box(10, 10, 30, 20)])
    page = replace(page, words=(replace(page.words[0], ink=Box(11, 9, 31, 23)),))
    assert map_document(page, [shifted(0)]).words[0].ink == (11, 9, 31, 23)
