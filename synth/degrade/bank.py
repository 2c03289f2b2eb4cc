"""The scene bank's entries: how one is written, checked and read.

An entry is `PLSC2\\n`, a JSON head (4-byte length before it) and one zlib stream with the planes in the head's order.
Planes are integers: they are baked once, kept by the digest of these bytes, and never rendered again for a replay.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from schemas.errors import UserError

MAGIC = b"PLSC2\n"
UV_ZERO, UV_ONE = 10922.5, 54612.5
"""Codes of the sheet's edges, u = 0 and u = 1. The map runs a quarter sheet beyond, so edges are sharp at any size."""
UV_SPAN = 43690
PLANES = {"u": (np.uint16, 2), "v": (np.uint16, 2), "shade": (np.uint16, 2), "desk": (np.uint8, 3)}
EXTRA = {"cover": (np.uint8, 2), "focus": (np.uint8, 2)}
"""Planes that only some families have."""
COVER_EDGE, COVER_STEPS = 128, 24
"""Code of the edge of what hides the sheet, and codes in a cell's length; larger codes are hidden."""
FOCUS_UNIT = 1 / 16_000
"""One step of a blur's radius, in picture widths."""
MAX_SIDE = 8192
EFFORT = 6  # of zlib: 9 saves 6% of the bytes and takes as long as a render


@dataclass(frozen=True)
class SceneEntry:
    """The baked maps of one scene. Each plane has one cell more than the picture on every side.

    `u`, `v`: uint16 codes of the sheet point seen by a cell's centre (`UV_ZERO`, `UV_ONE`), as if nothing hid it and
    nothing were turned over, so that both run smoothly; `shade`: light on white paper, linear, 65535 is picture white;
    `desk`: uint8 BGR (gamma 2.2) of what is seen where the sheet is not. `cover`, if there is any: where the sheet's
    front is hidden by itself or by something else, and `desk` is seen (`COVER_EDGE`). `focus`, if the lens is not
    sharp everywhere: radius of the blur (`FOCUS_UNIT`). `frame_x`, `frame_y`: extent of the picture in sheet widths
    and heights, in millionths. `gains`: colour of the light, BGR, 65535 is one. `fibre`: unevenness of the paper, in
    hundredths of a percent of its light; `grain`: noise of the sensor besides that of every shot, in hundredths of a
    level of white. `exposure`: Cycles' radiance of white paper in full light, which a direct render is exposed by.
    """

    scene: str
    digest: str
    frame_x: int
    frame_y: int
    gains: tuple[int, int, int]
    exposure: float
    u: np.ndarray
    v: np.ndarray
    shade: np.ndarray
    desk: np.ndarray
    spec: dict[str, Any]
    blender: str
    fibre: int = 0
    grain: int = 0
    cover: np.ndarray | None = None
    focus: np.ndarray | None = None

    @property
    def nbytes(self) -> int:
        planes = (self.u, self.v, self.shade, self.desk, self.cover, self.focus)
        return sum(plane.nbytes for plane in planes if plane is not None)


def digest(data: bytes) -> str:
    """SHA-256 of an entry, in hex: its name in the bank and its pin in the lock."""
    return hashlib.sha256(data).hexdigest()


def _squeeze(plane: np.ndarray) -> bytes:
    """Second differences, high and low bytes apart: smooth maps become long runs of nearly equal bytes."""
    flat = plane.reshape(plane.shape[0], -1)
    down = np.diff(flat, axis=0, prepend=np.zeros_like(flat[:1]))
    step = plane.shape[2] if plane.ndim == 3 else 1
    across = down.copy()
    across[:, step:] -= down[:, :-step]
    if plane.dtype == np.uint8:
        return across.tobytes()
    return (across >> 8).astype(np.uint8).tobytes() + (across & 255).astype(np.uint8).tobytes()


