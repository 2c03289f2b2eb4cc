"""The whole of it: lines and blocks in, an Alignment out."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from synth.align.assign import assign
from synth.align.candidates import Option, Piece, pieces_of, turn_round
from synth.align.furniture import furniture, labelled_heads
from synth.align.marks import place_marks
from synth.align.model import Alignment, HtmlBlock, Match, PageResult, PdfLine, PdfPage, Span
from synth.align.order import edges_of, filtered
from synth.align.seeds import Index
from synth.align.sequence import Edges
from synth.align.text import Joined, clean, join

LEAST = 0.3  # share of a line's letters that must be found, or
ENOUGH = 12  # as many of them: a printed address may follow that the HTML only links to


def align(pages: Sequence[PdfPage], lines: Sequence[PdfLine], blocks: Sequence[HtmlBlock]) -> Alignment:
    """Where each line of a PDF stands in the HTML, and what follows what.

    `lines` come in the order of the content streams, `blocks` in that of the HTML. After MosaicDoc, Algorithm 1 and
    appendices A.3 and C.1; beyond it: an n-gram index, a sequence constraint over all lines, each text given once.
    """
    targets = join([clean(block.text) for block in blocks])
    index = Index(targets)
    heads = furniture(pages, lines)
    keys = turn_round([clean(line.text) for line in lines], targets, index)
    sources = join(["" if at in heads else key for at, key in enumerate(keys)])
    pieces = pieces_of(sources, targets, index)
    chosen, taken = assign(pieces, targets, Edges(targets), lines)
    matches = _matches(sources, targets, pieces, chosen, taken)
    for line in heads:
        matches[line] = Match(line, None, "running", 0.0, ())
    for line, block in labelled_heads(heads, keys, blocks).items():
        matches[line] = Match(line, block, "", 1.0, (Span(block, 0, len(keys[line])),))
    place_marks(matches, lines, blocks)
    shown = [(match.line, span) for match in matches for span in match.spans]
    line_edges, block_edges = edges_of(shown, blocks)
    by_number = {page.number: page for page in pages}
    kept, dropped, bad = filtered(line_edges, lines, by_number)
    return Alignment(
        matches=tuple(matches),
        line_edges=tuple(kept),
        block_edges=tuple(block_edges),
        dropped=tuple(dropped),
        pages=tuple(_results(pages, lines, matches, dropped, bad)),
    )


def _matches(
    sources: Joined, targets: Joined, pieces: list[Piece], chosen: list[Option | None], taken: set[int]
) -> list[Match]:
    own: dict[int, list[int]] = defaultdict(list)
    for number, piece in enumerate(pieces):
        own[piece.line].append(number)
    matches: list[Match] = []
    starts = targets.starts.tolist()
    for line, key in enumerate(sources.keys):
        spans: list[Span] = []
        found = 0.0
        for number in own[line]:
            option = chosen[number]
            if option is not None:
                spans += _spans(option, starts)
                found += option.score * len(pieces[number].key)
        share = found / len(key) if key else 0.0
        if spans and (share >= LEAST or found >= ENOUGH):
            main = max(spans, key=lambda span: span.end - span.start)
            matches.append(Match(line, main.block, "", round(min(1.0, share), 4), tuple(spans)))
            continue
        reason = "no_letters" if not key else "too_different" if spans else "not_found"
        reason = "taken" if any(number in taken for number in own[line]) else reason
        matches.append(Match(line, None, reason, round(share, 4), ()))
    return matches


def _spans(option: Option, starts: list[int]) -> list[Span]:
    """The blocks that a stretch of the joined text lies in; what is only a letter or two of a long line is an error."""
    spans: list[Span] = []
    first = bisect_right(starts, option.start) - 1
    if option.end <= starts[first + 1]:
        return [Span(first, option.start - starts[first], option.end - starts[first])]
    for block in range(first, len(starts) - 1):
        begin, end = starts[block], starts[block + 1]
        if begin >= option.end:
            break
        a, b = max(begin, option.start), min(end, option.end)
        if b > a:
            spans.append(Span(block, a - begin, b - begin))
    size = option.end - option.start
    longest = max((span.end - span.start for span in spans), default=0)
    return [s for s in spans if s.end - s.start == longest or ((s.end - s.start) * 20 > size and option.score == 1.0)]


def _results(
    pages: Sequence[PdfPage],
    lines: Sequence[PdfLine],
    matches: Sequence[Match],
    dropped: Sequence[tuple[int, int]],
    bad: set[int],
) -> list[PageResult]:
    total, matched, lost = (defaultdict(int) for _ in range(3))
    for line, match in zip(lines, matches, strict=True):
        total[line.page] += 1
        matched[line.page] += match.block is not None
    for edge in dropped:
        lost[lines[edge[0]].page] += 1
    results: list[PageResult] = []
    for page in pages:
        outcome = "aligned" if matched[page.number] else "unmatched"
        outcome = "implausible_order" if page.number in bad else outcome
        outcome = page.state if page.state != "text" else outcome
        results.append(PageResult(page.number, outcome, total[page.number], matched[page.number], lost[page.number]))
    return results
