"""From a page raster to the pixels of a photograph, in integers only, so that every CPU gives the same bytes.

Display encoding with a power law (gamma 2.2) is used throughout: there the product of two encoded values is the
encoding of the product of their light, so shading multiplies 8-bit pixels exactly as it would in linear light.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import cv2
import numpy as np

from synth.degrade.bank import UV_SPAN, UV_ZERO, SceneEntry
from synth.degrade.mapping import PageMap

cv2.setNumThreads(1)
cv2.ipp.setUseIPP(False)
cv2.ocl.setUseOpenCL(False)

LENS_BYTES = 192 * 1024 * 1024  # about a dozen pages of A4 at 150 dpi
BAND = 16  # rows at a time, so that intermediate integers stay in the cache


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


def paint(page: np.ndarray, shot: Acquisition, gains: tuple[int, int, int]) -> np.ndarray:
    """Printed colours in light of the colour `gains`: black becomes ink, white paper. `page`: rows x columns x BGR."""
    level = np.arange(256, dtype=np.int64)
    table = np.empty((256, 1, 3), np.uint8)
    for c in range(3):
        print_ = shot.ink[c] * (255 - level) + shot.paper[c] * level
        table[:, 0, c] = (print_ * gains[c] + 255 * 32768) // (255 * 65535)
    return cv2.LUT(page, table)


def _sampler(pixels: int) -> tuple[np.ndarray, np.ndarray]:
    """By code: the pixel of the page it looks at (int16), and how far past its centre, in 1/32 (OpenCV's own step)."""
    code = np.arange(65536, dtype=np.int64)
    at = ((2 * code - round(2 * UV_ZERO)) * pixels * 32 + UV_SPAN) // (2 * UV_SPAN) - 16
    return (at >> 5).astype(np.int16), (at & 31).astype(np.uint16)


def _samples(codes_u: np.ndarray, codes_v: np.ndarray, map_: PageMap) -> tuple[np.ndarray, np.ndarray]:
    """What each picture pixel looks at, as OpenCV's fixed-point maps (CV_16SC2 and CV_16UC1)."""
    (pixel_x, part_x), (pixel_y, part_y) = _sampler(map_.page_width), _sampler(map_.page_height)
    part_y = part_y << 5
    whole = np.empty((*codes_u.shape, 2), np.int16)
    part = np.empty(codes_u.shape, np.uint16)
    for top in range(0, len(codes_u), BAND):
        rows = slice(top, top + BAND)
        u, v = codes_u[rows].astype(np.intp), codes_v[rows].astype(np.intp)
        whole[rows] = cv2.merge([np.take(pixel_x, u, mode="clip"), np.take(pixel_y, v, mode="clip")])
        part[rows] = np.take(part_x, u, mode="clip") | np.take(part_y, v, mode="clip")
    return whole, part


def _coverage(codes_u: np.ndarray, codes_v: np.ndarray, map_: PageMap) -> np.ndarray:
    """Share of each pixel that the sheet covers, 0 to 256, from the distances to its edges."""
    code = np.arange(65536, dtype=np.int64)
    inside = np.minimum(2 * code - round(2 * UV_ZERO), round(2 * UV_ZERO) + 2 * UV_SPAN - 2 * code)
    across, down = (
        np.clip((inside * pixels * 128) // UV_SPAN + 128, 0, 256).astype(np.int32)[codes]
        for codes, pixels in ((codes_u, map_.page_width), (codes_v, map_.page_height))
    )
    return across * down >> 8


def _edges(map_: PageMap, codes_u: np.ndarray, codes_v: np.ndarray) -> list[tuple[slice, slice]]:
    """Four strips that hold every pixel which is not wholly on the sheet; the middle is left out."""
    low, high = round(UV_ZERO) + UV_SPAN // 500, round(UV_ZERO) + UV_SPAN - UV_SPAN // 500
    inside = (codes_u > low) & (codes_u < high) & (codes_v > low) & (codes_v < high)
    rows, columns = np.flatnonzero(inside.mean(1) > 0.5), np.flatnonzero(inside.mean(0) > 0.5)
    if not rows.size or not columns.size:
        return [(slice(0, map_.height), slice(0, map_.width))]
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    while bottom - top > 2 and right - left > 2:
        sides = {
            "top": inside[top, left:right],
            "bottom": inside[bottom - 1, left:right],
            "left": inside[top:bottom, left],
            "right": inside[top:bottom, right - 1],
        }
        worst = min(sides, key=lambda name: float(sides[name].mean()))
        if sides[worst].all():
            break
        top, bottom = top + (worst == "top"), bottom - (worst == "bottom")
        left, right = left + (worst == "left"), right - (worst == "right")
    h, w = map_.height, map_.width
    return [
        (slice(0, top), slice(0, w)),
        (slice(bottom, h), slice(0, w)),
        (slice(top, bottom), slice(0, left)),
        (slice(top, bottom), slice(right, w)),
    ]


@dataclass(frozen=True)
class _Lens:
    """What a scene does to every page of one size: computed once, since it costs a third of a picture.

    `whole`, `part`: see `_samples`; `shade`: light on each pixel; `borders`: strips that hold the sheet's edges, with
    the sheet's share of each pixel (0 to 256) and the desk beside it, already times what the sheet leaves of it.
    """

    entry: SceneEntry
    whole: np.ndarray
    part: np.ndarray
    shade: np.ndarray
    borders: tuple[tuple[slice, slice, np.ndarray, np.ndarray], ...]

    @property
    def nbytes(self) -> int:
        strips = sum(share.nbytes + under.nbytes for _, _, share, under in self.borders)
        return self.whole.nbytes + self.part.nbytes + self.shade.nbytes + strips


_lenses: OrderedDict[tuple[int, int, int], _Lens] = OrderedDict()


def _lens(map_: PageMap) -> _Lens:
    """The lens of a map, from memory if the scene was used for this page size lately; bent scenes are not kept."""
    if not map_.entry.digest:
        return _grind(map_)
    key = (id(map_.entry), map_.page_width, map_.page_height)
    held = _lenses.get(key)
    if held is not None and held.entry is map_.entry:
        _lenses.move_to_end(key)
        return held
    _lenses[key] = made = _grind(map_)
    while sum(lens.nbytes for lens in _lenses.values()) > LENS_BYTES and len(_lenses) > 1:
        _lenses.popitem(last=False)
    return made


def _grind(map_: PageMap) -> _Lens:
    entry = map_.entry
    u, v = map_.enlarge(entry.u), map_.enlarge(entry.v)
    borders = []
    for rows, columns in _edges(map_, u, v):
        share = _coverage(u[rows, columns], v[rows, columns], map_)[..., None].astype(np.uint16)
        desk = map_.enlarge(entry.desk, rows, columns)
        borders.append((rows, columns, share, desk * (256 - share) + np.uint16(128)))
    return _Lens(entry, *_samples(u, v, map_), map_.enlarge(entry.shade), tuple(borders))


def expose(page: np.ndarray, map_: PageMap) -> np.ndarray:
    """The painted page bent, lit and laid on the desk: rows x columns x BGR, uint8, without lens or sensor."""
    lens = _lens(map_)
    sheet = cv2.remap(page, lens.whole, lens.part, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    for top in range(0, map_.height, BAND):
        rows = slice(top, top + BAND)
        light: np.ndarray = sheet[rows].astype(np.uint32) * cv2.merge([lens.shade[rows]] * 3)
        sheet[rows] = (light + 32768) >> 16
    for rows, columns, share, under in lens.borders:
        mixed: np.ndarray = sheet[rows, columns] * share + under
        sheet[rows, columns] = mixed >> 8
    return sheet


@lru_cache(maxsize=256)
def _noise_tables(deviation: int) -> tuple[np.ndarray, np.ndarray]:
    """What a random byte adds to and takes from a pixel: 256 quantiles of a normal law, rounded to levels."""
    normal = NormalDist(0, deviation / 100)
    levels = np.array([round(normal.inv_cdf((k + 0.5) / 256)) for k in range(256)])
    return np.maximum(levels, 0).astype(np.uint8), np.maximum(-levels, 0).astype(np.uint8)


def develop(light: np.ndarray, shot: Acquisition) -> np.ndarray:
    """Lens and sensor: a small blur and faint grey noise. The same shape and type as `light`."""
    if shot.blur:
        light = cv2.GaussianBlur(light, (3, 3), shot.blur / 100)  # bit-exact fixed point for 8 bits
    if not shot.noise:
        return light
    rows, columns = light.shape[:2]
    random_bytes = np.random.Generator(np.random.PCG64(shot.seed)).bytes(rows * columns)
    grain = np.frombuffer(random_bytes, np.uint8).reshape(rows, columns)
    more, less = (cv2.LUT(grain, table) for table in _noise_tables(shot.noise))
    light = cv2.add(light, cv2.merge([more, more, more]))
    return cv2.subtract(light, cv2.merge([less, less, less]))
