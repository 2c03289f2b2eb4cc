"""Pages too small, too large, grey, transparent or rotated: a picture with right labels, or a clear refusal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pymupdf
import pytest

from schemas.document import Document, PageInfo, Printed
from schemas.errors import SampleError
from schemas.geometry import Box
from schemas.recipe import FAULTS
from schemas.sample import Picture
from synth.degrade.bank import SceneEntry
from synth.degrade.camera import photograph
from tests.synth.degrade.pages import content, printed, spec
from tests.synth.degrade.test_camera import patch_extent, pixels, recipe


def shoot(page: Printed, entry: SceneEntry | None = None, **changes: Any) -> tuple[list[Picture], Document]:
    """With a scene, or as a clean raster."""
    given = recipe("flat_scan" if entry else "none", **changes)

    def held(scene: str) -> SceneEntry:
        assert entry is not None
        return entry

    return photograph(page, spec(), given, held)


def changed(page: Printed, change: Callable[[pymupdf.Page], object]) -> Printed:
    with pymupdf.open(stream=page.pdf, filetype="pdf") as pdf:
        change(pdf[0])
        return Printed.of(pdf.tobytes(no_new_id=True), page.document)


def test_a_page_of_one_pixel_is_refused() -> None:
    with pytest.raises(SampleError, match=r"picture_size \(1 x 1 pixels; sides from 8"):
        shoot(printed(25.4 / 72, 25.4 / 72, boxes=[Box(0, 0, 1, 1)]), dpi={"min": 72, "max": 72})


def test_a_page_of_two_hundred_megapixels_is_refused_before_it_is_painted() -> None:
    with pytest.raises(SampleError, match=r"picture_size \(14173 x 14173 pixels"):
        shoot(printed(600, 600), dpi={"min": 600, "max": 600})


@pytest.mark.parametrize("form", ["grey", "alpha"])
def test_grey_and_transparent_pictures_on_the_page(entries: dict[str, SceneEntry], form: str) -> None:
    """A grey patch prints grey; what is transparent shows the paper."""
    space, channels = (pymupdf.csGRAY, 1) if form == "grey" else (pymupdf.csRGB, 4)
    stuff = np.full((20, 20, channels), 128, np.uint8)
    if form == "alpha":
        stuff[..., 3] = 0
    sticker = pymupdf.Pixmap(space, 20, 20, stuff.tobytes(), form == "alpha")
    page = printed(74, 105, boxes=[Box(20, 20, 40, 40)])
    page = changed(page, lambda sheet: sheet.insert_image(pymupdf.Rect(80, 80, 180, 180), pixmap=sticker))
    image = pixels(shoot(page)[0][0])
    assert image.ndim == 3
    middle = image[round(130 * 150 / 72), round(130 * 150 / 72)].tolist()
    assert middle == ([128] * 3 if form == "grey" else [255] * 3)
    assert pixels(shoot(page, entries["flat_scan"])[0][0]).shape[2] == 3


def test_a_rotated_page_is_taken_as_it_is_shown(entries: dict[str, SceneEntry]) -> None:
    """Labels are those of the page as shown; labels of the page before it was turned do not fit and are refused."""
    boxes = [Box(60, 30, 90, 45), Box(200, 120, 260, 140)]
    shown = printed(148, 105, boxes=boxes)
    upright = printed(105, 148, boxes=[Box(b.y0, 148 / 25.4 * 72 - b.x1, b.y1, 148 / 25.4 * 72 - b.x0) for b in boxes])
    turned = changed(upright, lambda sheet: sheet.set_rotation(90))
    with pytest.raises(SampleError, match="page_extent"):
        shoot(turned)
    pictures, document = shoot(Printed.of(turned.pdf, shown.document), entries["flat_scan"])
    grey = cv2.cvtColor(pixels(pictures[0]), cv2.COLOR_BGR2GRAY)
    assert len(document.words) == 2
    for word in document.words:
        extent, _ = patch_extent(grey, word)
        assert np.abs(extent - np.array(word.box)).max() < 2


def test_a_page_without_text_takes_every_fault() -> None:
    page = printed(74, 105)
    empty = replace(page.document, words=(), lines=(), blocks=(), cells=(), fields=())
    assert empty.pages == (PageInfo(page.document.pages[0].width, page.document.pages[0].height),)
    for name in FAULTS:
        given = content(degradation={"scenes": ["none"], "faults": [name], "severity": 5})
        pictures, document = photograph(Printed.of(page.pdf, empty), spec(), given, lambda _: None)  # type: ignore[arg-type]
        assert [fault.name for fault in pictures[0].faults] == [name]
        assert not document.words
