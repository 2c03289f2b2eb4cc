"""How well and how fast lines are aligned with blocks, plain Algorithm 1 beside it.

Run: python -m benchmarks.align --table [--papers N] [--draws N] for the table of docs/alignment.md (it prints with the
browser, some minutes); without --table the speed alone.
"""

from __future__ import annotations

import argparse
import random
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from benchmarks.common import SPLIT, recipe
from benchmarks.show import aligned
from schemas.errors import SampleError
from schemas.geometry import Box
from schemas.plan import Plan
from synth.align.align import align
from synth.align.html import read_html
from synth.align.model import Alignment, HtmlBlock, PdfLine, PdfPage
from synth.content.library import load_library
from synth.content.writer import write
from synth.render.chromium import Chromium
from synth.render.fonts import font_set
from synth.truth.labels import label
from tests.synth.align.damage import DAMAGES
from tests.synth.align.newspaper import newspaper
from tests.synth.align.plain import plain_align
from tests.synth.align.truth import Pair, Score, pair_of_document, pair_of_newspaper, score, truth_of

LANGUAGES = ("en", "zh", "bn")
LINES, BLOCKS, COLUMN = 500, 200, 46
NOTHING = Score(0, 0, (0, 0, 0))
Scores = dict[tuple[str, str], tuple[Score, Score]]  # (row, language) -> (ours, plain)


def measure() -> dict[str, dict[str, float]]:
    """CPU milliseconds for a page of 500 lines against 200 blocks, the plain version's, and their ratio."""
    pages, lines, blocks = page()
    rng = random.Random(3)
    lost = [replace(x, text="".join(c for c in x.text if rng.random() > 0.05)) for x in lines]
    found: dict[str, dict[str, float]] = {}
    for name, own in (("clean", lines), ("5% of characters lost", lost)):
        ours = _milliseconds(lambda own=own: align(pages, own, blocks), 15)
        plain = _milliseconds(lambda own=own: plain_align(own, blocks), 1)
        found[name] = {"ms": round(ours, 1), "plain_ms": round(plain, 1), "ratio": round(plain / ours, 1)}
    return found


def page() -> tuple[list[PdfPage], list[PdfLine], list[HtmlBlock]]:
    """A page of six columns with 500 lines of a paper of 200 blocks, wrapped here: no browser is needed."""
    blocks = read_html(newspaper(5, "en", 4).site)[:BLOCKS]
    texts = [(block.id, text) for block in blocks for text in textwrap.wrap(block.text, COLUMN)]
    lines = []
    for at, (block, text) in enumerate(texts[100 : 100 + LINES]):
        column, row = divmod(at, 85)
        x, y = 30.0 + 120 * column, 30.0 + 11 * row
        lines.append(PdfLine(at, 0, block, text, Box(x, y, x + 110, y + 10), 8.0))
    return [PdfPage(0, 790, 1000, 0, "text")], lines, blocks


def _milliseconds(work: Callable[[], Alignment], times: int) -> float:
    """The median of CPU times, so that other work on the machine counts little."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(1000 * (time.process_time() - start))
    return sorted(taken)[len(taken) // 2]


def scores(chromium: Chromium, papers: int, draws: int, documents: int) -> Scores:
    """Every damage done `draws` times to `papers` newspapers of two pages a language, and Pageloom's own documents."""
    found: Scores = {}
    for language in LANGUAGES:
        for twins, hyphens in ((False, False), (True, False), (False, True), (True, True)):
            pairs = list(_papers(chromium, language, papers, twins, hyphens))
            for name, (damage, *printed) in DAMAGES.items():
                if printed != [twins, hyphens]:
                    continue
                for number, pair in enumerate(pairs):
                    for draw in range(draws if damage else 1):
                        worse = damage(pair, random.Random(f"{number}/{draw}/{name}")) if damage else pair
                        _add(found, name, language, worse)
    for pair in own_documents(chromium, documents):
        _add(found, "Pageloom's own documents, clean", pair.name, pair)
    return found


def _add(found: Scores, name: str, language: str, pair: Pair) -> None:
    truth = truth_of(pair)
    ours, plain = found.get((name, language), (NOTHING, NOTHING))
    found[name, language] = (
        ours + score(align(pair.pages, pair.lines, pair.blocks), truth),
        plain + score(plain_align(pair.lines, pair.blocks), truth),
    )


def _papers(chromium: Chromium, language: str, papers: int, twins: bool, hyphens: bool) -> Iterator[Pair]:
    """A paper whose articles do not fit its pages cannot be labelled; the next one is taken."""
    seed = made = 0
    while made < papers:
        seed += 1
        try:
            yield pair_of_newspaper(chromium, newspaper(seed, language, 2, twins, hyphens), f"{language}{seed}")
        except SampleError:
            continue
        made += 1


def own_documents(chromium: Chromium, count: int) -> Iterator[Pair]:
    """The first documents of the benchmark's recipe, all types and languages in turn."""
    content, library = recipe(12).content, load_library()
    for index in range(count):
        document = write(Plan(content).spec(SPLIT, index), library, content)
        try:
            raw = chromium.print(document)
            labels = label(raw, document)
        except SampleError:
            continue
        yield pair_of_document(raw.pdf, labels, document.html, document.language)


def markdown(found: Scores) -> str:
    """Accuracy / successor F1 of each damage and language, plain Algorithm 1 behind it."""
    head = [f"{language}, {who}" for language in LANGUAGES for who in ("ours", "plain")]
    rows = ["| damage | lines | " + " | ".join(head) + " |", "|---" * (len(head) + 2) + "|"]
    for name in dict.fromkeys(name for name, _ in found):
        own = [found[name, language] for language in LANGUAGES]
        cells = [f"{s.accuracy:.4f} / {s.f1:.4f}" for pair in own for s in pair]
        rows.append(f"| {name} | {sum(ours.lines for ours, _ in own)} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--table", action="store_true", help="print the table of docs/alignment.md")
    parser.add_argument("--papers", type=int, default=2, help="newspapers of each language and kind")
    parser.add_argument("--draws", type=int, default=3, help="draws of each damage")
    parser.add_argument("--documents", type=int, default=48, help="documents of Pageloom's own")
    args = parser.parse_args()
    if args.table:
        with Chromium(font_set(list(LANGUAGES))) as chromium:
            print(markdown(scores(chromium, args.papers, args.draws, args.documents)))
    else:
        print(aligned(measure()))


if __name__ == "__main__":
    main()
