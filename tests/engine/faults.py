"""Engines that fail on purpose, for tests of the pool. Importable by Ray's workers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from actors.writer import Writer
from engine.kinds import Context
from schemas.errors import SampleError, UserError
from schemas.sample import HtmlDocument, SampleSpec
from synth.degrade.bank import encode
from synth.degrade.scenes import SceneSpec


class Faulty:
    """Does what it is told; `folder` is where it counts across processes."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self._held: list[bytes] = []

    def ready(self) -> int:
        return os.getpid()

    def echo(self, value: object) -> object:
        return value

    def grow(self, mb: int) -> int:
        """Keep so much more memory; the process's number."""
        self._held.append(b"x" * (mb * 2**20))
        return os.getpid()

    def pid(self) -> int:
        return os.getpid()

    def reject(self) -> None:
        raise SampleError("too_odd", "faulty", "on purpose")

    def mistake(self) -> None:
        raise UserError("wrong folder", "here", "mend it")

    def raise_always(self, name: str) -> None:
        self._count(name)
        raise ValueError("a bug")

    def crash(self, name: str, times: int) -> str:
        """Ends its process the first `times` times."""
        if self._count(name) <= times:
            os._exit(7)
        return "survived"

    def hang(self, name: str, times: int) -> str:
        if self._count(name) <= times:
            time.sleep(3600)
        return "woke"

    def _count(self, name: str) -> int:
        with (self.folder / name).open("a") as file:
            file.write(f"{os.getpid()}\n")
        return len(self.pids(name))

    def pids(self, name: str) -> list[str]:
        return (self.folder / name).read_text().split()


class Unstartable:
    def ready(self) -> None:
        raise UserError("no browser", "PATH", "install it")


class FaultyWriter(Writer):
    """Ends its process at index 0, hangs at 1, has a bug at 2 and rejects at 3; only on first tries."""

    def write(self, spec: SampleSpec) -> HtmlDocument:
        if spec.attempt == 0:
            if spec.index == 0:
                os._exit(7)
            if spec.index == 1:
                time.sleep(3600)
            if spec.index == 2:
                raise ValueError("a bug")
            raise SampleError("odd", "writer", "on purpose")
        return super().write(spec)


class FaultyContext(Context):
    """A run whose writer is a `FaultyWriter`."""

    def builder(self, kind: str) -> Callable[[], Any]:
        return self.faulty_writer if kind == "writer" else super().builder(kind)

    def faulty_writer(self) -> FaultyWriter:
        return FaultyWriter(self.local_content(), self.lock.templates)


class HopelessWriter(Writer):
    """Rejects every invoice in Chinese."""

    def write(self, spec: SampleSpec) -> HtmlDocument:
        if (spec.type, spec.language) == ("invoice", "zh"):
            time.sleep(0.1)
            raise SampleError("odd", "writer", "on purpose")
        return super().write(spec)


class HopelessContext(Context):
    """A run whose writer is a `HopelessWriter`."""

    def builder(self, kind: str) -> Callable[[], Any]:
        return self.hopeless_writer if kind == "writer" else super().builder(kind)

    def hopeless_writer(self) -> HopelessWriter:
        return HopelessWriter(self.local_content(), self.lock.templates)


class FaultyBaker:
    """Ends or hangs its process at the first bake of some scenes; never ends the bake of one (see `Faulty`)."""

    def __init__(self, folder: str, crash: str, hang: str, never: str = "") -> None:
        self.count, self.crash, self.hang, self.never = Faulty(folder), crash, hang, never

    def ready(self) -> dict[str, str]:
        return {}

    def bake(self, scene: SceneSpec) -> bytes:
        first = self.count._count(scene.id) == 1
        if scene.id == self.never or (first and scene.id == self.crash):
            os._exit(139)
        if first and scene.id == self.hang:
            time.sleep(3600)
        plane = np.zeros((4, 4), np.uint16)
        head = {"scene": scene.id, "frame_x": 10**6, "frame_y": 10**6, "gains": [1, 1, 1], "exposure": 1, "spec": {}}
        planes = {"u": plane, "v": plane, "shade": plane, "desk": np.zeros((4, 4, 3), np.uint8)}
        return encode(head | {"blender": ""}, planes)
