from __future__ import annotations

import hashlib

import numpy as np
import pytest

from schemas.errors import UserError
from synth.degrade.bank import SceneEntry, digest, encode, load

HEAD = {
    "scene": "s",
    "frame_x": 10**6,
    "frame_y": 10**6,
    "gains": [65535] * 3,
    "exposure": 1.0,
    "spec": {},
    "blender": "4",
}


def planes() -> dict[str, np.ndarray]:
    rng = np.random.Generator(np.random.PCG64(5))
    noise = {name: rng.integers(0, 65536, (9, 7), dtype=np.uint16) for name in ("u", "v")}
    return noise | {
        "shade": rng.integers(0, 65536, (5, 4), dtype=np.uint16),
        "desk": rng.integers(0, 256, (9, 7, 3), dtype=np.uint8),
    }


def test_planes_survive_unchanged() -> None:
    given = planes()
    entry = load(encode(HEAD, given))
    for name, plane in given.items():
        kept = getattr(entry, name)
        assert kept.dtype == plane.dtype
        np.testing.assert_array_equal(kept, plane)


def test_digest_is_sha256_of_the_bytes(baked: dict[str, bytes], entries: dict[str, SceneEntry]) -> None:
    data = baked["flat_scan"]
    assert digest(data) == hashlib.sha256(data).hexdigest() == entries["flat_scan"].digest


def test_a_baked_entry_is_small(baked: dict[str, bytes]) -> None:
    assert max(len(data) for data in baked.values()) < 700_000


def test_damaged_entries_are_refused_with_one_line() -> None:
    whole = encode(HEAD, planes())
    broken = [b"", whole[:5], whole[:40], whole[:-1], whole + b"x", b"X" + whole[1:], whole[:-20] + bytes(20)]
    broken.append(encode({**HEAD, "gains": [0, 1, 1]}, planes()))
    broken.append(encode({**HEAD, "frame_x": 3}, planes()))
    broken.append(encode(HEAD, planes() | {"v": np.zeros((4, 4), np.uint16)}))
    for data in broken:
        with pytest.raises(UserError, match="here: not a readable scene") as caught:
            load(data, "here")
        assert "\n" not in str(caught.value)
        assert "->" in str(caught.value)


def test_planes_cannot_be_written_to(entries: dict[str, SceneEntry]) -> None:
    with pytest.raises(ValueError, match="read-only"):
        entries["flat_scan"].u[0, 0] = 1
