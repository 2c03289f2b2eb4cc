"""From a page raster to the pixels of a photograph, in integers only, so that every CPU gives the same bytes.

Ink and paper, then light (in linear values, see light.py), then focus and pixel filter, then lens and sensor.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from synth.degrade.focus import defocus
from synth.degrade.lens import SHADE_ONE, Lens, lens_of
from synth.degrade.light import ENCODED, LINEAR
from synth.degrade.mapping import PageMap

cv2.setNumThreads(1)
cv2.ipp.setUseIPP(False)
cv2.ocl.setUseOpenCL(False)

FILTER = np.array([1 / 8, 6 / 8, 1 / 8], np.float32)
_ENCODED = pa.array(ENCODED)
STRIP = 64  # rows of a picture at a time, so that they stay in the cache from the page to the levels


@dataclass(frozen=True)
class Acquisition:
    """What differs from shot to shot: ink and paper colour (8 bits, BGR), blur (kernel sigma in hundredths of a pixel),
    noise (standard deviation in hundredths of a level) and the noise's seed."""

    ink: tuple[int, int, int]
    paper: tuple[int, int, int]
    blur: int
    noise: int
    seed: int

    @classmethod
    def draw(cls, rng: random.Random) -> Acquisition:
        ink = rng.randint(8, 34)
        white = rng.randint(247, 254)
        warm = rng.randint(0, 9)
        return cls(
            ink=(ink + rng.randint(0, 5), ink + rng.randint(0, 2), ink),
            paper=(white - warm, white - warm // 4, white),
            blur=rng.randint(35, 62),
            noise=rng.randint(60, 170),
            seed=rng.getrandbits(64),
        )


def tones(shot: Acquisition, gains: tuple[int, int, int]) -> np.ndarray:
    """What printed levels become in light of the colour `gains`, black ink and white paper: 256 x 1 x BGR, uint8."""
    level = np.arange(256, dtype=np.int64)
    table = np.empty((256, 1, 3), np.uint8)
    for c in range(3):
        print_ = shot.ink[c] * (255 - level) + shot.paper[c] * level
        table[:, 0, c] = (print_ * gains[c] + 255 * 32768) // (255 * 65535)
    return table


def expose(page: np.ndarray, map_: PageMap, printed: np.ndarray | None = None) -> np.ndarray:
    """The page (rows x columns x BGR, uint8) bent, lit and laid on the desk: the same shape, without sensor.

    `printed`: what its levels become on paper (see `tones`); None leaves them. Light is mixed as light: pixels are
    linear (14 bits) from the page to the end. Then Cycles' pixel filter.
    """
    lens, light = lens_of(map_), cv2.LUT(page, LINEAR if printed is None else LINEAR[printed])
    if lens.blur is not None:
        return encoded(defocus(_lit(light, lens, 0, map_.height), lens.blur)).copy()  # may be written to
    out = np.empty((map_.height, map_.width, 3), np.uint8)
    for top in range(0, map_.height, STRIP):
        low, high = max(0, top - 1), min(map_.height, top + STRIP + 1)  # the filter looks one row further
        strip = encoded(_lit(light, lens, low, high))
        out[top : top + STRIP] = strip[top - low : top - low + STRIP]
    return out


def _lit(light: np.ndarray, lens: Lens, low: int, high: int) -> np.ndarray:
    """Rows `low` to `high` of the picture in linear light (14 bits), before focus and filter; `light`: of the page."""
    samples = lens.whole[low:high], lens.part[low:high]
    sheet = cv2.remap(light, *samples, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    cv2.multiply(sheet, lens.shade[low:high], dst=sheet, scale=1 / SHADE_ONE)  # exact in its floats: 14 and 10 bits
    for rows, columns, share, under in lens.borders:
        first, last = max(low, rows.start), min(high, rows.stop)
        if first < last:
            own = slice(first - rows.start, last - rows.start)
            mixed: np.ndarray = sheet[first - low : last - low, columns] * share[own] + under[own]
            sheet[first - low : last - low, columns] = mixed >> 8
    return sheet


def encoded(light: np.ndarray) -> np.ndarray:
    """Linear light (14 bits, uint16) through the renderer's pixel filter to 8-bit levels.

    The filter is 1/8, 6/8, 1/8 along both axes: after bilinear sampling it comes nearest to what Cycles' filter
    (Blackman-Harris, 1.5 pixels wide) makes of a bilinear texture; docs/scenes.md has the figures.
    """
    # Signed: OpenCV filters those in 32-bit floats, in which these sums (14 bits and 6 behind the point) are exact.
    soft = cv2.sepFilter2D(light.view(np.int16), cv2.CV_16S, FILTER, FILTER, borderType=cv2.BORDER_REPLICATE)
    # Arrow looks 16-bit indices up as they are; NumPy would widen each to 64 bits, which takes twice as long.
    indices = pa.Array.from_buffers(pa.uint16(), soft.size, [None, pa.py_buffer(soft)])
    levels = pc.take(_ENCODED, indices, boundscheck=False).buffers()[1]
    return np.frombuffer(levels, np.uint8, soft.size).reshape(light.shape)


@lru_cache(maxsize=256)
def _noise_tables(deviation: int) -> tuple[np.ndarray, np.ndarray]:
    """What a random byte adds to and takes from a pixel: 256 quantiles of a normal law, rounded to levels."""
    normal = NormalDist(0, deviation / 100)
    levels = np.array([round(normal.inv_cdf((k + 0.5) / 256)) for k in range(256)])
    return np.maximum(levels, 0).astype(np.uint8), np.maximum(-levels, 0).astype(np.uint8)


def develop(light: np.ndarray, shot: Acquisition, grain: int = 0) -> np.ndarray:
    """Lens and sensor: a small blur and faint grey noise. The same shape and type as `light`.

    `grain`: coloured noise of a sensor at its limit besides, deviation in hundredths of a level. Photon noise grows as
    the root of the light, which in display encoding is nearly the same number of levels everywhere.
    """
    if grain:
        light = _grain(light, grain, shot.seed)
    if shot.blur:
        light = cv2.GaussianBlur(light, (3, 3), shot.blur / 100)  # bit-exact fixed point for 8 bits
    if not shot.noise:
        return light
    rows, columns = light.shape[:2]
    level = _noise(shot.seed, rows, columns, 1)
    more, less = (cv2.LUT(level, table) for table in _noise_tables(shot.noise))
    light = cv2.add(light, cv2.merge([more, more, more]))
    return cv2.subtract(light, cv2.merge([less, less, less]))


def _noise(seed: int, rows: int, columns: int, channels: int) -> np.ndarray:
    """Random bytes, rows x columns (x channels)."""
    random_bytes = np.random.Generator(np.random.PCG64(seed)).bytes(rows * columns * channels)
    return np.frombuffer(random_bytes, np.uint8).reshape((rows, columns, channels)[: 2 + (channels > 1)])


def _grain(light: np.ndarray, grain: int, seed: int) -> np.ndarray:
    """Coloured noise at each pixel, and blotches of a few pixels that a phone's noise filter leaves."""
    rows, columns = light.shape[:2]
    blotches = _noise(seed ^ 1, rows // 4 + 1, columns // 4 + 1, 3)
    blotches = cv2.resize(blotches, (columns, rows), interpolation=cv2.INTER_LINEAR_EXACT)
    for layer, deviation in ((_noise(seed ^ 2, rows, columns, 3), grain), (blotches, grain)):
        more, less = (cv2.LUT(layer, table) for table in _noise_tables(deviation))
        light = cv2.subtract(cv2.add(light, more), less)
    return light
