"""What a scene does to every page of one size: computed once, kept for the next page, in integers only."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from synth.degrade.bank import COVER_EDGE, COVER_STEPS, UV_SPAN, UV_ZERO, SceneEntry
from synth.degrade.light import LINEAR
from synth.degrade.mapping import PageMap

LENS_BYTES = 288 * 1024 * 1024  # about a dozen pages of A4 at 150 dpi
BAND = 16  # rows at a time, so that intermediate integers stay in the cache
SHADE_ONE = 1 << 10  # full light
TILE = 512  # side of the paper's fibre, in pixels


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
    """Four strips that hold every pixel which is not wholly on the sheet; the middle is left out.

    The whole picture where something hides the sheet.
    """
    if map_.entry.cover is not None:
        return [(slice(0, map_.height), slice(0, map_.width))]
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
class Lens:
    """What a scene does to every page of one size: computed once, since it costs a third of a picture.

    `whole`, `part`: see `_samples`; `shade`: linear light on each pixel, 0 to SHADE_ONE, three times over; `borders`:
    strips that hold the sheet's edges and what hides it, with the sheet's share of each pixel (0 to 256) and the linear
    light of what is seen beside it (14 bits), already times what the sheet leaves of it; `blur`: radius at each pixel
    (pixels / 16); `hidden`: true where something hides the sheet, None if nothing does.
    """

    entry: SceneEntry
    whole: np.ndarray
    part: np.ndarray
    shade: np.ndarray
    borders: tuple[tuple[slice, slice, np.ndarray, np.ndarray], ...]
    blur: np.ndarray | None
    hidden: np.ndarray | None

    @property
    def nbytes(self) -> int:
        strips = sum(share.nbytes + under.nbytes for _, _, share, under in self.borders)
        planes = (self.whole, self.part, self.shade, self.blur, self.hidden)
        return sum(plane.nbytes for plane in planes if plane is not None) + strips


_lenses: OrderedDict[tuple[int, int, int], Lens] = OrderedDict()


def lens_of(map_: PageMap) -> Lens:
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


def _grind(map_: PageMap) -> Lens:
    entry = map_.entry
    u, v = map_.enlarge(entry.u), map_.enlarge(entry.v)
    shade = map_.enlarge(entry.shade)
    if entry.fibre:
        _weave(shade, entry.fibre, int(entry.spec.get("seed", 0)))
    over = None if entry.cover is None else _hiding(map_, entry.cover)
    borders = []
    for rows, columns in _edges(map_, u, v):
        share = _coverage(u[rows, columns], v[rows, columns], map_)
        if over is not None:
            share = share * (256 - over[rows, columns]) >> 8
        share = share[..., None].astype(np.uint32)
        desk = cv2.LUT(map_.enlarge(entry.desk, rows, columns), LINEAR)
        borders.append((rows, columns, share, desk * (256 - share) + np.uint32(128)))
    blur = None
    if entry.focus is not None:  # codes are picture widths / 16000
        blur = (map_.enlarge(entry.focus).astype(np.uint32) * np.uint32(map_.width) // 1000).astype(np.uint16)
    hidden = None if over is None else over > 128
    light = cv2.merge([(shade >> 6) + ((shade >> 5) & 1)] * 3)
    return Lens(entry, *_samples(u, v, map_), light, tuple(borders), blur, hidden)


def _hiding(map_: PageMap, cover: np.ndarray) -> np.ndarray:
    """Share of each pixel in which something hides the sheet, 0 to 256, from the distance to its edge."""
    zoom = 256 * map_.width // (cover.shape[1] - 2)  # pixels in a cell, times 256
    code = np.arange(256 * 64, dtype=np.int64)
    share = np.clip((code - 64 * COVER_EDGE) * zoom // (64 * COVER_STEPS) + 128, 0, 256).astype(np.int32)
    return share[map_.enlarge(cover.astype(np.uint16) * 64)]  # 1/64 of a code, so that enlarging leaves no steps


@lru_cache(maxsize=8)
def _fibre(seed: int) -> np.ndarray:
    """Unevenness of paper, around 0 with a deviation near 64: fine grain and soft clouds."""
    random_bytes = np.random.Generator(np.random.PCG64(seed)).bytes(TILE * TILE)
    noise = np.frombuffer(random_bytes, np.uint8).reshape(TILE, TILE)
    grain, clouds = (cv2.GaussianBlur(noise, (0, 0), sigma).astype(np.int32) - 127 for sigma in (0.8, 3.0))
    return (2 * grain + 5 * clouds).astype(np.int32)


def _weave(shade: np.ndarray, fibre: int, seed: int) -> None:
    """Put the paper's unevenness into the light, in place. `fibre`: deviation in hundredths of a percent."""
    height, width = shade.shape
    tile = 4096 + _fibre(seed) * fibre * 4096 // (64 * 10_000)
    wide = np.pad(tile, ((0, 0), (0, max(0, width - TILE))), "symmetric")[:, :width].astype(np.uint32)
    for top in range(0, height, BAND):
        turn, row = divmod(top, TILE)
        rows = slice(top, min(top + BAND, height))
        some = (wide if turn % 2 == 0 else wide[::-1])[row : row + rows.stop - rows.start]
        shade[rows] = np.minimum(shade[rows] * some >> 12, 65535)
