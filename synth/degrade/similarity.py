"""How like a composed picture is to Cycles' own, inside the page."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from synth.degrade.bank import SceneEntry
from synth.degrade.compose import Acquisition, expose, tones
from synth.degrade.direct import direct
from synth.degrade.mapping import PageMap
from synth.degrade.scenes import SceneSpec

CLEAN = Acquisition(ink=(0, 0, 0), paper=(255, 255, 255), blur=0, noise=0, seed=0)
INSIDE = 0.02  # of the sheet is left out along its edges


def ssim(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Structural similarity at each pixel (Wang et al. 2004): Gaussian window of 1.5 pixels, grey."""
    x, y = (cv2.cvtColor(i, cv2.COLOR_BGR2GRAY).astype(float) for i in (a, b))
    windows: list[np.ndarray] = [x, y, x * x, y * y, x * y]
    mean = [cv2.GaussianBlur(i, (11, 11), 1.5) for i in windows]
    mx, my = mean[0], mean[1]
    vx, vy, cov = mean[2] - mx * mx, mean[3] - my * my, mean[4] - mx * my
    c1, c2 = 6.5025, 58.5225
    return (2 * mx * my + c1) * (2 * cov + c2) / ((mx * mx + my * my + c1) * (vx + vy + c2))


def both(scene: SceneSpec, entry: SceneEntry, page: np.ndarray, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """The picture as composed (without fibre, grain and sensor, which Cycles does not draw), and as Cycles sees it."""
    map_ = PageMap.of(replace(entry, fibre=0, grain=0), page.shape[1], page.shape[0])
    ours = expose(page, map_, tones(CLEAN, entry.gains))
    return ours, direct(scene, entry, page, (map_.width, map_.height), samples)


def inside(entry: SceneEntry, width: int, height: int) -> np.ndarray:
    """Which pixels of the picture lie inside the page."""
    map_ = PageMap.of(entry, width, height)
    rows, columns = np.mgrid[0 : map_.height, 0 : map_.width] + 0.5
    u, v, *_ = map_.forward(columns.ravel(), rows.ravel())
    within = (np.minimum(u, v) > INSIDE) & (np.maximum(u, v) < 1 - INSIDE)
    return within.reshape(map_.height, map_.width)


def likeness(scene: SceneSpec, entry: SceneEntry, page: np.ndarray, samples: int) -> tuple[float, float]:
    """Mean SSIM inside the page, and by how many levels the composed one is brighter in the mean."""
    ours, reference = both(scene, entry, page, samples)
    within = inside(entry, page.shape[1], page.shape[0])
    brighter = float((ours[within].astype(float) - reference[within]).mean())
    return float(ssim(ours, reference)[within].mean()), brighter
