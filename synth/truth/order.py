"""Reading order of the lines of a print: what the HTML says, held against where the lines stand on paper.

Local, as in MosaicDoc's appendix A.3: chains of lines, one for each part that is read for itself (article, aside,
figure, page head, the rest of the page), with no order between chains. The rules are in docs/labels.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from schemas.document import Document
from schemas.errors import SampleError
from schemas.geometry import Box, union
from synth.render.raw import Snapshot
from synth.truth.cuts import by_columns, by_rows, first_fault
from synth.truth.fragment import Fragment
from synth.truth.lines import group_lines

Cut = Callable[[Sequence[Box]], list[int]]


@dataclass(frozen=True)
class Run:
    """A printed line. `box` is its core in the frame of reading: x the way lines go, y the way they follow."""

    line: int
    page: int
    rank: int
    loose: int
    items: tuple[tuple[int, int], ...]
    block: int
    container: int
    role: str
    box: Box
    size: float
    upright: bool
    text: str


def in_reading_order(
    fragments: Sequence[Fragment], snapshot: Snapshot
) -> tuple[list[Fragment], list[list[int]], list[bool]]:
    """The fragments in reading order, their positions line by line, and of each line whether the next one follows it.

    Lines of one chain stand together. SampleError "reading_order" if the lines of a part stand on paper in a way in
    which neither the order of the HTML nor that of its placed items can be read.
    """
    lines = group_lines(list(fragments))
    runs: dict[int, list[Run]] = {}
    for number, line in enumerate(lines):
        own = [fragments[k] for k in line]
        runs.setdefault(own[0].word.spot.part, []).append(_run(number, own, snapshot))
    chains = [chain for part in _linked(snapshot, runs) for chain in part]
    ordered = sorted(chains, key=lambda chain: (chain[0].page, chain[0].rank))
    found: list[Fragment] = []
    members: list[list[int]] = []
    follows: list[bool] = []
    for chain in ordered:
        for run in chain:
            members.append(list(range(len(found), len(found) + len(lines[run.line]))))
            found += [fragments[k] for k in lines[run.line]]
            follows.append(run is not chain[-1])
    return found, members, follows


def with_edges(document: Document, follows: Sequence[bool]) -> Document:
    """The document with the successor of each line that has one, and those of the blocks that these lead to."""
    lines = [
        replace(line, next=k + 1) if follow else line
        for k, (line, follow) in enumerate(zip(document.lines, follows, strict=True))
    ]
    after: dict[int, int] = {}
    for line in lines:
        following = lines[line.next].block if line.next >= 0 else line.block
        if following != line.block:
            after.setdefault(line.block, following)
    blocks = tuple(replace(block, next=after.get(block.id, -1)) for block in document.blocks)
    return replace(document, lines=tuple(lines), blocks=blocks)


def _run(number: int, own: list[Fragment], snapshot: Snapshot) -> Run:
    word = own[0].word
    box = _framed(union([f.box for f in own]), word.flow)
    across, down = min(1.5, 0.1 * box.width), 0.3 * box.height  # ascent and descent of lines may overlap
    core = Box(box.x0 + across, box.y0 + down, box.x1 - across, box.y1 - down)
    role = snapshot.blocks[word.block].role
    spot, upright = word.spot, word.flow == "ttb" or all(f.upright for f in own)
    return Run(
        line=number,
        page=own[0].page,
        rank=spot.rank,
        loose=spot.loose,
        items=spot.items,
        block=word.block,
        container=word.container,
        role=role,
        box=core,
        size=own[0].size,
        upright=upright,
        text=" ".join(f.text for f in own),
    )


def _framed(box: Box, flow: str) -> Box:
    if flow == "rtl":
        return Box(-box.x1, box.y0, -box.x0, box.y1)
    return Box(box.y0, -box.x1, box.y1, -box.x0) if flow == "ttb" else box


def _linked(snapshot: Snapshot, runs: dict[int, list[Run]]) -> list[list[list[Run]]]:
    """The chains of all parts; the first chain of a part that continues another one goes on with that one's first."""
    settled: dict[int, list[list[Run]]] = {}
    for part in sorted(runs):
        chains = _settled(runs[part], snapshot.parts[part].tag)
        head = snapshot.parts[part].continues
        while head >= 0 and head not in settled:
            head = snapshot.parts[head].continues
        if head < 0:
            settled[part] = chains
        else:
            settled[head][0].extend(chains[0])
            settled[head].extend(chains[1:])
            settled[part] = settled[head]
    return list({id(chains): chains for chains in settled.values()}.values())


