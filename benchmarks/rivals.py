"""Other people's generators on the same cores: synthtiger's components as a document generator, and Augraphy.

Each is installed from PyPI into an environment of its own at the first use. What cannot be installed or run is reported
as not available, with the reason.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np
import pymupdf
from faker import Faker

from benchmarks.common import SPLIT, locked, recipe
from benchmarks.sizes import Size
from schemas.plan import Plan
from synth.render.fonts import font_set

HERE = Path(__file__).parent / "peers"
ROOT = Path(__file__).parent.parent
AUGRAPHY_LIMIT_S = 25
WARM_PAGES = 2


def environment(name: str) -> Path:
    """The environment `.venv-NAME` with what `peers/NAME-requirements.txt` pins; made if it is not there."""
    wanted = HERE / f"{name}-requirements.txt"
    folder = ROOT / f".venv-{name}"
    stamp = folder / f".installed-{hashlib.sha256(wanted.read_bytes()).hexdigest()[:16]}"
    if not stamp.exists():
        _run([sys.executable, "-m", "venv", "--clear", str(folder)], 300)
        pip = [str(folder / "bin/python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        _run([*pip, "-r", str(wanted)], 900)
        stamp.touch()
    return folder


def _run(command: list[str], timeout: float, folder: Path = ROOT) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=timeout)
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:] or [f"exit code {done.returncode}"]
        raise RuntimeError(f"{Path(command[0]).name}: {last[0]}")
    return done.stdout


def measure(size: Size, synthdog: Path | None = None) -> dict[str, Any]:
    """Figures of both, or why there are none. `synthdog`: the authors' own template folder, if the user has it."""
    name = "SynthDoG config_en, 2 workers" if synthdog else "multiline template on synthtiger, 2 workers"
    result: dict[str, Any] = {}
    for title, work in (
        (name, lambda: synthtiger(size.synthtiger, synthdog)),
        ("Augraphy default pipeline, 1 process", lambda: augraphy(size.augraphy)),
    ):
        try:
            result[title] = work()
        except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
            result[title] = {"not_available": str(error)}
    return result


def synthtiger(pages: int, synthdog: Path | None = None) -> dict[str, Any]:
    """A run of synthtiger's command line, start of its workers included as its own users time it; JPEG pictures."""
    program = environment("synthtiger") / "bin/synthtiger"
    with TemporaryDirectory(prefix="pageloom-bench-") as folder:
        out = Path(folder) / "out"
        script = [str(HERE / "multiline.py"), "Multiline", str(_resources(Path(folder)))]
        if synthdog:
            script = ["template.py", "SynthDoG", "config_en.yaml"]
        command = [str(program), "-o", str(out), "-c", str(pages), "-w", "2", "-s", "0", "-v", *script]
        start = time.perf_counter()
        done = subprocess.run(command, cwd=synthdog or folder, capture_output=True, text=True, timeout=1800)
        seconds = time.perf_counter() - start
        pictures = [image for path in sorted(out.rglob("*.jpg")) if (image := cv2.imread(str(path))) is not None]
    if len(pictures) < pages:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no pictures"])[-1])
    megapixels = sum(image.shape[0] * image.shape[1] for image in pictures) / 1e6
    return _rates(pages, seconds, megapixels)


def _rates(pages: int, seconds: float, megapixels: float) -> dict[str, float]:
    return {
        "pages": pages,
        "seconds": round(seconds, 2),
        "pages_per_second": round(pages / seconds, 3),
        "megapixels_per_second": round(megapixels / seconds, 3),
    }


def _resources(folder: Path) -> Path:
    """Textures, fonts and text for the template, and its configuration."""
    rng = np.random.default_rng(0)
    for name, low, grain in (("backgrounds", 60, 20), ("papers", 200, 1)):
        (folder / name).mkdir()
        for number in range(6):
            coarse = rng.integers(low, 256, (900 // grain, 1200 // grain, 3), dtype=np.uint8)
            cv2.imwrite(str(folder / name / f"{number}.jpg"), cv2.resize(coarse, (1200, 900)))
    (folder / "fonts").mkdir()
    for file in font_set(("en",), ()).files:
        if file.path.suffix in (".ttf", ".otf") and "Serif-Regular" in file.path.name:
            (folder / "fonts" / file.path.name).symlink_to(file.path)
    Faker.seed(0)
    (folder / "text.txt").write_text(" ".join(Faker("en_US").paragraphs(200)), encoding="utf-8")
    config = {"text": "text.txt", "fonts": "fonts", "backgrounds": "backgrounds", "papers": "papers"}
    path = folder / "config.yaml"  # JSON is YAML
    path.write_text(json.dumps({key: str(folder / name) for key, name in config.items()}), encoding="utf-8")
    return path


def augraphy(pages: int, image: np.ndarray | None = None) -> dict[str, Any]:
    """The default pipeline over one of our A4 pages (BGR), the first calls (which compile) left out."""
    image = page_of_invoice() if image is None else image
    python = environment("augraphy") / "bin/python"
    with TemporaryDirectory(prefix="pageloom-bench-") as folder:
        page = Path(folder) / "page.png"
        cv2.imwrite(str(page), image)
        script = [str(HERE / "age.py"), str(page), str(pages + WARM_PAGES), str(AUGRAPHY_LIMIT_S)]
        told = json.loads(_run([str(python), *script], 600, Path(folder)).strip().splitlines()[-1])
    timed = told["seconds"][WARM_PAGES:] or told["seconds"]
    if not timed:
        raise ValueError(f"failed on all of {told['failed']} pages")
    height, width = image.shape[:2]
    rates = _rates(len(timed), sum(timed), len(timed) * width * height / 1e6)
    return rates | {"median_seconds_per_page": round(median(timed), 3), "failed": told["failed"]}


def page_of_invoice() -> np.ndarray:
    """The first page of an English invoice of the benchmark, clean, at 150 dpi."""
    with locked(recipe(12)) as context:
        plan = Plan(context.content)
        spec = next(s for i in range(12) if (s := plan.spec(SPLIT, i)).type == "invoice" and s.language == "en")
        html = context.builder("writer")().write(spec)
        browser = context.builder("browser")()
        try:
            printed = browser.print_and_label(html)
        finally:
            browser.close()
    with pymupdf.open(stream=printed.pdf, filetype="pdf") as pdf:
        pixels = pdf[0].get_pixmap(dpi=150, colorspace=pymupdf.csRGB, alpha=False)
    image = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)
    return cv2.cvtColor(image, cv2.COLOR_RGB2BGR)
