"""Algorithm 1 of MosaicDoc (appendix A.2) as it is written there, with nothing added: the yardstick.

Every line is held against every block; the spatial filter needs boxes of the HTML blocks, which only some publishers'
sites have, so it is left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from rapidfuzz import fuzz

from synth.align.model import Alignment, HtmlBlock, Match, PdfLine

TEXT = 80.0  # partial likeness of a line and a block from which the block is a candidate
CONTEXT = 0.3  # the paper's threshold on s(c*)
_PREFIX = re.compile(r"^(\s*([•·▪◦*-]|\(?\d{1,3}[.)、]))+\s*")


def prepared(text: str) -> str:
    return re.sub(r"\s+", "", _PREFIX.sub("", text)).lower()


def plain_align(lines: Sequence[PdfLine], blocks: Sequence[HtmlBlock]) -> Alignment:
    pool = [prepared(block.text) for block in blocks]  # BuildPool
    paragraphs: dict[int, list[str]] = defaultdict(list)
    for line in lines:
        paragraphs[line.block].append(line.text)
    of_block = {number: prepared("".join(texts)) for number, texts in paragraphs.items()}
    numbers = list(of_block)
    place = {number: at for at, number in enumerate(numbers)}
    bins: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    matches: list[Match] = []
    for line in lines:
        text, around = prepared(line.text), of_block[line.block]
        candidates = [at for at, target in enumerate(pool) if _similar(text, around, target)] if text else []
        match = candidates[0] if len(candidates) == 1 else None
        if len(candidates) > 1:
            at = place[line.block]
            before = of_block[numbers[at - 1]] if at else ""
            after = of_block[numbers[at + 1]] if at + 1 < len(numbers) else ""
            scores = [
                max(fuzz.ratio(before + pool[c], around), fuzz.ratio(pool[c] + after, around)) / 100 for c in candidates
            ]
            best = max(range(len(candidates)), key=scores.__getitem__)
            match = candidates[best] if scores[best] > CONTEXT else None
        matches.append(Match(line.id, match, "" if match is not None else "not_found", 0.0, ()))
        if match is not None:
            bins[match][line.block].append(line.id)
    edges: list[tuple[int, int]] = []
    for group in {block.group for block in blocks}:
        order = [
            line for block in blocks if block.group == group for own in bins.get(block.id, {}).values() for line in own
        ]
        edges += pairwise(order)
    return Alignment(tuple(matches), tuple(edges), (), (), ())


def _similar(text: str, around: str, target: str) -> bool:
    """FindCandidates: the line is in the block, and the line's paragraph and the block are about the same."""
    if len(text) > len(target) * 1.5:
        return False
    return fuzz.partial_ratio(text, target) >= TEXT
