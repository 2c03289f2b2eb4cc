"""What a photograph costs: rendered by Cycles alone, composed with a fresh or a banked scene, and Augraphy beside them.

All on the same page in one run. The full size also holds composed pictures of every family against Cycles' own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median
from typing import Any

import cv2
import numpy as np

from benchmarks.rivals import augraphy, page_of_invoice
from benchmarks.sizes import Size
from synth.degrade.bake import bake
from synth.degrade.bank import SceneEntry, load
from synth.degrade.compose import Acquisition, develop, expose, tones
from synth.degrade.direct import direct
from synth.degrade.families import FAMILIES
from synth.degrade.mapping import PageMap
from synth.degrade.scenes import SceneSpec, scene_spec
from synth.degrade.similarity import likeness

FAMILY = "one_crease"
DIRECT_SAMPLES, REFERENCE_SAMPLES = 16, 128
SHOT = Acquisition(ink=(22, 20, 18), paper=(244, 249, 251), blur=40, noise=110, seed=1)
A4 = 1.414


def measure(size: Size) -> dict[str, Any]:
    """Wall and CPU seconds a page of each way; similarity by family where the size asks for it."""
    page = page_of_invoice()
    if size.camera_width != page.shape[1]:
        page = cv2.resize(page, (size.camera_width, round(size.camera_width * A4)), interpolation=cv2.INTER_AREA)
    scene = scene_spec(0, "bench", "train", FAMILY, 0, A4)
    _compose(page, load(bake(scene)))  # Blender is loaded, tables are made
    entries: list[SceneEntry] = []

    def fresh() -> None:
        entries.append(load(bake(scene)))
        _compose(page, entries[-1])

    ways = {"compose, fresh scene": _timed(fresh, 1)}
    ways["compose, banked scene"] = _timed(lambda: _compose(page, entries[0]), size.camera_pages)
    map_ = PageMap.of(entries[0], page.shape[1], page.shape[0])
    ways[f"direct, {DIRECT_SAMPLES} samples"] = _timed(
        lambda: direct(scene, entries[0], page, (map_.width, map_.height), DIRECT_SAMPLES), 1
    )
    result: dict[str, Any] = {"width": page.shape[1], "height": page.shape[0], "ways": ways}
    try:
        result["augraphy"] = augraphy(size.augraphy, page)
    except (RuntimeError, OSError, ValueError) as error:
        result["augraphy"] = {"not_available": str(error)}
    result["similarity"] = {
        f"{family} {seed}": _similarity(scene_spec(0, "bench", "train", family, seed, A4), page)
        for family in FAMILIES
        for seed in range(size.likeness)
    }
    return result


def _compose(page: np.ndarray, entry: SceneEntry) -> np.ndarray:
    map_ = PageMap.of(entry, page.shape[1], page.shape[0])
    return develop(expose(page, map_, tones(SHOT, entry.gains)), SHOT, entry.grain)


def _similarity(scene: SceneSpec, page: np.ndarray) -> float:
    entry = load(bake(scene))
    found, _ = likeness(scene, replace(entry, fibre=0), page, REFERENCE_SAMPLES)
    return round(found, 4)


def _timed(work: Callable[[], Any], times: int) -> dict[str, float]:
    """Median wall and CPU seconds of this process."""
    wall: list[float] = []
    cpu: list[float] = []
    for _ in range(times):
        start, spent = time.perf_counter(), time.process_time()
        work()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - spent)
    return {"seconds": round(median(wall), 4), "cpu_seconds": round(median(cpu), 4)}
