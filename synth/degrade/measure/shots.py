"""A sheet of lines taken with one fault, and its lines cut out again where the map says they are."""

from __future__ import annotations

import random

import cv2
import numpy as np

from schemas.geometry import quad_of
from schemas.recipe import PictureFormat
from schemas.sample import AppliedFault
from synth.degrade.camera import encode, shoot
from synth.degrade.compose import Acquisition
from synth.degrade.damage import Damage
from synth.degrade.faults.contract import Setting
from synth.degrade.measure.sheets import DPI, TextSheet
from synth.degrade.outlines import following
from synth.degrade.quads import least_quads
from synth.degrade.warp import flat

POINTS = 12  # along each side of a line
USUAL = Acquisition(ink=(22, 21, 20), paper=(246, 249, 251), blur=50, noise=115, seed=0)
"""Ink, paper, lens and sensor in the middle of what the camera draws."""


def take(
    sheet: TextSheet, fault: str, amount: float, seed: str, behind: np.ndarray
) -> tuple[np.ndarray, list[np.ndarray]]:
    """The picture (BGR, uint8) of a sheet with one fault, through an evenly lit camera and a JPEG of quality 90, and
    the quad (4 x 2, pixels) of each of its lines. `behind`: another sheet's image, for what shows through."""
    rows, columns = sheet.image.shape[:2]
    boxes = tuple(line.box for line in sheet.lines)
    setting = Setting(random.Random(0), DPI, behind, boxes, sheet.language)
    damage = Damage((AppliedFault(fault, 0.0, amount),), seed, setting)
    image, _ = damage.sheet(sheet.image)
    image, shot = shoot(image, flat(columns * setting.mm, rows * setting.mm), USUAL, damage)
    data = np.frombuffer(encode(image, PictureFormat()), np.uint8)
    corners = np.array([quad_of(box).flat() for box in boxes]).reshape(-1, 4, 2)
    step = (np.arange(POINTS) / POINTS)[None, None, :, None]
    outline = corners[:, :, None] * (1 - step) + following(corners)[:, :, None] * step
    outline = outline.reshape(len(corners), -1, 2)
    x, y = shot.mapper(outline[..., 0].ravel() / columns, outline[..., 1].ravel() / rows)
    seen = np.stack([x, y], -1).reshape(outline.shape)
    quads = least_quads(seen, following(seen) - seen, seen[:, ::POINTS], shot.limit)
    return cv2.imdecode(data, cv2.IMREAD_COLOR), list(quads)
