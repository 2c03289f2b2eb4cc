"""Whether a face writes a text as it is spelt: conjuncts formed, joiners obeyed, every mark on its letter."""

# pyright: reportAttributeAccessIssue=false
# uharfbuzz is a compiled module without type stubs.
from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import regex
import uharfbuzz
from fontTools.unicodedata import script as script_of

from synth.render.faces import Face

ZWNJ, ZWJ = "\u200c", "\u200d"
DOTTED_CIRCLE = "\u25cc"
# Signs that join two consonants. Not those of Tamil, Malayalam and Sinhala, which are commonly written to be seen.
VIRAMAS = (
    "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0c4d\u0ccd"  # Devanagari, Bangla, Gurmukhi, Gujarati, Odia, Telugu, Kannada
    "\u1039\u17d2\u1b44\u1bab\ua9c0\U0001134d"  # Burmese, Khmer, Balinese, Sundanese, Javanese, Grantha
)
_NUKTAS = "\u093c\u09bc\u0a3c\u0abc\u0b3c\u0c3c\u0cbc\u1b34\ua9b3\U0001133c"
_JOINED = rf"[{ZWJ}{ZWNJ}]?[{VIRAMAS}][{ZWJ}{ZWNJ}]?"
_CHAIN = regex.compile(rf"\p{{Lo}}[{_NUKTAS}]?(?:{_JOINED}\p{{Lo}}[{_NUKTAS}]?)+")
_JOINER_BETWEEN = regex.compile(rf"\p{{Arabic}}\p{{Mn}}*{ZWNJ}\p{{Arabic}}")
SHAPED = regex.compile(rf"[\p{{M}}{ZWJ}{ZWNJ}]")


def runs_by_script(text: str) -> Iterator[tuple[str, str]]:
    """(ISO 15924 code, piece) in order; what belongs to every script goes with what stands before it."""
    start, current = 0, ""
    for at, character in enumerate(text):
        own = script_of(character)
        if own in ("Zyyy", "Zinh", "Zzzz") or own == current:
            continue
        if current:
            yield current, text[start:at]
            start = at
        current = own
    if text:
        yield current or "Zyyy", text[start:]


@lru_cache(maxsize=50_000)
def spelling_fault(face: Face, text: str, script: str) -> tuple[str, str] | None:
    """(reason, what) of the first fault of a run in one script: "missing_glyphs", "broken_cluster" or "lost_joiner".

    The face covers all characters of `text`. Letters without marks and joiners are drawn as they are and not shaped.
    """
    if not SHAPED.search(text):
        return None
    glyphs = _shape(face, text, script)
    if 0 in glyphs:
        return "missing_glyphs", text
    circle = face.font.get_nominal_glyph(ord(DOTTED_CIRCLE))
    if circle is not None and circle in glyphs and DOTTED_CIRCLE not in text:
        return "broken_cluster", f"{text} (a mark without its letter)"
    if unicodedata.category(text[0])[0] == "M":
        return "broken_cluster", f"{text} (begins with a mark)"
    for chain in _CHAIN.findall(text):
        fault = _chain_fault(face, chain, script)
        if fault is not None:
            return fault, chain
    for pair in _JOINER_BETWEEN.findall(text):
        bare = pair.replace(ZWNJ, "")
        if _shape(face, pair, script) == _shape(face, bare, script) and _joined(face, bare, script):
            return "lost_joiner", pair
    return None


@lru_cache(maxsize=20_000)
def _chain_fault(face: Face, chain: str, script: str) -> str | None:
    """Of consonants with viramas between them: whether one is not joined that should be, or joined that should not.

    What a virama does is seen by comparing with the same letters with a joiner that forbids it (Unicode 12.1).
    """
    for at, sign in enumerate(chain):
        if sign not in VIRAMAS:
            continue
        before, after = chain[: at + 1], chain[at + 1 :]
        bare = before.rstrip(ZWJ) + after.lstrip(ZWJ + ZWNJ)
        formed = _formed(face, bare, at, script)
        if after.startswith(ZWNJ):
            if formed and _shape(face, chain, script) == _shape(face, bare, script):
                return "lost_joiner"
        elif chain[at - 1] == ZWJ:  # asks for another form of the consonant that follows, such as a ya-phala
            without = chain[: at - 1] + chain[at:]
            if _shape(face, chain, script) == _shape(face, without, script):
                return "lost_joiner"
        elif not after.startswith(ZWJ) and not formed:
            return "broken_cluster"
    return None


def _formed(face: Face, chain: str, at: int, script: str) -> bool:
    """Whether the virama at a place joins its neighbours: it is not painted, and forbidding it changes something."""
    glyphs = _shape(face, chain, script)
    virama = face.font.get_nominal_glyph(ord(chain[at]))
    if chain.count(chain[at]) == glyphs.count(virama):
        return False
    return glyphs != _shape(face, chain[: at + 1] + ZWNJ + chain[at + 1 :], script)


def _joined(face: Face, pair: str, script: str) -> bool:
    """Whether letters side by side are drawn otherwise than apart."""
    apart = [_shape(face, letter, script) for letter in pair]
    return sorted(_shape(face, pair, script)) != sorted(glyph for glyphs in apart for glyph in glyphs)


@lru_cache(maxsize=50_000)
def _shape(face: Face, text: str, script: str) -> tuple[int, ...]:
    """Glyph numbers in painting order, without those that stand for invisible characters."""
    buffer = uharfbuzz.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    if script not in ("Zyyy", "Zinh", "Zzzz"):
        buffer.script = script
    buffer.flags |= uharfbuzz.BufferFlags.REMOVE_DEFAULT_IGNORABLES
    uharfbuzz.shape(face.font, buffer)
    return tuple(info.codepoint for info in buffer.glyph_infos)
