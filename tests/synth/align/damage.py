"""What happens to lines and blocks on the way: each damage takes a pair and gives a worse one, its truth kept."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

from schemas.geometry import Box, union
from synth.align.model import PdfLine
from tests.synth.align.truth import Pair, Rects

Damage = Callable[[Pair, random.Random], Pair]
_LIGATURES = re.compile("ffi|ffl|fi|fl|ff|ti|tt|[\u0995-\u09b9]\u09cd[\u0995-\u09b9]")
_KANGXI = dict(zip("一人大小日月工方文用心手", "⼀⼈⼤⼩⽇⽉⼯⽅⽂⽤⼼⼿", strict=True))


def changed(pair: Pair, rng: random.Random, share: float = 0.05) -> Pair:
    """This share of characters lost, or changed into another of the document."""
    letters = [c for line in pair.lines for c in line.text if not c.isspace()]

    def worse(text: str) -> str:
        out = []
        for c in text:
            if c.isspace() or rng.random() >= share:
                out.append(c)
            elif rng.random() < 0.5:
                out.append(rng.choice(letters))
        return "".join(out)

    return pair.with_lines([replace(x, text=worse(x.text)) for x in pair.lines], pair.rects)


def ligatures(pair: Pair, rng: random.Random) -> Pair:
    """Every second kind of ligature or conjunct has lost its mapping; Chinese characters come as Kangxi radicals."""
    kinds = sorted({match[0] for line in pair.lines for match in _LIGATURES.finditer(line.text)})
    broken = set(rng.sample(kinds, len(kinds) // 2))

    def worse(match: re.Match[str]) -> str:
        return rng.choice(["\ufffd", "\ue0f1", "", match[0][0]]) if match[0] in broken else match[0]

    def of(text: str) -> str:
        return "".join(_KANGXI.get(c, c) if rng.random() < 0.7 else c for c in _LIGATURES.sub(worse, text))

    return pair.with_lines([replace(line, text=of(line.text)) for line in pair.lines], pair.rects)


def hyphenated(pair: Pair, rng: random.Random) -> Pair:
    """A hyphen at the end of a third of the lines (the words are broken in print: `newspaper(hyphens=True)`)."""
    lines = [replace(x, text=x.text + rng.choice("-\u2010\u00ad")) if rng.random() < 0.3 else x for x in pair.lines]
    return pair.with_lines(lines, pair.rects)


def merged(pair: Pair, rng: random.Random) -> Pair:
    """Every eighth line joined, half of them with what stands beside it in the next column, half with the next line."""
    lines: list[PdfLine] = []
    rects: list[Rects] = []
    gone: set[int] = set()
    by_page: dict[int, list[PdfLine]] = {}
    for line in pair.lines:
        by_page.setdefault(line.page, []).append(line)
    for line in pair.lines:
        if line.id in gone:
            continue
        other = None
        if rng.random() < 0.125:
            if rng.random() < 0.5:
                beside = [
                    one
                    for one in by_page[line.page]
                    if one.id not in gone and one.id > line.id and 0 < one.box.x0 - line.box.x1 < 25
                    and abs(one.box.y0 - line.box.y0) < 2.5
                ]  # fmt: skip
                other = min(beside, key=lambda one: one.box.x0, default=None)
            elif line.id + 1 < len(pair.lines) and pair.lines[line.id + 1].page == line.page:
                other = pair.lines[line.id + 1]
        own = pair.rects[line.id]
        if other is not None and other.id not in gone:
            gone.add(other.id)
            line = replace(line, text=f"{line.text} {other.text}", box=union([line.box, other.box]))
            own = own + pair.rects[other.id]
        lines.append(line)
        rects.append(own)
    return pair.with_lines(lines, rects)


def split(pair: Pair, rng: random.Random) -> Pair:
    """Every seventh line cut in two between words (Chinese: between any), where the chain's words say it is."""
    lines: list[PdfLine] = []
    rects: list[Rects] = []
    dense = sum("\u4e00" <= c <= "\u9fff" for line in pair.lines for c in line.text) > 200
    for line, own in zip(pair.lines, pair.rects, strict=True):
        parts = list(line.text) if dense else line.text.split(" ")
        inside = [w for w in pair.words if len(own) == 1 and w.page == own[0][0] and _within(w.x, w.y, own[0][1])]
        if (
            rng.random() >= 0.15
            or len(parts) < 2
            or len(own) != 1
            or len(inside) < 2
            or _doubtful(inside, parts, dense)
        ):
            lines.append(line)
            rects.append(own)
            continue
        words = sorted(inside, key=lambda word: word.x)
        cut = rng.randint(1, len(words) - 1)
        x = (words[cut - 1].x + words[cut].x) / 2
        gap = "" if dense else " "
        at = sum(max(1, w.letters) for w in words[:cut]) if dense else cut
        page, box = own[0]
        for text, (a, b) in ((parts[:at], (box.x0, x)), (parts[at:], (x, box.x1))):
            lines.append(replace(line, text=gap.join(text), box=Box(a, box.y0, b, box.y1)))
            rects.append(((page, Box(a, box.y0, b, box.y1)),))
    return pair.with_lines(lines, rects)


