"""Tesseract through its program: reads Bangla, which no weights inside a wheel do.

Its own search for lines loses fields, table cells and titles on forms and on photographed sheets (error rate 13% clean,
22% degraded; lines found by PaddleOCR's detector and read one by one give 7% and 9%), so it is given single lines.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from schemas.errors import SampleError, UserError
from schemas.sample import OcrLine
from synth.read import paddle
from synth.read.crops import crop_line

NAME = "tesseract"
LANGUAGES = ("ben", "eng")
PROGRAM_VARIABLE = "PAGELOOM_TESSERACT"
_FIX = "apt-get install -y tesseract-ocr tesseract-ocr-ben tesseract-ocr-eng"
# A line that the Bangla network is less sure of is read as English too (e-mail addresses, codes), and taken so if the
# English network is this sure and surer by the margin. Both networks at once would turn smudged Bangla into Latin.
_SURE, _MARGIN = 0.80, 0.10
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
    """Version of the program, digests of its language data, and the detector's. UserError as `find_program`."""
    program = find_program()
    files = {name: program.tessdata / f"{name}.traineddata" for name in LANGUAGES}
    data = {f"tessdata/{name}": _digest(path) for name, path in files.items()}
    return {NAME: program.version, **data, **paddle.detector_versions()}


@lru_cache(maxsize=8)
def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Tesseract:
    """The program, started anew for every picture, on lines that a warm detector finds."""

    def __init__(self, cache: Path, threads: int) -> None:
        self._program = find_program()
        self._environment = {**os.environ, "OMP_THREAD_LIMIT": str(threads)}
        self._detector = paddle.Detector(cache, threads)

    def read(self, image: np.ndarray) -> list[OcrLine]:
        """Lines of a BGR uint8 picture, quads in its pixels. SampleError if the program refuses the picture."""
        found = [(quad, crop_line(image, quad)) for quad in self._detector.find(image)]
        quads = [quad for quad, crop in found if crop is not None]
        texts = self._texts([crop for _, crop in found if crop is not None])
        return [
            OcrLine(text, tuple(float(c) for c in quad.reshape(-1)), score)
            for quad, (text, score) in zip(quads, texts, strict=True)
            if text
        ]

    def read_lines(self, crops: Sequence[np.ndarray | None]) -> list[str]:
        """Text of each line that `crop_line` cut out; "" for None."""
        whole = [i for i, crop in enumerate(crops) if crop is not None]
        read = self._texts([crop for crop in crops if crop is not None])
        found = dict(zip(whole, read, strict=True))
        return [found[i][0] if i in found else "" for i in range(len(crops))]

    def _texts(self, crops: Sequence[np.ndarray]) -> list[tuple[str, float]]:
        texts = self._recognise(crops, "ben")
        unsure = [i for i, (_, score) in enumerate(texts) if score < _SURE]
        for i, (text, score) in zip(unsure, self._recognise([crops[i] for i in unsure], "eng"), strict=True):
            if score >= max(_SURE, texts[i][1] + _MARGIN):
                texts[i] = (text, score)
        return texts

    def _recognise(self, crops: Sequence[np.ndarray], language: str) -> list[tuple[str, float]]:
        """Text and score (0 to 1) of each crop; one start of the program reads them all."""
        if not crops:
            return []
        with tempfile.TemporaryDirectory(prefix="pageloom-ocr-") as folder:
            files = [Path(folder) / f"{i:05d}.pgm" for i in range(len(crops))]
            for file, crop in zip(files, crops, strict=True):
                file.write_bytes(cv2.imencode(".pgm", crop)[1].tobytes())
            listing = Path(folder) / "lines.txt"
            listing.write_text("".join(f"{file}\n" for file in files), "utf-8")
            table = self._run([str(listing), "stdout", "-l", language, "--psm", "7", "--dpi", "300", "tsv"])
        return _texts(table, len(crops))

    def _run(self, arguments: list[str]) -> str:
        done = subprocess.run(
            [self._program.path, *arguments],
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


def _texts(table: str, count: int) -> list[tuple[str, float]]:
    """Text and score by page of Tesseract's TSV (a word is level 5; page, confidence, text are columns 2, 11, 12)."""
    words: list[list[tuple[str, float]]] = [[] for _ in range(count)]
    for record in table.splitlines()[1:]:
        cells = record.split("\t")
        if len(cells) >= 12 and cells[0] == "5" and cells[11].strip():
            words[int(cells[1]) - 1].append((cells[11].strip(), float(cells[10]) / 100))
    return [(" ".join(text for text, _ in of_line), _score(of_line)) for of_line in words]


def _score(words: Sequence[tuple[str, float]]) -> float:
    characters = sum(len(text) for text, _ in words)
    return sum(len(text) * score for text, score in words) / characters if characters else 0.0
