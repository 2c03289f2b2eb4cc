"""Preflight: can the locked fonts draw every character of a text at all?"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from pathlib import Path

from fontTools.ttLib import TTCollection, TTFont

from synth.render.fonts import FontSet

# Drawn by no glyph of their own: white space, joiners and marks of direction, variation selectors.
INVISIBLE = {"Cf", "Cc", "Zs", "Zl", "Zp"}


def missing_glyphs(text: str, fonts: FontSet) -> str:
    """Characters of `text`, each once and sorted, that no locked font has a glyph for."""
    wanted = {ord(c) for c in set(text) if unicodedata.category(c) not in INVISIBLE and not _selector(c)}
    for file in sorted(fonts.files, key=lambda f: f.path.suffix == ".ttc"):  # CJK collections are slow to read: last
        if not wanted:
            break
        wanted -= characters(file.path, file.sha256)
    return "".join(sorted(map(chr, wanted)))


@lru_cache(maxsize=512)
def characters(path: Path, sha256: str) -> frozenset[int]:
    """Code points a font file has glyphs for; `sha256` keeps the cache right when a file changes."""
    del sha256
    if path.suffix.lower() == ".ttc":
        collection = TTCollection(path, lazy=True)
        return frozenset().union(*(face.getBestCmap() for face in collection.fonts))
    return frozenset(TTFont(path, lazy=True).getBestCmap())


def _selector(c: str) -> bool:
    return "\ufe00" <= c <= "\ufe0f" or "\U000e0100" <= c <= "\U000e01ef"
