"""Which fonts may be used: an allow-list of system fonts whose licence lets a released PDF embed them (decision 15)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from fontTools.ttLib import TTCollection, TTFont, TTLibError

from schemas.errors import UserError
from synth.render.font_list import ALLOWED, COMMON

FONT_ROOTS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
KINDS = ("sans", "serif", "mono", "hand")

# A user's font speaks a language if it has all of these characters.
SAMPLES = {
    "en": "AZaz09.,",
    "zh": "的一是在人有国年月日元",
    "bn": "কখগঘতযািীুেোৎড়০৯্",
    "ar": "ابتثجحخدرسعفقكلمنهوي،٠٩",
    "he": "אבגדהוזחטיכלמנסעפצקרשתםןףץך",
    "hi": "कखगघतयािीुेो०९्ड़",
    "ta": "கஙசஞடணதநபமயரலவழளறனாிீுெொ்",
    "kn": "ಕಖಗಘತಯಾಿೀುೆೊ್೦೯",
    "km": "កខគឃតយាិីុេោ្០៩",
    "ban": "ᬅᬓᬢᬬᬵᬶᬸᬾ᭄᭐",
    "su": "ᮊᮌᮒᮚᮤᮥ᮪᮰",
    "sa-Gran": "𑌕𑌖𑌗𑌤𑌯𑌾𑌿𑍁𑍇𑍍",
}


@dataclass(frozen=True)
class FontFile:
    """One locked file. `package` is the Debian package, empty for a user's own file."""

    path: Path
    sha256: str
    licence: str
    package: str


@dataclass(frozen=True)
class Family:
    """A family as CSS names it."""

    name: str
    kind: str
    language: str


@dataclass(frozen=True)
class FontSet:
    """The fonts of a recipe: nothing else can be drawn with. Picklable; files are read again by `digest_of`."""

    languages: tuple[str, ...]
    files: tuple[FontFile, ...]
    families: tuple[Family, ...]

    def names(self, language: str, kind: str | None = None) -> tuple[str, ...]:
        """Names of the families that are made for a language, of one kind or of all but handwriting."""
        kinds = [k for k in KINDS if k != "hand"] if kind is None else [kind]
        return tuple(f.name for f in self.families if f.language == language and f.kind in kinds)

    def digests(self) -> dict[str, str]:
        """SHA-256 by file name, for the lock."""
        return {file.path.name: file.sha256 for file in self.files}

    def licences(self) -> dict[str, str]:
        return {file.path.name: file.licence for file in self.files}


def font_set(
    languages: Iterable[str], user_folders: Sequence[Path] = (), roots: Sequence[Path] = FONT_ROOTS
) -> FontSet:
    """Fonts for these languages plus those in the user's folders.

    UserError when an allowed family of a language is not installed, or a user font cannot be read or embedded.
    """
    wanted = tuple(sorted(set(languages)))
    known = {font.language for font in ALLOWED} - {COMMON}
    for language in wanted:
        if language not in known:
            raise UserError(f"no fonts are known for language {language!r}", fix=f"use {', '.join(sorted(known))}")
    installed = _installed(tuple(roots))
    lacking: dict[str, list[str]] = {}
    files: dict[str, FontFile] = {}
    families: list[Family] = []
    for font in ALLOWED:
        if font.language not in (*wanted, COMMON):
            continue
        families.append(Family(font.family, font.kind, font.language))
        for name in font.files:
            if name not in installed:
                lacking.setdefault(font.package, []).append(name)
            elif name not in files:
                files[name] = FontFile(installed[name], digest_of(installed[name]), font.licence, font.package)
    if lacking:
        example = next(iter(lacking.values()))[0]
        raise UserError(
            f"fonts for {', '.join(wanted)} are not installed ({example} ...)",
            fix=f"apt-get install {' '.join(sorted(lacking))}",
        )
    for path in _user_files(user_folders):
        file, own = _user_font(path)
        if path.name in files:
            raise UserError("a font file of this name is already in use", str(path), "rename the file")
        files[path.name] = file
        families.extend(f for f in own if f.language in wanted and f not in families)
    return FontSet(wanted, tuple(files[name] for name in sorted(files)), tuple(families))


def digest_of(path: Path) -> str:
    """SHA-256 of a file, read once per process, size and modification time."""
    stat = path.stat()
    return _digest(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=4096)
def _digest(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _installed(roots: tuple[Path, ...]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for root in roots:
        for path in sorted(root.rglob("*.[to]t[fc]")):
            found.setdefault(path.name, path)
    return found


def _user_files(folders: Sequence[Path]) -> list[Path]:
    files: list[Path] = []
    for folder in folders:
        if not folder.is_dir():
            raise UserError(
                "no such folder of fonts", str(folder), "name an existing folder under content.fonts.folders"
            )
        here = sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".ttf", ".otf", ".ttc"))
        if not here:
            raise UserError("holds no ttf, otf or ttc file", str(folder), "put the fonts there or remove the folder")
        files.extend(here)
    return files


def _user_font(path: Path) -> tuple[FontFile, list[Family]]:
    try:
        faces = list(TTCollection(path).fonts) if path.suffix.lower() == ".ttc" else [TTFont(path)]
        families = [family for face in faces for family in _families(face, path)]
    except (TTLibError, OSError, KeyError, AssertionError, ValueError) as error:
        raise UserError(f"is not a readable font ({error})", str(path), "remove or replace the file") from error
    licence = next((text for face in faces if (text := face["name"].getDebugName(13))), "as the user states")
    return FontFile(path.resolve(), digest_of(path), licence, ""), families


def _families(face: TTFont, path: Path) -> list[Family]:
    os2: Any = face["OS/2"]
    post: Any = face["post"]
    # OpenType OS/2: of the lowest four bits the least restrictive counts; bit 9 allows bitmaps only.
    if os2.fsType & 0x000F == 0x0002 or os2.fsType & 0x0200:
        raise UserError(
            f"its licence bits (OS/2 fsType {os2.fsType:#06x}) forbid embedding, and releases hold PDFs",
            str(path),
            "use a font that may be embedded",
        )
    names = face["name"]
    name = names.getDebugName(16) or names.getDebugName(1)
    if not name:
        raise UserError("has no family name", str(path), "remove or replace the file")
    characters = face.getBestCmap() or {}
    if post.isFixedPitch:
        kind = "mono"
    elif os2.panose.bFamilyType == 3:
        kind = "hand"
    else:
        kind = "serif" if os2.panose.bFamilyType == 2 and 2 <= os2.panose.bSerifStyle <= 10 else "sans"
    return [Family(name, kind, lang) for lang, text in SAMPLES.items() if all(ord(c) in characters for c in text)]
