from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from schemas.document import Document, Printed, Word
from schemas.errors import SampleError
from schemas.recipe import Content
from schemas.sample import Picture
from synth.degrade.bank import COVER_EDGE, COVER_STEPS, PLANES, SceneEntry, encode, load
from synth.degrade.camera import photograph
from tests.synth.degrade.pages import content, printed, spec

ROOT = Path(__file__).parents[3]
SIZES = {"flat_scan": (210, 297), "soft_curl": (210, 297), "one_crease": (210, 297), "roll": (80, 252)}


def recipe(name: str, form: str = "png", **changes: object) -> Content:
    family = "soft_curl" if name == "roll" else name
    degradation = {"scenes": {family: 1}, "per_split": 1}
    return content(degradation=degradation, picture={"format": form}, **changes)


def pixels(picture: Picture) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(picture.data, np.uint8), cv2.IMREAD_COLOR)


def patch_extent(grey: np.ndarray, word: Word) -> tuple[np.ndarray, np.ndarray]:
    """Extent (x0, y0, x1, y1) and centre of the dark patch about a word, found in the picture alone."""
    pad = 9
    x0, y0 = int(word.box.x0) - pad, int(word.box.y0) - pad
    crop = grey[max(0, y0) : int(word.box.y1) + pad, max(0, x0) : int(word.box.x1) + pad].astype(float)
    paper, ink = np.percentile(crop, 90), np.percentile(crop, 5)
    dark = np.clip((paper - crop) / (paper - ink), 0, 1)
    dark[dark < 0.15] = 0
    ys, xs = np.nonzero(dark > 0.5)
    extent = np.array([xs.min(), ys.min(), xs.max() + 1, ys.max() + 1], float)
    yy, xx = np.mgrid[0 : dark.shape[0], 0 : dark.shape[1]] + 0.5
    centre = np.array([(xx * dark).sum(), (yy * dark).sum()]) / dark.sum()
    origin = np.array([max(0, x0), max(0, y0)], float)
    return extent + np.tile(origin, 2), centre + origin


@pytest.mark.parametrize("name", list(SIZES))
def test_patches_lie_where_their_labels_say(entries: dict[str, SceneEntry], name: str) -> None:
    """What is dark in the picture is measured, and compared with the labels; the map is not asked."""
    pictures, document = photograph(printed(*SIZES[name]), spec(), recipe(name), lambda _: entries[name])
    grey = cv2.cvtColor(pixels(pictures[0]), cv2.COLOR_BGR2GRAY)
    edges, centres = [], []
    for word in document.words:
        extent, centre = patch_extent(grey, word)
        edges.append(np.abs(extent - np.array(word.box)))
        centres.append(np.linalg.norm(centre - np.array(word.quad).mean(0)))
    print(
        f"\n{name}: edges median {np.median(edges):.2f} max {np.max(edges):.2f}, centres max {np.max(centres):.2f} px"
    )
    assert np.median(edges) <= 0.6
    assert np.max(edges) <= 2.0
    assert np.max(centres) <= 0.5


@pytest.mark.parametrize(("form", "magic"), [("jpeg", b"\xff\xd8\xff"), ("webp", b"RIFF"), ("png", b"\x89PNG")])
def test_formats(entries: dict[str, SceneEntry], form: str, magic: bytes) -> None:
    pictures, document = photograph(printed(74, 105), spec(), recipe("soft_curl", form), lambda _: entries["soft_curl"])
    assert pictures[0].data.startswith(magic)
    assert pixels(pictures[0]).shape == (pictures[0].height, pictures[0].width, 3)
    assert (document.pages[0].width, document.pages[0].height) == (pictures[0].width, pictures[0].height)
    assert pictures[0].format == form
    assert pictures[0].dpi == 150


def test_quality_is_the_recipes(entries: dict[str, SceneEntry]) -> None:
    sizes = []
    for quality in (40, 95):
        given = recipe("soft_curl").model_copy(update={"picture": content(picture={"quality": quality}).picture})
        pictures, _ = photograph(printed(74, 105), spec(), given, lambda _: entries["soft_curl"])
        sizes.append(len(pictures[0].data))
    assert sizes[1] > 1.5 * sizes[0]


