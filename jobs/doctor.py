"""`pageloom doctor`: what this machine lacks, and the exact command that brings it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from engine.store import open_store
from schemas.errors import UserError
from schemas.sample import LANGUAGES

GIB = 2**30
NEEDS_MEMORY = 6 * GIB
NEEDS_DISK = 5 * GIB
INSTALL = "make install"
# Importing PaddleOCR itself takes seconds; what can fail to load is the runtime under it.
_PADDLE = "import onnxruntime; from importlib.metadata import version; print(version('paddleocr'))"


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `fix` is the command that mends it; a run cannot start without what is `needed`."""

    name: str
    ok: bool
    says: str
    fix: str = ""
    needed: bool = True


def check(out: str | None = None) -> list[Finding]:
    """Look at everything a run needs here; with `out`, also at that folder or S3 prefix. Writes only a probe there."""
    looks: list[tuple[str, Callable[[], Finding]]] = [
        ("browser", _browser),
        ("sandbox", _sandbox),
        *((f"fonts {language}", lambda language=language: _fonts(language)) for language in LANGUAGES),
        ("tesseract", _tesseract),
        ("OCR weights", _weights),
        ("Blender", lambda: _imports("Blender", "import bpy; print(bpy.app.version_string)")),
        ("OpenCV", lambda: _imports("OpenCV", "import cv2; cv2.wechat_qrcode; print(cv2.__version__)")),
        ("PaddleOCR", lambda: _imports("PaddleOCR", _PADDLE)),
        ("Ray", lambda: _imports("Ray", "import ray; print(ray.__version__)")),
        ("memory", _memory),
        ("disk", lambda: _disk(out)),
    ]
    if out is not None:
        looks.append(("output", lambda: _output(out)))
    return list(_look(looks))


def main(out: str | None = None) -> int:
    """Print the findings. 0 when a run can start, 2 when something needed is missing."""
    findings = check(out)
    for finding in findings:
        mark = "ok  " if finding.ok else "MISS" if finding.needed else "note"
        print(f"{mark}  {finding.name:<12} {finding.says}")
        if not finding.ok and finding.fix:
            print(f"      {'':<12} -> {finding.fix}")
    lacking = [f.name for f in findings if f.needed and not f.ok]
    print(f"missing: {', '.join(lacking)}" if lacking else "nothing needed is missing")
    return 2 if lacking else 0


def _look(looks: list[tuple[str, Callable[[], Finding]]]) -> Iterator[Finding]:
    for name, look in looks:
        try:
            yield look()
        except UserError as error:
            yield Finding(name, False, f"{error.where}: {error.what}" if error.where else error.what, error.fix)
        except ImportError as error:
            yield Finding(name, False, str(error), INSTALL)


def _browser() -> Finding:
    from synth.render.chromium import find_chromium

    path = str(find_chromium())
    done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60)
    version = done.stdout.strip()
    if done.returncode or not version:
        return Finding("browser", False, f"{path} does not start: {_last(done.stderr)}", INSTALL)
    return Finding("browser", True, f"{version} at {path}")


def _sandbox() -> Finding:
    from synth.render.staging import can_isolate

    if can_isolate():
        return Finding("sandbox", True, "an unprivileged user may make namespaces; Chromium runs with its sandbox on")
    says = "no user namespaces: Chromium runs without its sandbox, and hostile documents are refused"
    return Finding("sandbox", False, says, "sysctl -w kernel.unprivileged_userns_clone=1", needed=False)


def _fonts(language: str) -> Finding:
    from synth.render.fonts import font_set

    fonts = font_set([language])
    names = [family.name for family in fonts.families if family.language == language]
    return Finding(f"fonts {language}", True, ", ".join(names))


def _tesseract() -> Finding:
    from synth.read.tesseract import LANGUAGES as READS
    from synth.read.tesseract import find_program

    program = find_program()
    return Finding("tesseract", True, f"{program.version} at {program.path}, reads {', '.join(READS)}")


def _weights() -> Finding:
    from synth.read.weights import find_weights

    return Finding("OCR weights", True, ", ".join(sorted(find_weights())))


def _imports(name: str, script: str) -> Finding:
    """Import in a process of its own: a library that is missing may end it."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=180)
    if done.returncode:
        return Finding(name, False, _last(done.stderr) or f"ended by signal {-done.returncode}", INSTALL)
    return Finding(name, True, _last(done.stdout))


def _memory() -> Finding:
    free = psutil.virtual_memory().available
    says = f"{free / GIB:.1f} GiB available"
    fix = f"end other programs, or set fewer actors in the recipe's execution; about {NEEDS_MEMORY // GIB} GiB serve"
    return Finding("memory", free >= NEEDS_MEMORY, says, fix, needed=False)


def _disk(out: str | None) -> Finding:
    folder = Path.cwd() if out is None or "://" in out else Path(out).expanduser().absolute()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    fix = f"free some space; the quickstart needs about {NEEDS_DISK // GIB} GiB with its scratch files"
    return Finding("disk", free >= NEEDS_DISK, f"{free / GIB:.1f} GiB free at {folder}", fix, needed=False)


def _output(out: str) -> Finding:
    store = open_store(out)
    store.probe()
    if not store.settle_s:
        return Finding("output", True, f"{store.url} can be written and honours conditional writes")
    says = f"{store.url} can be written; it tells writers of the same moment that both won, so records wait for it"
    fix = f"none is needed: each record takes {store.settle_s:.0f} s longer; AWS S3, MinIO and folders do not wait"
    return Finding("output", False, says, fix, needed=False)


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""
