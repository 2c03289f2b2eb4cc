"""The actor that reads finished pictures: OCR engines, kept warm."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import psutil
import ray

from schemas.document import Document
from schemas.errors import EnvironmentMismatch, SampleError
from schemas.sample import Legibility, OcrLine, Picture
from synth.read.engines import ENGINES, Readers, engine_of, languages_in
from synth.read.legibility import legibility, selected

__all__ = ["Reader", "ReaderActor", "selected"]


class Reader:
    """Reads pictures and says how legible they are. Usable without Ray; `ReaderActor` is the same as a Ray actor.

    `cache_dir` holds model files (30 MB). `expect_versions` is what the lock pins (`synth.read.engines.versions` of the
    recipe's languages); engines it does not name need not be here. EnvironmentMismatch when this machine differs,
    UserError when an engine is absent.
    """

    def __init__(self, cache_dir: str, expect_versions: dict[str, str] | None = None, threads: int = 1) -> None:
        self._readers = Readers(Path(cache_dir), threads)
        self._languages = tuple(ENGINES)
        if expect_versions is not None:
            self._languages = languages_in(expect_versions)
            found = self._readers.versions(self._languages)
            for name in sorted(set(expect_versions) | set(found)):
                if expect_versions.get(name) != found.get(name):
                    raise EnvironmentMismatch(
                        f"{name} is {found.get(name)}, the lock pins {expect_versions.get(name)}",
                        "reader",
                        "install the locked version, or start a new output",
                    )

    def ready(self) -> dict[str, str]:
        """Starts the engines (about 3 s) and returns their versions."""
        self._readers.start(self._languages)
        return self._readers.versions(self._languages)

    def read(
        self, pictures: list[Picture], document: Document, language: str
    ) -> tuple[list[Legibility], list[list[OcrLine]]]:
        """Legibility and OCR lines of each picture, in the given order. `document` is in pixels of the pictures.

        SampleError of stage "read" if a picture is broken or too large.
        """
        readings: list[Legibility] = []
        found: list[list[OcrLine]] = []
        for picture in pictures:
            image = cv2.imdecode(np.frombuffer(picture.data, np.uint8), cv2.IMREAD_COLOR) if picture.data else None
            if image is None:
                raise SampleError("broken_picture", "read", f"page {picture.page} is no {picture.format}")
            lines = self._readers.read(image, language)
            readings.append(legibility(document, picture.page, lines, engine_of(language)))
            found.append(lines)
        return readings, found

    def rss_mb(self) -> float:
        """Memory of this process in MB."""
        return psutil.Process().memory_info().rss / 1e6


ReaderActor = ray.remote(Reader)