def test_a_clean_raster_is_the_page_itself() -> None:
    clean = content(degradation={"scenes": ["none"]}, picture={"format": "png"})

    def no_scene(scene: str) -> SceneEntry:
        raise AssertionError(scene)

    pictures, document = photograph(printed(210, 297), spec(), clean, no_scene)
    assert (pictures[0].width, pictures[0].height, pictures[0].scene) == (1240, 1754, "none")
    image = pixels(pictures[0])
    for word in document.words:
        assert not image[
            round(word.box.y0) + 1 : round(word.box.y1) - 1, round(word.box.x0) + 1 : round(word.box.x1) - 1
        ].any()
    assert image[0, 0].tolist() == [255, 255, 255]


def test_pages_of_a_document_share_family_and_resolution(entries: dict[str, SceneEntry]) -> None:
    asked: list[str] = []

    def entry(scene: str) -> SceneEntry:
        asked.append(scene)
        return entries["one_crease"]

    given = content(degradation={"scenes": {"one_crease": 1}, "per_split": 3}, dpi={"min": 80, "max": 120})
    pictures, document = photograph(printed(210, 297, pages=3), spec(), given, entry)
    assert [p.page for p in pictures] == [0, 1, 2]
    assert [p.scene for p in pictures] == asked
    assert len({p.dpi for p in pictures}) == 1
    assert len({p.data for p in pictures}) == 3
    assert {w.page for w in document.words} == {0, 1, 2}
    assert all(w.id == n for n, w in enumerate(document.words))


@pytest.mark.parametrize("size", [(297, 210), (60, 900), (210, 100)])
def test_pages_far_from_any_bucket(entries: dict[str, SceneEntry], size: tuple[int, int]) -> None:
    name = "roll" if size[1] > 500 else "soft_curl"
    pictures, document = photograph(printed(*size), spec(), recipe(name), lambda _: entries[name])
    assert pictures[0].height / pictures[0].width == pytest.approx(size[1] / size[0], rel=0.12)
    grey = cv2.cvtColor(pixels(pictures[0]), cv2.COLOR_BGR2GRAY)
    errors = [np.abs(patch_extent(grey, word)[0] - np.array(word.box)).max() for word in document.words]
    assert max(errors) <= 2.0


def test_resolution_is_drawn_within_the_range(entries: dict[str, SceneEntry]) -> None:
    given = recipe("flat_scan", "jpeg", dpi={"min": 60, "max": 90})
    seen = {photograph(printed(50, 70), spec(n), given, lambda _: entries["flat_scan"])[0][0].dpi for n in range(30)}
    assert min(seen) >= 60
    assert max(seen) <= 90
    assert len(seen) > 8


def test_bad_pages_reject_the_sample(entries: dict[str, SceneEntry]) -> None:
    page = printed(100, 140)

    def shoot(document: Document, pdf: bytes = page.pdf) -> None:
        photograph(Printed.of(pdf, document), spec(), recipe("flat_scan"), lambda _: entries["flat_scan"])

    with pytest.raises(SampleError, match="page_count"):
        shoot(replace(page.document, pages=page.document.pages * 2))
    with pytest.raises(SampleError, match="page_extent"):
        shoot(replace(page.document, pages=(replace(page.document.pages[0], width=200.0),)))
    with pytest.raises(SampleError, match="picture_size"):
        shoot(printed(100, 3500).document, printed(100, 3500).pdf)


SHOOT = """
import hashlib, pickle, sys
from synth.degrade.bank import load
from synth.degrade.camera import photograph
page, spec, recipes, data = pickle.load(open(sys.argv[1], "rb"))
entry = load(data)
for recipe in recipes:
    pictures, document = photograph(page, spec, recipe, lambda _: entry)
    print(hashlib.sha256(pictures[0].data).hexdigest(), hashlib.sha256(repr(document).encode()).hexdigest())
"""
OLD_CPU = {
    "OPENCV_CPU_DISABLE": "SSE4.1,SSE4.2,AVX,FP16,AVX2,AVX512-SKX",
    "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-AVX512F,-AVX512VL,-ERMS",
    "JSIMD_FORCESSE2": "1",
}


