from __future__ import annotations

import math
import random
from dataclasses import replace

import cv2
import numpy as np
import pytest

from schemas.document import Document, PageInfo
from schemas.errors import SampleError
from schemas.geometry import Box, Point, Quad, quad_of
from synth.degrade.bank import SceneEntry
from synth.degrade.labels import Shot, least_quads, map_document
from synth.degrade.mapping import PageMap
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


@pytest.mark.parametrize("name", ["flat_scan", "soft_curl", "one_crease", "roll"])
def test_parents_hold_their_children(entries: dict[str, SceneEntry], name: str) -> None:
    size = (80, 252) if name == "roll" else (210, 297)
    page = printed(*size)
    document = map_document(page.document, shots(entries[name], page.document))
    pairs = [(line, document.words[i]) for line in document.lines for i in line.words]
    pairs += [(block, document.lines[i]) for block in document.blocks for i in block.lines]
    pairs += [(e, document.words[i]) for e in (*document.cells, *document.fields) for i in e.words]
    assert len(pairs) > 200
    for parent, child in pairs:
        assert parent.box.contains(child.box)
        assert outside(parent.quad, child.quad) < 1e-6
    for element in (*document.words, *document.lines, *document.blocks, *document.cells, *document.fields):
        assert element.box.contains(element.quad.box, 1e-9)


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
        ours = least_quads(hull[None], np.empty((1, 0, 2)), like[None])[0]
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


def test_a_word_outside_the_picture_rejects_the_sample() -> None:
    with pytest.raises(SampleError, match="out_of_picture"):
        map_document(small([Box(2, 10, 12, 20), Box(50, 10, 70, 20)]), [shifted(15)])


def test_ink_goes_its_own_way() -> None:
    page = small([Box(10, 10, 30, 20)])
    page = replace(page, words=(replace(page.words[0], ink=Box(11, 9, 31, 23)),))
    assert map_document(page, [shifted(0)]).words[0].ink == (11, 9, 31, 23)
