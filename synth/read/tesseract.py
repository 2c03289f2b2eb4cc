"""Tesseract through its program: reads Bangla, which no ONNX weights that come in a wheel do."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from schemas.errors import SampleError, UserError
from schemas.sample import OcrLine

NAME = "tesseract"
LANGUAGES = ("ben", "eng")
PROGRAM_VARIABLE = "PAGELOOM_TESSERACT"
_FIX = "apt-get install -y tesseract-ocr tesseract-ocr-ben tesseract-ocr-eng"
# A gap of this many line heights parts two columns; Tesseract joins them into one line.
_GAP = 2.5
# Its network was trained on 300 dpi; pages below about 200 are enlarged.
_SMALL = 1700
_TIMEOUT_S = 900


@dataclass(frozen=True)
class Program:
    path: str
    version: str
    tessdata: Path


def find_program() -> Program:
    """The program and its language data. UserError with the command that brings them if either is absent."""
    named = os.environ.get(PROGRAM_VARIABLE)
    path = shutil.which(named or "tesseract")
    if path is None:
        raise UserError(
            "Tesseract is not installed", f"{PROGRAM_VARIABLE}={named}" if named else "program tesseract", _FIX
        )
    return _probe(path)


@lru_cache(maxsize=4)
def _probe(path: str) -> Program:
    try:
        listing = subprocess.run([path, "--list-langs"], capture_output=True, text=True, timeout=60, check=False)
        about = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"Tesseract does not start: {error}", path, _FIX) from None
    # Tesseract 4 and 5 differ in which of the two streams they use.
    lines = (listing.stdout + listing.stderr).splitlines()
    version = re.search(r"tesseract v?(\S+)", about.stdout + about.stderr)
    folder = re.search(r'"([^"]+)"', lines[0] if lines else "")
    missing = sorted(set(LANGUAGES) - {line.strip() for line in lines[1:]})
    if missing or version is None or folder is None:
        raise UserError(f"Tesseract has no language data for {', '.join(missing) or 'any language'}", path, _FIX)
    return Program(path, version[1], Path(folder[1]))


def versions() -> dict[str, str]:
    """Version of the program and digests of its language data. UserError as `find_program`."""
    program = find_program()
    files = {name: program.tessdata / f"{name}.traineddata" for name in LANGUAGES}
    return {NAME: program.version, **{f"tessdata/{name}": _digest(path) for name, path in files.items()}}


@lru_cache(maxsize=8)
def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Tesseract:
    """The program, started anew for every picture."""

    def __init__(self, threads: int) -> None:
        self._program = find_program()
        self._environment = {**os.environ, "OMP_THREAD_LIMIT": str(threads)}

    def read(self, image: np.ndarray) -> list[OcrLine]:
        """Lines of a BGR uint8 picture, quads in its pixels. SampleError if the program refuses the picture."""
        gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        scale = 2 if min(gray.shape) < _SMALL else 1
        if scale != 1:
            gray = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        table = self._run(cv2.imencode(".png", gray, [cv2.IMWRITE_PNG_COMPRESSION, 1])[1].tobytes())
        return [_line(words, scale) for row in _rows(table) for words in _split(row)]

    def _run(self, png: bytes) -> str:
        # --psm 3 finds the columns and blocks by itself; Sauvola's threshold, unlike Otsu's, follows the shading of a
        # photographed sheet.
        options = ["-l", "+".join(LANGUAGES), "--psm", "3", "--dpi", "300", "-c", "thresholding_method=2", "tsv"]
        done = subprocess.run(
            [self._program.path, "stdin", "stdout", *options],
            input=png,
            capture_output=True,
            env=self._environment,
            timeout=_TIMEOUT_S,
            check=False,
        )
        if done.returncode > 0:
            last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise SampleError("ocr_refused", "read", " ".join(last))
        if done.returncode < 0:  # killed from outside or crashed; who is to blame is not decided here
            raise RuntimeError(f"tesseract ended by signal {-done.returncode}")
        return done.stdout.decode("utf-8", "replace")


@dataclass(frozen=True)
class _Word:
    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    score: float


def _rows(table: str) -> list[list[_Word]]:
    """Words by line of Tesseract's TSV: words are level 5; page to line are columns 2 to 5, the box 7 to 10."""
    rows: dict[tuple[str, ...], list[_Word]] = {}
    for record in table.splitlines()[1:]:
        cells = record.split("\t")
        if len(cells) < 12 or cells[0] != "5" or not cells[11].strip():
            continue
        left, top, width, height = (float(c) for c in cells[6:10])
        word = _Word(left, top, left + width, top + height, cells[11].strip(), float(cells[10]) / 100)
        rows.setdefault(tuple(cells[1:5]), []).append(word)
    return list(rows.values())


def _split(row: list[_Word]) -> list[list[_Word]]:
    """The words of one line, cut at gaps that are wide for its height."""
    gap = _GAP * float(np.median([w.y1 - w.y0 for w in row]))
    parts: list[list[_Word]] = []
    for word in sorted(row, key=lambda w: (w.x0, w.x1)):
        if parts and word.x0 - max(w.x1 for w in parts[-1]) <= gap:
            parts[-1].append(word)
        else:
            parts.append([word])
    return parts


def _line(words: list[_Word], scale: int) -> OcrLine:
    """One OcrLine; its quad leans as the words' middles do. The program's upright boxes of leaning lines overlap."""
    x0, x1 = min(w.x0 for w in words), max(w.x1 for w in words)
    middles = np.array([((w.x0 + w.x1) / 2, (w.y0 + w.y1) / 2) for w in words])
    height = float(np.median([w.y1 - w.y0 for w in words]))
    slope = 0.0
    if len(words) >= 3 and np.ptp(middles[:, 0]) > 4 * height:
        slope = float(np.polyfit(middles[:, 0], middles[:, 1], 1, w=[w.x1 - w.x0 for w in words])[0])
    level = float(np.median(middles[:, 1] - slope * middles[:, 0]))
    left, right = level + slope * x0, level + slope * x1
    half = height / 2
    quad = (x0, left - half, x1, right - half, x1, right + half, x0, left + half)
    score = sum(w.score for w in words) / len(words)
    return OcrLine(" ".join(w.text for w in words), tuple(c / scale for c in quad), score)