def with_all_planes(entry: SceneEntry) -> bytes:
    """The entry with something that hides a part of the sheet, a lens that is not sharp everywhere, and noise."""
    rows, columns = (np.arange(n)[:, None] for n in entry.u.shape)
    hides = np.clip(COVER_EDGE + COVER_STEPS * (rows / 3 - columns.T / 2), 0, 255)
    soft = np.clip(np.abs(rows - columns.T) / 4, 0, 90)
    planes = {name: getattr(entry, name) for name in PLANES} | {"cover": hides, "focus": soft}
    head = {name: getattr(entry, name) for name in ("scene", "frame_x", "frame_y", "gains", "exposure", "blender")}
    return encode(head | {"spec": entry.spec, "fibre": 100, "grain": 300}, planes)


@pytest.mark.parametrize("more", [False, True])
def test_an_older_cpu_and_another_process_give_the_same_bytes(
    entries: dict[str, SceneEntry], baked: dict[str, bytes], tmp_path: Path, more: bool
) -> None:
    page = printed(210, 297, columns=20)
    data = with_all_planes(entries["one_crease"]) if more else baked["one_crease"]
    entry = load(data)
    recipes = [recipe("one_crease", form) for form in (("png",) if more else ("jpeg", "webp", "png"))]
    here = [photograph(page, spec(), r, lambda _: entry) for r in recipes]
    expected = [
        f"{hashlib.sha256(p[0].data).hexdigest()} {hashlib.sha256(repr(d).encode()).hexdigest()}" for p, d in here
    ]
    job = tmp_path / "job"
    job.write_bytes(pickle.dumps((page, spec(), recipes, data)))
    command = [sys.executable, "-W", "ignore", "-c", SHOOT, str(job)]
    done = subprocess.run(command, env=os.environ | OLD_CPU, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:-1] == expected


def test_the_older_cpu_of_that_test_is_older() -> None:
    """The switches of the test above do reach OpenCV and NumPy."""
    ask = "import cv2, numpy.core._multiarray_umath as m; print(cv2.getCPUFeaturesLine(), m.__cpu_features__['AVX2'])"
    lines = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", ask], env=os.environ | more, capture_output=True, text=True
        )
        for more in ({}, OLD_CPU)
    ]
    assert lines[1].stdout.strip().endswith("False"), lines[1].stderr
    if "*AVX2 " in lines[0].stdout:
        assert "*AVX2? " in lines[1].stdout


def hole_colour(name: str, entry: SceneEntry) -> np.ndarray:
    """Mean colour (BGR) in the middle of the first hole of a punched page."""
    given = recipe(name)
    degradation = given.degradation.model_copy(update={"faults": {"hole_punch": 1.0}, "severity": {2: 1.0}})
    given = given.model_copy(update={"degradation": degradation})
    pictures, document = photograph(printed(210, 297), spec(), given, lambda _: entry)
    hole = next(b for b in document.blocks if b.role == "hole_punch")
    x, y = (round(c) for c in np.array(hole.quad).mean(0))
    return pixels(pictures[0])[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3).mean(0)


@pytest.mark.parametrize("name", ["flat_scan", "soft_curl"])
def test_holes_show_what_the_sheet_lies_on(entries: dict[str, SceneEntry], name: str) -> None:
    """Dark and light, and reddish, as the desk is."""
    entry = entries[name]
    desks = [np.full_like(entry.desk, (level, level, level + 30)) for level in (40, 200)]
    dark, light = (hole_colour(name, replace(entry, desk=desk)) for desk in desks)
    assert dark.max() < 110
    assert light.min() > 120
    assert dark[2] > dark[0] + 8
    assert light[2] > light[0] + 8
