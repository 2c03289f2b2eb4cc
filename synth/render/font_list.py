"""The allow-list: system fonts whose licence lets a released PDF embed them (DESIGN decision 15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

COMMON = "*"  # language of the families that every document may fall back to: symbols and Latin


@dataclass(frozen=True)
class SystemFont:
    """One allowed family: where Debian puts it, under which licence, for which language."""

    family: str
    files: tuple[str, ...]  # file names below a font root
    kind: str
    language: str
    package: str
    licence: str


def _noto(family: str, stem: str, kind: str, language: str, styles: Sequence[str]) -> SystemFont:
    files = tuple(f"{stem}-{style}.ttf" for style in styles)
    return SystemFont(family, files, kind, language, "fonts-noto-core", "OFL-1.1")


_RB = ("Regular", "Bold")
_RBI = ("Regular", "Bold", "Italic", "BoldItalic")
_LIBERATION = "GPL-2.0 with font embedding exception"
_GPL3_FONT = "GPL-3.0-or-later with font exception"


def _latin(family: str, stem: str, kind: str, package: str, licence: str) -> SystemFont:
    return SystemFont(family, tuple(f"{stem}-{s}.ttf" for s in _RBI), kind, "en", package, licence)


# Scripts beyond those the shipped templates write: by language, for templates of the user's own.
_SCRIPTS = (
    _noto("Noto Naskh Arabic", "NotoNaskhArabic", "serif", "ar", _RB),
    _noto("Noto Sans Arabic", "NotoSansArabic", "sans", "ar", _RB),
    _noto("Noto Sans Hebrew", "NotoSansHebrew", "sans", "he", _RB),
    _noto("Noto Serif Hebrew", "NotoSerifHebrew", "serif", "he", _RB),
    _noto("Noto Sans Devanagari", "NotoSansDevanagari", "sans", "hi", _RB),
    _noto("Noto Serif Devanagari", "NotoSerifDevanagari", "serif", "hi", _RB),
    _noto("Noto Sans Tamil", "NotoSansTamil", "sans", "ta", _RB),
    _noto("Noto Serif Tamil", "NotoSerifTamil", "serif", "ta", _RB),
    _noto("Noto Sans Kannada", "NotoSansKannada", "sans", "kn", _RB),
    _noto("Noto Serif Kannada", "NotoSerifKannada", "serif", "kn", _RB),
    _noto("Noto Sans Khmer", "NotoSansKhmer", "sans", "km", _RB),
    _noto("Noto Serif Khmer", "NotoSerifKhmer", "serif", "km", _RB),
    _noto("Noto Sans Balinese", "NotoSansBalinese", "sans", "ban", _RB),
    _noto("Noto Serif Balinese", "NotoSerifBalinese", "serif", "ban", ("Regular",)),
    _noto("Noto Sans Sundanese", "NotoSansSundanese", "sans", "su", _RB),
    _noto("Noto Sans Grantha", "NotoSansGrantha", "sans", "sa-Gran", ("Regular",)),
    _noto("Noto Serif Grantha", "NotoSerifGrantha", "serif", "sa-Gran", ("Regular",)),
)

# Left out on purpose: Likhan and Jamrul (GPL with no font exception), Mitra and Likhan (no U+09CE or U+09DC),
# Breip (few punctuation marks), colour emoji (bitmaps).
ALLOWED = (
    _noto("Noto Sans", "NotoSans", "sans", "en", _RBI),
    _noto("Noto Serif", "NotoSerif", "serif", "en", _RBI),
    SystemFont(
        "DejaVu Sans",
        ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
        "sans",
        "en",
        "fonts-dejavu-core",
        "Bitstream Vera",
    ),
    SystemFont(
        "DejaVu Serif",
        ("DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf"),
        "serif",
        "en",
        "fonts-dejavu-core",
        "Bitstream Vera",
    ),
    SystemFont(
        "DejaVu Sans Mono",
        ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"),
        "mono",
        "en",
        "fonts-dejavu-core",
        "Bitstream Vera",
    ),
    _latin("Liberation Sans", "LiberationSans", "sans", "fonts-liberation", _LIBERATION),
    _latin("Liberation Sans Narrow", "LiberationSansNarrow", "sans", "fonts-liberation", _LIBERATION),
    _latin("Liberation Serif", "LiberationSerif", "serif", "fonts-liberation", _LIBERATION),
    _latin("Liberation Mono", "LiberationMono", "mono", "fonts-liberation", _LIBERATION),
    _latin("Carlito", "Carlito", "sans", "fonts-crosextra-carlito", "OFL-1.1"),
    _latin("Caladea", "Caladea", "serif", "fonts-crosextra-caladea", "OFL-1.1"),
    SystemFont(
        "Dancing Script",
        ("DancingScript-Regular.otf", "DancingScript-Bold.otf"),
        "hand",
        "en",
        "fonts-dancingscript",
        "OFL-1.1",
    ),
    SystemFont("Kristi", ("Kristi.ttf",), "hand", "en", "fonts-kristi", "OFL-1.1"),
    SystemFont("DkgHandwriting", ("dkg.ttf", "dkgBd.ttf"), "hand", "en", "fonts-dkg-handwriting", "OFL-1.1"),
    SystemFont(
        "Noto Sans CJK SC",
        ("NotoSansCJK-Regular.ttc", "NotoSansCJK-Bold.ttc"),
        "sans",
        "zh",
        "fonts-noto-cjk",
        "OFL-1.1",
    ),
    SystemFont(
        "Noto Serif CJK SC",
        ("NotoSerifCJK-Regular.ttc", "NotoSerifCJK-Bold.ttc"),
        "serif",
        "zh",
        "fonts-noto-cjk",
        "OFL-1.1",
    ),
    SystemFont(
        "Noto Sans Mono CJK SC",
        ("NotoSansCJK-Regular.ttc", "NotoSansCJK-Bold.ttc"),
        "mono",
        "zh",
        "fonts-noto-cjk",
        "OFL-1.1",
    ),
    SystemFont("WenQuanYi Micro Hei", ("wqy-microhei.ttc",), "sans", "zh", "fonts-wqy-microhei", "Apache-2.0"),
    SystemFont("AR PL UMing CN", ("uming.ttc",), "serif", "zh", "fonts-arphic-uming", "Arphic-1999"),
    SystemFont("AR PL UKai CN", ("ukai.ttc",), "hand", "zh", "fonts-arphic-ukai", "Arphic-1999"),
    _noto("Noto Sans Bengali", "NotoSansBengali", "sans", "bn", _RB),
    _noto("Noto Serif Bengali", "NotoSerifBengali", "serif", "bn", _RB),
    SystemFont("Lohit Bengali", ("Lohit-Bengali.ttf",), "sans", "bn", "fonts-lohit-beng-bengali", "OFL-1.1"),
    SystemFont("Mukti", ("Mukti.ttf", "Muktibold.ttf"), "serif", "bn", "fonts-beng-extra", _GPL3_FONT),
    SystemFont("Ani", ("Ani.ttf",), "hand", "bn", "fonts-beng-extra", _GPL3_FONT),
    _noto("Noto Sans", "NotoSans", "sans", COMMON, _RBI),
    _noto("Noto Sans Symbols", "NotoSansSymbols", "sans", COMMON, _RB),
    _noto("Noto Sans Symbols2", "NotoSansSymbols2", "sans", COMMON, ("Regular",)),
    _noto("Noto Sans Math", "NotoSansMath", "sans", COMMON, ("Regular",)),
    *_SCRIPTS,
)
