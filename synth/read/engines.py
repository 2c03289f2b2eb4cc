"""The OCR engines of a worker: PaddleOCR (English, Chinese) and Tesseract (Bangla), started when needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from schemas.errors import UserError
from schemas.sample import LANGUAGES, OcrLine
from synth.read import paddle, tesseract
from synth.read.strips import read_in_strips

ENGINES = {"en": paddle.NAME, "zh": paddle.NAME, "bn": tesseract.NAME}
_VERSIONS = {paddle.NAME: paddle.versions, tesseract.NAME: tesseract.versions}


def engine_of(language: str) -> str:
    """Name of the engine that reads a language. UserError if none does."""
    try:
        return ENGINES[language]
    except KeyError:
        raise UserError(f"no OCR engine reads {language!r}", "languages", f"use {', '.join(ENGINES)}") from None


def versions(languages: Sequence[str] = LANGUAGES) -> dict[str, str]:
    """What decides a reading: package and program versions, sha256 of weights and language data, for these languages.

    Starts no engine but asks Tesseract for its version. UserError with the command that brings what is absent.
    """
    names = dict.fromkeys(engine_of(language) for language in sorted(languages))
    return {key: value for name in names for key, value in _VERSIONS[name]().items()}


def languages_in(pinned: Mapping[str, str]) -> tuple[str, ...]:
    """The languages whose engines are named by what `versions` returned for some languages."""
    own = {paddle.NAME: paddle.RECOGNITION, tesseract.NAME: tesseract.NAME}
    return tuple(language for language, name in ENGINES.items() if own[name] in pinned)


class Readers:
    """OCR engines that stay warm. `cache` is a folder for model files (30 MB); `threads` bounds one reading."""

    def __init__(self, cache: Path, threads: int = 1) -> None:
        self._cache, self._threads = Path(cache), threads
        self._paddle: paddle.Paddle | None = None
        self._tesseract: tesseract.Tesseract | None = None

    def start(self, languages: Sequence[str] = LANGUAGES) -> None:
        """Starts the engines of these languages now. UserError if one cannot be."""
        for name in sorted({engine_of(language) for language in languages}):
            self._engine(name)

    def read(self, image: np.ndarray, language: str) -> list[OcrLine]:
        """Lines on a BGR uint8 picture in no promised order, quads in its pixels; a blank picture has none.

        UserError if the engine is not there, SampleError if the picture is too large or the engine refuses it.
        """
        return read_in_strips(image, self._engine(engine_of(language)).read)

    def versions(self, languages: Sequence[str] = LANGUAGES) -> dict[str, str]:
        return versions(languages)

    def _engine(self, name: str) -> paddle.Paddle | tesseract.Tesseract:
        if name == paddle.NAME:
            self._paddle = self._paddle or paddle.Paddle(self._cache, self._threads)
            return self._paddle
        self._tesseract = self._tesseract or tesseract.Tesseract(self._cache, self._threads)
        return self._tesseract
