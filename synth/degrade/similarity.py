"""How like a composed picture is to Cycles' own, inside the page."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from synth.degrade.bank import SceneEntry
from synth.degrade.compose import Acquisition, expose, tones
from synth.degrade.direct import direct, photos, printed, shown
from synth.degrade.mapping import PageMap
from synth.degrade.planes import within
from synth.degrade.scenes import SceneSpec
from synth.degrade.stage import Window

CLEAN = Acquisition(ink=(0, 0, 0), paper=(255, 255, 255), blur=0, noise=0, seed=0)
REACH = 5  # pixels to each side that a pixel's similarity sees
LEAST, LEAST_BLURRED = 0.985, 0.95
DRAWN = 2  # windows of a picture that are drawn


def ssim(a: np.ndarray, b: np.ndarray, noise: np.ndarray | None = None) -> np.ndarray:
    """Structural similarity at each pixel (Wang et al. 2004): Gaussian window of 1.5 pixels, grey.

    `noise`: what `b` is off by at each pixel, squared, by an independent measurement; its mean is taken out of the
    variance of `b`, so that noise does not count as a difference in structure.
    """
    x, y = (cv2.cvtColor(i.astype(np.float32), cv2.COLOR_BGR2GRAY).astype(float) for i in (a, b))
    windows: list[np.ndarray] = [x, y, x * x, y * y, x * y, np.zeros_like(x) if noise is None else noise]
    mx, my, xx, yy, xy, nn = (cv2.GaussianBlur(i, (2 * REACH + 1, 2 * REACH + 1), 1.5) for i in windows)
    vx, vy, cov = xx - mx * mx, yy - my * my - nn, xy - mx * my
    c1, c2 = 6.5025, 58.5225
    return (2 * mx * my + c1) * (2 * cov + c2) / ((mx * mx + my * my + c1) * (vx + vy + c2))


def composed(entry: SceneEntry, page: np.ndarray) -> tuple[np.ndarray, PageMap]:
    """The picture without fibre, grain and sensor, which Cycles does not draw, and the map it was taken through."""
    map_ = PageMap.of(replace(entry, fibre=0, grain=0), page.shape[1], page.shape[0])
    return expose(page, map_, tones(CLEAN, entry.gains)), map_


def least(family: str) -> float:
    """Mean SSIM that a family's pictures should have. Shallow focus cannot be factored exactly: a blurred picture is
    mixed from evenly blurred ones."""
    return LEAST_BLURRED if family == "shallow_focus" else LEAST


def inside(map_: PageMap) -> np.ndarray:
    """Which pixels of the picture lie inside the page."""
    rows, columns = np.mgrid[0 : map_.height, 0 : map_.width] + 0.5
    u, v, *_ = map_.forward(columns.ravel(), rows.ravel())
    return within(np.stack([u, v], -1)).reshape(map_.height, map_.width)


def likeness(scene: SceneSpec, entry: SceneEntry, page: np.ndarray, samples: int) -> tuple[float, float]:
    """Mean SSIM inside the page, and by how many levels the composed picture is brighter in the mean.

    Of pixels whose similarity sees the page only: beside it, Cycles shows a grey desk and grey leaves.
    """
    ours, map_ = composed(entry, page)
    reference = direct(scene, entry, page, (map_.width, map_.height), samples)
    square = np.ones((2 * REACH + 1, 2 * REACH + 1), np.uint8)
    seen = np.array(cv2.erode(inside(map_).astype(np.uint8), square)).astype(bool)
    brighter = float((ours[seen].astype(float) - reference[seen]).mean())
    return float(ssim(ours, reference)[seen].mean()), brighter


@dataclass(frozen=True)
class Alike:
    """Mean SSIM in a window: `plain`, and `still`, without the noise of the reference."""

    plain: float
    still: float


def likeness_in_windows(scene: SceneSpec, entry: SceneEntry, page: np.ndarray, samples: int, side: int) -> list[Alike]:
    """How like in each of `windows_of` the picture, where the whole would take Cycles too long.

    Cycles' samples are taken in two halves, of which the difference says how large the noise of both together is.
    """
    ours, map_ = composed(entry, page)
    windows = windows_of(map_, scene.seed, side)
    taken = photos(scene, printed(page), (map_.width, map_.height), samples, windows, takes=2)
    found: list[Alike] = []
    for (left, top, *_), halves in zip(windows, taken, strict=True):
        own = ours[top : top + side, left : left + side]
        both = np.round(shown(scene, entry, halves.mean(0)))
        one, two = (cv2.cvtColor(half.astype(np.float32), cv2.COLOR_BGR2GRAY) for half in shown(scene, entry, halves))
        noise = ((one - two) / 2).astype(np.float64) ** 2
        inner = slice(REACH, side - REACH)
        plain, still = (float(ssim(own, both, n)[inner, inner].mean()) for n in (None, noise))
        found.append(Alike(plain, still))
    return found


def windows_of(map_: PageMap, seed: int, side: int) -> list[Window]:
    """Windows of `side` pixels inside the page, none over another: nearest to the picture's middle, where the light
    changes most, and two drawn by `seed`. Fewer where the page has no room."""
    free = _sums(np.logical_not(inside(map_)), side) == 0  # by the window's top left corner
    rows, columns = np.mgrid[0 : free.shape[0], 0 : free.shape[1]]
    middle = -np.hypot(rows - (map_.height - side) / 2, columns - (map_.width - side) / 2)
    light = np.log(map_.enlarge(map_.entry.shade).astype(np.float64) + 1)
    change = _sums(np.hypot(*np.gradient(light)), side)
    draws = np.random.Generator(np.random.PCG64(seed))
    windows: list[Window] = []
    for wanted in (middle, change, *(draws.random(free.shape) for _ in range(DRAWN))):
        if not free.any():
            break
        top, left = divmod(int(np.where(free, wanted, -np.inf).argmax()), free.shape[1])
        windows.append(Window(left, top, side, side))
        free[max(0, top - side + 1) : top + side, max(0, left - side + 1) : left + side] = False
    return windows


def _sums(values: np.ndarray, side: int) -> np.ndarray:
    """Sum of the values in every square of this side, by its top left corner."""
    total = cv2.integral(values.astype(np.float64))
    return total[side:, side:] - total[:-side, side:] - total[side:, :-side] + total[:-side, :-side]
