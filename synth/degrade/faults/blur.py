"""A camera that moves, is out of focus, or has a poor lens."""

from __future__ import annotations

import math

import cv2
import numpy as np

from synth.degrade.faults.arithmetic import convolve
from synth.degrade.faults.contract import Pixels, Setting, Stage

WHOLE = 4096  # sum of a kernel's weights, nearly
MOTION_MM, DEFOCUS_MM, GAUSS_MM = 4.5, 1.3, 0.9  # at amount 1: the path, the circle's radius, the deviation


def motion_kernel(length: float, angle: float) -> np.ndarray:
    """Integer weights of a straight path of `length` pixels through the middle, `angle` in radians."""
    reach = math.ceil(length / 2) + 1
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.int64)
    steps = max(1, round(length * 8))
    for step in range(steps):
        along = length * ((step + 0.5) / steps - 0.5)
        x, y = along * math.cos(angle) + reach, along * math.sin(angle) + reach
        left, top = math.floor(x), math.floor(y)
        part_x, part_y = round((x - left) * 64), round((y - top) * 64)
        kernel[top, left] += (64 - part_x) * (64 - part_y)
        kernel[top, left + 1] += part_x * (64 - part_y)
        kernel[top + 1, left] += (64 - part_x) * part_y
        kernel[top + 1, left + 1] += part_x * part_y
    return (kernel * WHOLE + kernel.sum() // 2) // kernel.sum()


def disc_kernel(radius: float) -> np.ndarray:
    """Integer weights of a circle of `radius` pixels: the share of each pixel that it covers, from 8 x 8 points."""
    reach = math.ceil(radius)
    points = [(k + 0.5) / 8 - 0.5 for k in range(8)]
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.int64)
    for row in range(-reach, reach + 1):
        for column in range(-reach, reach + 1):
            inside = sum((row + y) ** 2 + (column + x) ** 2 <= radius * radius for x in points for y in points)
            kernel[row + reach, column + reach] = inside
    if not kernel.any():
        kernel[reach, reach] = 1
    return (kernel * WHOLE + kernel.sum() // 2) // kernel.sum()


def _motion(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    angle = setting.rng.uniform(0, math.pi)
    length = amount * setting.pixels(MOTION_MM)
    return convolve(image, motion_kernel(length, angle)) if length >= 0.05 else image.copy()


def _defocus(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    radius = 0.5 + amount * setting.pixels(DEFOCUS_MM)  # half a pixel is one pixel's own extent
    return convolve(image, disc_kernel(radius))


def _gauss(image: np.ndarray, amount: float, setting: Setting) -> np.ndarray:
    sigma = amount * setting.pixels(GAUSS_MM)
    if sigma < 0.05:
        return image.copy()
    return cv2.GaussianBlur(image, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)  # fixed point for 8 bits


MOTION = Pixels("motion_blur", Stage.LENS, "the camera moved along a straight path while the shutter was open", _motion)
DEFOCUS = Pixels(
    "defocus", Stage.LENS, "the lens was focused before or behind the sheet: points become discs", _defocus
)
GAUSS = Pixels("gaussian_blur", Stage.LENS, "a soft lens, or a picture that was enlarged", _gauss)
