"""Integer arithmetic on images that several faults share. Images are rows x columns x BGR, uint8."""

from __future__ import annotations

import cv2
import numpy as np


def random_bytes(noise: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Independent bytes, rows x columns, uint8."""
    return np.frombuffer(noise.bytes(rows * columns), np.uint8).reshape(rows, columns)


ROUND = 8  # pixels a cell of clouds has from where on straight lines from bump to bump would be seen


def clouds(noise: np.random.Generator, rows: int, columns: int, cell: float, stretch: float = 1.0) -> np.ndarray:
    """Smooth noise, uint8 with evenly spread values, rows x columns. `cell`: pixels from one bump to the next across;
    `stretch` times as many downwards."""
    total = np.zeros((rows, columns), np.uint16)
    for octave, weight in ((1.0, 2), (0.45, 1)):
        across = max(2, round(columns / (cell * octave)) + 1)
        down = max(2, round(rows / (cell * octave * stretch)) + 1)
        lattice = random_bytes(noise, down, across)
        if cell * octave >= ROUND:
            lattice = cv2.resize(lattice, (4 * across, 4 * down), interpolation=cv2.INTER_LINEAR_EXACT)
            lattice = cv2.GaussianBlur(lattice, (0, 0), 2)
        smooth = cv2.resize(lattice, (columns, rows), interpolation=cv2.INTER_LINEAR_EXACT)
        total += smooth.astype(np.uint16) * np.uint16(weight)
    ranks = np.cumsum(np.bincount(total.ravel(), minlength=766))
    return ((ranks * 255) // ranks[-1]).astype(np.uint8)[total]


def lighten(image: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Ink towards paper: of what is darker than white, `left` / 256 stays (rows x columns, 0 to 256)."""
    ink = cv2.bitwise_not(image)
    kept: np.ndarray = ink * left.astype(np.uint16)[..., None] + np.uint16(128)
    return cv2.bitwise_not((kept >> 8).astype(np.uint8))


def darken(image: np.ndarray, light: np.ndarray) -> np.ndarray:
    """Times light / 255 (rows x columns or rows x columns x 3, uint8)."""
    if light.ndim == 2:
        light = cv2.merge([light] * 3)
    product: np.ndarray = image.astype(np.uint32) * light + 127
    return (product // 255).astype(np.uint8)


def blend(image: np.ndarray, other: np.ndarray, share: np.ndarray) -> np.ndarray:
    """`other` laid over `image` with `share` / 255 (rows x columns, uint8)."""
    weight = share.astype(np.int32)[..., None]
    mixed: np.ndarray = image.astype(np.int32) * (255 - weight) + other.astype(np.int32) * weight + 127
    return (mixed // 255).astype(np.uint8)


def mix(image: np.ndarray, other: np.ndarray, share: float) -> np.ndarray:
    """The same `share` of `other`, 0 to 1, everywhere."""
    part = min(256, max(0, round(share * 256)))
    mixed: np.ndarray = image.astype(np.uint16) * np.uint16(256 - part) + other.astype(np.uint16) * np.uint16(part)
    return ((mixed + 128) >> 8).astype(np.uint8)


def convolve(image: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """Weighted mean with integer weights (rows x columns, odd, sum at most 65536), edges repeated.

    OpenCV sums in float32, where all these sums are whole numbers below 2^24 and so exact in any order; row by row,
    since it takes large kernels through Fourier's space, which is not.
    """
    reach = kernel.shape[0] // 2
    padded = cv2.copyMakeBorder(image, reach, reach, 0, 0, cv2.BORDER_REPLICATE)
    rows = image.shape[0]
    total = np.zeros(image.shape, np.float32)
    for row, weights in enumerate(kernel):
        used = np.flatnonzero(weights)
        if not used.size:
            continue
        width = max(abs(int(used[0]) - len(weights) // 2), abs(int(used[-1]) - len(weights) // 2))
        line = weights[len(weights) // 2 - width : len(weights) // 2 + width + 1]
        total += _along(padded[row : row + rows], line)
    whole = int(kernel.sum())
    return ((total.astype(np.int32) + whole // 2) // whole).astype(np.uint8)


_LONGEST = 45  # OpenCV leaves the plain sum from 50 weights on


def _along(image: np.ndarray, line: np.ndarray) -> np.ndarray:
    """Sums along rows, float32 and exact."""
    if len(line) <= _LONGEST:
        kernel = line.astype(np.float32)[None]
        return cv2.filter2D(image, cv2.CV_32F, kernel, borderType=cv2.BORDER_REPLICATE)
    reach = len(line) // 2
    padded = cv2.copyMakeBorder(image, 0, 0, reach, reach, cv2.BORDER_REPLICATE)
    total = np.zeros(image.shape, np.float32)
    for at, weight in enumerate(line):
        if weight:
            total += padded[:, at : at + image.shape[1]] * np.float32(weight)
    return total


def smaller(image: np.ndarray, across: float, down: float) -> np.ndarray:
    """At fewer pixels: blurred as much as that needs, then sampled (fractions of the size, up to 1)."""
    rows, columns = image.shape[:2]
    size = (max(1, round(columns * across)), max(1, round(rows * down)))
    sigma_x, sigma_y = (max(0.01, 0.45 * (1 / part - 1)) for part in (across, down))
    soft = cv2.GaussianBlur(image, (0, 0), sigmaX=sigma_x, sigmaY=sigma_y, borderType=cv2.BORDER_REPLICATE)
    return cv2.resize(soft, size, interpolation=cv2.INTER_LINEAR_EXACT)


def larger(image: np.ndarray, columns: int, rows: int) -> np.ndarray:
    """Back at `columns` x `rows`."""
    return cv2.resize(image, (columns, rows), interpolation=cv2.INTER_LINEAR_EXACT)