def _settled(runs: list[Run], tag: str) -> list[list[Run]]:
    """The chains of one part: its lines in the first order that stands on paper as it is read.

    Tried are the HTML's order, the same with the title of an article first (A.3), the order in which placed items
    stand, by rows and by columns, and all this once more with each element out of the flow as a chain of its own.
    """
    given = sorted(runs, key=lambda run: (run.rank, run.line))
    if tag == "figure":  # a caption follows its figure (A.3), wherever it stands
        return [sorted(given, key=lambda run: run.role == "caption")]
    fault = None
    for loose in (False, True):
        rest = [run for run in given if run.loose < 0 or not loose]
        if loose and len(rest) == len(given):
            break
        found, why = _first_right(rest, tag == "article") if rest else ([], None)
        fault = fault or why
        if why is None:
            apart = sorted({run.loose for run in given if run.loose >= 0}) if loose else []
            own = [[run for run in given if run.loose == number] for number in apart]
            return [chain for chain in (found, *own) if chain]
    assert fault is not None
    raise SampleError(
        "reading_order", "truth", f"page {fault.page + 1}: {fault.text[:60]!r} stands before what it follows"
    )


def _first_right(given: list[Run], article: bool) -> tuple[list[Run], Run | None]:
    """The first order that is right on paper, or the line at which the HTML's fails."""
    fault = _fault(given, article)
    if fault is None:
        return given, None
    ways: list[Callable[[], list[Run]]] = [lambda: _by_place(given, by_rows), lambda: _by_place(given, by_columns)]
    if article:
        ways.insert(0, lambda: sorted(given, key=lambda run: run.role != "title"))
    for way in ways:
        order = way()
        if _fault(order, article) is None:
            return order, None
    return given, fault


def _fault(order: list[Run], article: bool) -> Run | None:
    """The first line that cannot be read where it stands: pages go on, and every page is read by straight cuts."""
    for before, after in pairwise(order):
        if after.page < before.page:
            return after
    for page in sorted({run.page for run in order}):
        units = _units([run for run in order if run.page == page])
        at = first_fault([box for box, _ in units])
        if at is not None:
            return units[at][1][0]
    return _early(order) if article else None


def _units(order: list[Run]) -> list[tuple[Box, list[Run]]]:
    """What is held against paper: lines with their cores; a table as a whole; turned lines and ruby not at all."""
    units: list[tuple[list[Box], list[Run]]] = []
    for run in order:
        base = units[-1][1][0] if units else run
        if units and run.role == base.role == "table" and run.block == base.block:
            units[-1][0].append(run.box)
            units[-1][1].append(run)
        elif units and (not run.upright or _beside(run, base)):
            units[-1][1].append(run)
        else:
            units.append(([run.box], [run]))
    return [(union(boxes), own) for boxes, own in units]


def _beside(run: Run, base: Run) -> bool:
    """Whether a line annotates the one before: smaller, in the same element, over or under it (ruby, notes)."""
    near = run.box.y0 < base.box.y1 + base.size and base.box.y0 < run.box.y1 + base.size
    return run.container == base.container and run.size < 0.8 * base.size and near


def _early(order: list[Run]) -> Run | None:
    """What an article has before its title (A.3), unless it stands over or beside the title, as a kicker does."""
    titles = [run for run in order if run.role == "title"]
    if len({run.block for run in titles}) != 1:
        return None
    title = union([run.box for run in titles])
    for run in order[: order.index(titles[0])]:
        over = run.box.x0 < title.x1 and title.x0 < run.box.x1
        beside = run.box.y0 < title.y1 and title.y0 < run.box.y1
        if run.page != titles[0].page or not (over or beside):
            return run
    return None


def _by_place(given: list[Run], cut: Cut) -> list[Run]:
    """Page by page, in every container whose items the author placed these as they stand; else the HTML's order."""
    pages = sorted({run.page for run in given})
    return [run for page in pages for run in _placed([run for run in given if run.page == page], cut, 0)]


def _placed(given: list[Run], cut: Cut, depth: int) -> list[Run]:
    order: list[Run] = []
    for box, own in groupby(given, key=lambda run: run.items[depth][0] if len(run.items) > depth else None):
        if box is None:
            order += own
            continue
        items: dict[int, list[Run]] = {}
        for run in own:
            items.setdefault(run.items[depth][1], []).append(run)
        inner = [_placed(item, cut, depth + 1) for item in items.values()]
        for at in cut([union([run.box for run in item]) for item in inner]):
            order += inner[at]
    return order
