"""What a photograph costs: rendered by Cycles alone, composed with a fresh or a banked scene, and Augraphy beside them.

All on the same page in one run. The full size also holds composed pictures of every family against Cycles' own, in
windows of them: the whole of all would take Cycles a day. `python -m benchmarks.camera FAMILY...` does that alone.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import cv2
import numpy as np

from benchmarks.rivals import augraphy, page_of_invoice
from benchmarks.show import similarity
from benchmarks.sizes import SIZES, Size
from synth.degrade.bake import bake
from synth.degrade.bank import SceneEntry, load
from synth.degrade.compose import Acquisition, develop, expose, tones
from synth.degrade.direct import direct
from synth.degrade.families import FAMILIES
from synth.degrade.mapping import PageMap
from synth.degrade.scenes import scene_spec
from synth.degrade.similarity import likeness_in_windows

FAMILY = "one_crease"
DIRECT_SAMPLES, REFERENCE_SAMPLES = 16, 128
SHOT = Acquisition(ink=(22, 20, 18), paper=(244, 249, 251), blur=40, noise=110, seed=1)
WINDOW = 96  # pixels, the side of a window
A4 = 1.414


def measure(size: Size) -> dict[str, Any]:
    """Wall and CPU seconds a page of each way; similarity by family where the size asks for it."""
    page = _page(size)
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
    result["similarity"] = {family: similarities(family, page, size.likeness) for family in FAMILIES if size.likeness}
    return result


def similarities(family: str, page: np.ndarray, seeds: int) -> list[list[dict[str, float]]]:
    """How like composed pictures are to Cycles' own: by scene of the family and by window (see `windows_of`)."""
    found: list[list[dict[str, float]]] = []
    for seed in range(seeds):
        scene = scene_spec(0, "bench", "train", family, seed, A4)
        alike = likeness_in_windows(scene, load(bake(scene)), page, REFERENCE_SAMPLES, WINDOW)
        found.append([{"plain": round(a.plain, 4), "still": round(a.still, 4)} for a in alike])
        line = ", ".join(f"{a.still:.4f} ({a.plain:.4f})" for a in alike)
        print(f"{family} {seed}: {line}", file=sys.stderr, flush=True)
    return found


def _page(size: Size) -> np.ndarray:
    page = page_of_invoice()
    if size.camera_width == page.shape[1]:
        return page
    return cv2.resize(page, (size.camera_width, round(size.camera_width * A4)), interpolation=cv2.INTER_AREA)


def _compose(page: np.ndarray, entry: SceneEntry) -> np.ndarray:
    map_ = PageMap.of(entry, page.shape[1], page.shape[0])
    return develop(expose(page, map_, tones(SHOT, entry.gains)), SHOT, entry.grain)


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


def main() -> None:
    size = SIZES["full"]
    page = _page(size)
    print(similarity({family: similarities(family, page, size.likeness) for family in sys.argv[1:] or FAMILIES}))


if __name__ == "__main__":
    main()