def _within(x: float, y: float, box: Box) -> bool:
    return box.x0 <= x <= box.x1 and abs(y - (box.y0 + box.y1) / 2) < (box.y1 - box.y0) / 4


def _doubtful(inside: list, parts: list[str], dense: bool) -> bool:
    """Whether the extractor's text and the chain's words do not go one to one, so that a cut could be elsewhere."""
    return sum(word.letters for word in inside) != len(parts) if dense else len(inside) != len(parts)


def heads(pair: Pair, rng: random.Random) -> Pair:
    """Running heads and feet among the lines of each page; one of them says the title of an article again."""
    lines, rects = list(pair.lines), list(pair.rects)
    title = next(block.text for block in pair.blocks if block.role == "title")
    for page in pair.pages:
        for text in ("The Daily Loom · 30.11.2026", f"{page.number + 1}", title, f"Page {page.number + 1} of 9"):
            own = [at for at, line in enumerate(lines) if line.page == page.number]
            at = rng.choice(own)
            y = rng.choice([4.0, page.height - 14.0])
            lines.insert(at, replace(lines[at], text=text, box=Box(30, y, 30 + 4.0 * len(text), y + 9), block=-1 - at))
            rects.insert(at, ())
    return pair.with_lines(lines, rects)


def missing(pair: Pair, rng: random.Random) -> Pair:
    """Every twelfth block gone from the HTML."""
    kept = [block.id for block in pair.blocks if rng.random() >= 1 / 12]
    new = {old: at for at, old in enumerate(kept)}
    return replace(
        pair,
        blocks=tuple(replace(pair.blocks[old], id=at) for at, old in enumerate(kept)),
        chains=tuple(pair.chains[old] for old in kept),
        words=tuple(replace(word, block=new.get(word.block, -1)) for word in pair.words),
    )


def swapped(pair: Pair, rng: random.Random) -> Pair:
    """The first two pages in the other order."""
    number = {0: 1, 1: 0}
    order = sorted(pair.lines, key=lambda line: (number.get(line.page, line.page), line.id))
    lines = [replace(line, page=number.get(line.page, line.page)) for line in order]
    rects = [tuple((number.get(p, p), box) for p, box in pair.rects[line.id]) for line in order]
    words = tuple(replace(word, page=number.get(word.page, word.page)) for word in pair.words)
    return replace(pair.with_lines(lines, rects), words=words)


def everything(pair: Pair, rng: random.Random) -> Pair:
    for damage in (missing, split, merged, hyphenated, ligatures, heads, swapped, changed):
        pair = damage(pair, rng)
    return pair


DAMAGES: dict[str, tuple[Damage | None, bool, bool]] = {
    # name: (what is done, printed with twins, printed with broken words)
    "clean": (None, False, False),
    "5% of characters lost or changed": (changed, False, False),
    "ligatures broken": (ligatures, False, False),
    "hyphenated": (hyphenated, False, True),
    "merged lines": (merged, False, False),
    "split lines": (split, False, False),
    "running heads mixed in": (heads, False, False),
    "identical paragraphs": (None, True, False),
    "blocks missing from the HTML": (missing, False, False),
    "two pages swapped": (swapped, False, False),
    "all together": (everything, True, True),
}
