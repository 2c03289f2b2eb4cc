from __future__ import annotations

import cv2
import numpy as np

from synth.read.crops import HEIGHT, MARGIN, crop_line
from tests.synth.read.pages import drawn

LINE = (36.0, 26.0, 420.0, 62.0)


def quad(x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


def crop(image: np.ndarray, corners: np.ndarray) -> np.ndarray:
    found = crop_line(image, corners)
    assert found is not None
    return found


def test_a_line_becomes_dark_on_white_of_one_height() -> None:
    found = crop(drawn("en"), quad(*LINE))
    assert found.dtype == np.uint8
    assert HEIGHT * 0.85 <= found.shape[0] - 2 * MARGIN <= HEIGHT
    assert abs((found.shape[1] - 2 * MARGIN) - 384 * HEIGHT / 36) <= 1
    assert found[:MARGIN].min() == 255
    assert found.min() == 0
    assert (found > 200).mean() > 0.7


def test_light_text_and_faint_text_come_out_alike() -> None:
    plain = crop(drawn("en"), quad(*LINE)).astype(int)
    light = crop(255 - drawn("en"), quad(*LINE)).astype(int)
    faint = crop((150 + drawn("en") * 0.2).astype(np.uint8), quad(*LINE)).astype(int)
    assert abs(plain - light).mean() < 3
    assert abs(plain - faint).mean() < 6


def test_a_leaning_line_is_set_upright() -> None:
    image = drawn("en")
    way = cv2.getRotationMatrix2D((380, 120), 7, 1)
    turned = cv2.warpAffine(image, way, image.shape[1::-1], borderValue=(255, 255, 255))
    corners = quad(*LINE) @ way[:, :2].T + way[:, 2]
    assert abs(crop(turned, corners).astype(int) - crop(image, quad(*LINE)).astype(int)).mean() < 12


def test_specks_and_empty_lines() -> None:
    image = drawn("en")
    assert crop_line(image, quad(10, 10, 12, 40)) is None
    assert crop_line(image, quad(10, 10, 10, 10)) is None
    assert crop(np.full_like(image, 255), quad(*LINE)).max() <= 255
