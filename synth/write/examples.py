"""A few real documents of a type, from the user's folder: they anchor the description and are used for nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import pymupdf
from selectolax.lexbor import LexborHTMLParser

from schemas.errors import SampleError, UserError
from synth.llm.pictures import MAX_PIXELS, scaled_picture

MAX_EXAMPLES = 4  # that go into one description
MAX_CHARACTERS = 6000
MAX_PAGES = 2
_TEXTS = (".txt", ".md")
_PAGES = (".html", ".htm")
_PICTURES = (".png", ".jpg", ".jpeg", ".webp")
_PDFS = (".pdf",)


@dataclass(frozen=True)
class Example:
    """One document: its text as far as it can be read, and its pages as pictures for a model that sees."""

    name: str
    text: str
    pictures: tuple[bytes, ...] = field(default=(), repr=False)
    pixels: int = 0  # of the largest picture


def example_types(folder: Path) -> list[str]:
    """Types that have examples: names of the folders in `folder`. UserError if there are none."""
    if not folder.is_dir():
        raise UserError("no such folder of examples", str(folder), "name an existing folder in writer.examples")
    kinds = sorted(path.name for path in folder.iterdir() if path.is_dir() and _any(path))
    if not kinds:
        raise UserError("no example found", str(folder), "put a few documents of each type into a folder of its name")
    return kinds


@lru_cache(maxsize=64)
def read_examples(folder: Path, kind: str, language: str, vision: bool) -> tuple[Example, ...]:
    """The first few examples of a type: those in `<folder>/<kind>/<language>/` if there are any, else in its own.

    UserError for a file that cannot be read, and for pictures where the model sees none.
    """
    own = folder / kind / language
    files = (_files(own) if own.is_dir() else []) or _files(folder / kind)
    return tuple(_read(path, vision) for path in files[:MAX_EXAMPLES])


def _any(folder: Path) -> bool:
    return bool(_files(folder)) or any(_files(inner) for inner in folder.iterdir() if inner.is_dir())


def _files(folder: Path) -> list[Path]:
    known = (*_TEXTS, *_PAGES, *_PICTURES, *_PDFS)
    return sorted(path for path in folder.iterdir() if path.is_file() and path.suffix.lower() in known)


def _read(path: Path, vision: bool) -> Example:
    kind = path.suffix.lower()
    try:
        if kind in _PDFS:
            text, pictures = _of_pdf(path, vision)
        elif kind in _PICTURES:
            text, pictures = "", [scaled_picture(path.read_bytes(), MAX_PIXELS)[1]]
        else:
            text, pictures = path.read_text(encoding="utf-8"), []
            if kind in _PAGES:
                body = LexborHTMLParser(text).body
                text = body.text(separator=" ", strip=True) if body is not None else ""
    except (UnicodeDecodeError, SampleError, pymupdf.FileDataError, pymupdf.EmptyFileError) as error:
        raise UserError(f"cannot be read ({type(error).__name__})", str(path), "replace or remove the file") from None
    if not text.strip() and kind not in (*_PICTURES, *_PDFS):
        raise UserError("holds no text", str(path), "replace or remove the file")
    if not text.strip() and not vision:
        fix = "set writer.vision: true for a model that sees, or give text, HTML or PDFs with text"
        raise UserError("is a picture, and the model sees none", str(path), fix)
    sizes = [_pixels(data) for data in pictures]
    return Example(path.name, text[:MAX_CHARACTERS].strip(), tuple(pictures if vision else ()), max(sizes, default=0))


def _of_pdf(path: Path, vision: bool) -> tuple[str, list[bytes]]:
    with pymupdf.open(path) as document:
        if document.needs_pass:
            raise UserError("needs a password", str(path), "save it without one, or remove the file")
        pages = [document[number] for number in range(min(document.page_count, MAX_PAGES))]
        text = "\n".join(str(page.get_text()) for page in pages)
        pictures = [page.get_pixmap(dpi=100).tobytes("jpeg") for page in pages] if vision else []
    return text, pictures


def _pixels(data: bytes) -> int:
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    return 0 if picture is None else picture.shape[0] * picture.shape[1]
