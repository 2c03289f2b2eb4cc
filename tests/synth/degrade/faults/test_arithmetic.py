from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import correlate

from synth.degrade.faults.arithmetic import blend, clouds, convolve, darken, larger, lighten, mix, smaller


def noise(seed: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


@pytest.mark.parametrize("size", [1, 3, 9, 61])
def test_convolve_is_the_exact_weighted_mean(size: int) -> None:
    """Also with kernels that OpenCV would take through Fourier's space."""
    image = noise().integers(0, 256, (70, 80, 3)).astype(np.uint8)
    kernel = noise(1).integers(0, 12, (size, size))
    kernel[size // 2, size // 2] = 40
    whole = int(kernel.sum())
    expected = [
        (correlate(image[..., c].astype(np.int64), kernel, mode="nearest") + whole // 2) // whole for c in range(3)
    ]
    assert (convolve(image, kernel) == np.stack(expected, -1)).all()


def test_clouds_are_smooth_and_evenly_spread() -> None:
    found = clouds(noise(), 300, 400, 25).astype(int)
    assert np.abs(np.diff(found, axis=1)).max() < 60
    shares = np.histogram(found, bins=4, range=(0, 256))[0] / found.size
    assert np.abs(shares - 0.25).max() < 0.02


def test_light_and_ink() -> None:
    image = np.full((2, 2, 3), 55, np.uint8)
    assert (lighten(image, np.full((2, 2), 256)) == 55).all()
    assert (lighten(image, np.full((2, 2), 128)) == 155).all()
    assert (lighten(image, np.zeros((2, 2), int)) == 255).all()
    assert (darken(image, np.full((2, 2), 255, np.uint8)) == 55).all()
    assert (darken(image, np.full((2, 2), 51, np.uint8)) == 11).all()
    other = np.full((2, 2, 3), 255, np.uint8)
    assert (blend(image, other, np.full((2, 2), 51, np.uint8)) == 95).all()
    assert (mix(image, other, 0.0) == image).all()
    assert (mix(image, other, 1.0) == other).all()


def test_smaller_and_larger_keep_the_extent() -> None:
    image = noise().integers(0, 256, (50, 71, 3)).astype(np.uint8)
    small = smaller(image, 0.4, 0.5)
    assert small.shape == (25, 28, 3)
    assert larger(small, 71, 50).shape == image.shape
    assert (smaller(image, 1, 1) == image).all()
