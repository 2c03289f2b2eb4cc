"""Preflight: can the locked fonts draw every character of a text at all?"""

# pyright: reportAttributeAccessIssue=false
# uharfbuzz is a compiled module without type stubs.
from __future__ import annotations

import unicodedata
from functools import lru_cache

import uharfbuzz

from synth.render.fonts import FontFile, FontSet

# Drawn by no glyph of their own: white space, joiners and marks of direction.
INVISIBLE = {"Cf", "Cc", "Zs", "Zl", "Zp"}


def missing_glyphs(text: str, fonts: FontSet) -> str:
    """Characters of `text`, each once and sorted, that no locked font has a glyph for."""
    covered = _covered(fonts.files)
    return "".join(sorted(c for c in set(text) if ord(c) not in covered and not _invisible(c)))


@lru_cache(maxsize=8)
def _covered(files: tuple[FontFile, ...]) -> uharfbuzz.Set:
    """Code points that at least one file has a glyph for."""
    covered = uharfbuzz.Set()
    for file in files:
        blob = uharfbuzz.Blob.from_file_path(str(file.path))
        for number in range(uharfbuzz.Face(blob).count):
            covered.update(uharfbuzz.Face(blob, number).unicodes)
    return covered


def _invisible(c: str) -> bool:
    selector = "\ufe00" <= c <= "\ufe0f" or "\U000e0100" <= c <= "\U000e01ef"
    return selector or unicodedata.category(c) in INVISIBLE