def _unsqueeze(data: bytes, shape: tuple[int, ...], dtype: type) -> np.ndarray:
    step = shape[2] if len(shape) == 3 else 1
    rows, cells = shape[0], shape[1]
    raw = np.frombuffer(data, np.uint8)
    if dtype is np.uint16:
        high, low = raw[: raw.size // 2].astype(np.uint16), raw[raw.size // 2 :].astype(np.uint16)
        raw = (high << 8) | low
    across = raw.reshape(rows, cells, step)
    return np.cumsum(np.cumsum(across, axis=1, dtype=dtype), axis=0, dtype=dtype).reshape(shape)


def encode(head: dict[str, Any], planes: dict[str, np.ndarray]) -> bytes:
    """Bytes of an entry. `head`: scene, frame_x, frame_y, gains, fibre, grain, exposure, spec, blender; planes as
    `PLANES` says, and any of `EXTRA`."""
    kinds = {name: kind for name, kind in (PLANES | EXTRA).items() if name in PLANES or name in planes}
    shapes = {name: list(planes[name].shape) for name in kinds}
    text = json.dumps({**head, "shapes": shapes}, sort_keys=True).encode()
    body = b"".join(_squeeze(planes[name].astype(kind)) for name, (kind, _) in kinds.items())
    return MAGIC + struct.pack("<I", len(text)) + text + zlib.compress(body, EFFORT)


def load(data: bytes, where: str = "scene bank entry") -> SceneEntry:
    """Read an entry. UserError if it is not a whole, well-formed one; whether it is the right one, its digest says."""
    try:
        return _load(data)
    except (ValueError, KeyError, TypeError, struct.error, zlib.error) as fault:
        detail = str(fault) or type(fault).__name__
        raise UserError(
            f"not a readable scene ({detail})", where, "remove the file and run again, so that the scene is baked anew"
        ) from None


def _load(data: bytes) -> SceneEntry:
    if not data.startswith(MAGIC):
        raise ValueError("wrong first bytes")
    start = len(MAGIC) + 4
    (length,) = struct.unpack("<I", data[len(MAGIC) : start])
    head = json.loads(data[start : start + length])
    kinds = {name: kind for name, kind in (PLANES | EXTRA).items() if name in PLANES or name in head["shapes"]}
    shapes = {name: tuple(int(n) for n in head["shapes"][name]) for name in kinds}
    for name, (_, dims) in kinds.items():
        if len(shapes[name]) != dims or min(shapes[name]) < 3 or max(shapes[name]) > MAX_SIDE:
            raise ValueError(f"plane {name} has the shape {shapes[name]}")
    sizes = {name: int(np.prod(shapes[name])) * np.dtype(kind).itemsize for name, (kind, _) in kinds.items()}
    unpacker = zlib.decompressobj()
    body = unpacker.decompress(data[start + length :], sum(sizes.values()) + 1)
    if len(body) != sum(sizes.values()) or not unpacker.eof or unpacker.unused_data:
        raise ValueError(f"{len(body)} bytes of planes instead of {sum(sizes.values())}")
    planes, at = {}, 0
    for name, (kind, _) in kinds.items():
        planes[name] = _unsqueeze(body[at : at + sizes[name]], shapes[name], kind)
        planes[name].flags.writeable = False
        at += sizes[name]
    if planes["u"].shape != planes["v"].shape or shapes["desk"][2] != 3:
        raise ValueError("planes of different sizes")
    gains = tuple(int(g) for g in head["gains"])
    frame_x, frame_y = int(head["frame_x"]), int(head["frame_y"])
    if len(gains) != 3 or not all(0 < g <= 65535 for g in gains) or not min(frame_x, frame_y) >= 500_000:
        raise ValueError("impossible frame or light")
    return SceneEntry(
        scene=str(head["scene"]),
        digest=digest(data),
        frame_x=frame_x,
        frame_y=frame_y,
        gains=(gains[0], gains[1], gains[2]),
        exposure=float(head["exposure"]),
        spec=dict(head["spec"]),
        blender=str(head["blender"]),
        fibre=int(head.get("fibre", 0)),
        grain=int(head.get("grain", 0)),
        **planes,
    )
