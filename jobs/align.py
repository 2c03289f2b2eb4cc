"""`pageloom align PDF HTML...`: where the lines of a PDF stand in its HTML, as JSON, pictures and a page to look at."""

from __future__ import annotations

import colorsys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pymupdf
from pydantic import BaseModel

from jobs.overlay import data_uri, environment
from schemas.errors import SampleError, UserError
from synth.align.align import align
from synth.align.html import read_html
from synth.align.model import Alignment, HtmlBlock, PdfLine, PdfPage
from synth.align.pdf import read_pdf

DPI = 110
GREY, RED, BLACK = (150, 150, 150), (40, 40, 220), (60, 40, 30)
FIXES = {
    "bad_pdf": "name a PDF file that a viewer opens",
    "locked_pdf": "take its password away first",
    "too_many_pages": "split it into parts",
    "empty_pdf": "name a PDF that holds text",
    "image_only": "give it a text layer first, with an OCR program",
    "broken_fonts": "its fonts do not say which characters they draw: print it anew, or read it by OCR",
    "bad_html": "name HTML files in an encoding they declare",
    "html_without_text": "name the HTML that holds the text of the PDF; scripts are not run",
}


class LineRow(BaseModel):
    """`box` in points of the page as read; `spans` are (block, start, end) in characters of the cleaned text."""

    id: int
    page: int
    text: str
    box: tuple[float, float, float, float]
    block: int | None
    reason: str
    score: float
    spans: list[tuple[int, int, int]]


class BlockRow(BaseModel):
    id: int
    text: str
    tag: str
    role: str
    level: int
    group: int


class PageRow(BaseModel):
    """`turn`: degrees clockwise by which the page was turned to be read."""

    page: int
    width: float
    height: float
    turn: int
    outcome: str
    lines: int
    matched: int
    dropped: int


class AlignmentFile(BaseModel):
    """The JSON that `pageloom align` writes. Edges are pairs of ids: what is read next."""

    version: int = 1
    pages: list[PageRow]
    blocks: list[BlockRow]
    lines: list[LineRow]
    line_edges: list[tuple[int, int]]
    block_edges: list[tuple[int, int]]
    dropped_edges: list[tuple[int, int]]


def align_files(
    pdf: Path, html: Sequence[Path], out: Path, overlay: Path | None, html_page: Path | None
) -> AlignmentFile:
    """Align, write what is asked for, and return what was written. UserError for files that cannot be aligned."""
    sources = [path.read_bytes() for path in html]
    data = pdf.read_bytes()
    pages, lines = _or_user_error(lambda: read_pdf(data), pdf)
    blocks = _or_user_error(lambda: read_html(*sources), html[0])
    found = align(pages, lines, blocks)
    result = _file(pages, lines, blocks, found)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(result.model_dump_json(indent=1) + "\n", encoding="utf-8")
    if overlay is not None or html_page is not None:
        pictures = draw_pages(data, pages, lines, found)
        if overlay is not None:
            overlay.mkdir(parents=True, exist_ok=True)
            for page, picture in zip(pages, pictures, strict=True):
                (overlay / f"page-{page.number + 1:04d}.png").write_bytes(picture)
        if html_page is not None:
            html_page.parent.mkdir(parents=True, exist_ok=True)
            html_page.write_text(_page(pdf.name, result, pictures), encoding="utf-8")
    return result


def summary(result: AlignmentFile) -> str:
    """One line for people."""
    matched = sum(line.block is not None for line in result.lines)
    reasons = Counter(line.reason for line in result.lines if line.block is None)
    outcomes = Counter(page.outcome for page in result.pages)
    left = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    return (
        f"{matched} of {len(result.lines)} lines aligned with {len(result.blocks)} blocks"
        + (f" ({left})" if left else "")
        + "; pages: "
        + ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    )


def draw_pages(data: bytes, pages: Sequence[PdfPage], lines: Sequence[PdfLine], found: Alignment) -> list[bytes]:
    """PNG of each page: lines in the colour of their block, grey without one; arrows to the next, red if dropped."""
    own: dict[int, list[PdfLine]] = {page.number: [] for page in pages}
    for line in lines:
        own[line.page].append(line)
    edges: dict[int, list[tuple[int, int, tuple[int, int, int]]]] = {page.number: [] for page in pages}
    for pairs, colour in ((found.line_edges, BLACK), (found.dropped, RED)):
        for a, b in pairs:
            if lines[a].page == lines[b].page:
                edges[lines[a].page].append((a, b, colour))
    pictures: list[bytes] = []
    with pymupdf.open(stream=data, filetype="pdf") as opened:
        for page in pages:
            sheet = opened[page.number]
            sheet.set_rotation(page.turn)
            pixmap = sheet.get_pixmap(dpi=DPI, alpha=False)
            shape = (pixmap.height, pixmap.width, pixmap.n)
            image = np.ascontiguousarray(np.frombuffer(pixmap.samples, np.uint8).reshape(shape)[:, :, ::-1])
            _draw(image, own[page.number], edges[page.number], lines, found)
            pictures.append(cv2.imencode(".png", image)[1].tobytes())
    return pictures


def _draw(
    image: np.ndarray,
    own: Sequence[PdfLine],
    edges: Sequence[tuple[int, int, tuple[int, int, int]]],
    lines: Sequence[PdfLine],
    found: Alignment,
) -> None:
    scale = DPI / 72
    tint = image.copy()
    boxes = [tuple(round(v * scale) for v in line.box) for line in own]
    for line, (x0, y0, x1, y1) in zip(own, boxes, strict=True):
        block = found.matches[line.id].block
        colour = GREY if block is None else _colour(block)
        cv2.rectangle(tint, (x0, y0), (x1, y1), colour, -1)
        cv2.rectangle(image, (x0, y0), (x1, y1), colour, 1, cv2.LINE_AA)
    cv2.addWeighted(tint, 0.3, image, 0.7, 0, dst=image)
    for a, b, colour in edges:
        one, two = lines[a].box, lines[b].box
        level = abs(one.y0 - two.y0) < one.height / 2
        start = (one.x1 if level else one.x0 + 4, (one.y0 + one.y1) / 2)
        end = (two.x0 + (0 if level else 4), (two.y0 + two.y1) / 2)
        points = [(round(x * scale), round(y * scale)) for x, y in (start, end)]
        length = max(1.0, float(np.hypot(points[1][0] - points[0][0], points[1][1] - points[0][1])))
        cv2.arrowedLine(image, points[0], points[1], colour, 1, cv2.LINE_AA, tipLength=min(0.5, 6 / length))


def _colour(block: int) -> tuple[int, int, int]:
    """Neighbouring blocks in hues far apart."""
    red, green, blue = colorsys.hls_to_rgb(block * 0.618 % 1, 0.45, 0.9)
    return round(255 * blue), round(255 * green), round(255 * red)


def _file(
    pages: Sequence[PdfPage], lines: Sequence[PdfLine], blocks: Sequence[HtmlBlock], found: Alignment
) -> AlignmentFile:
    return AlignmentFile(
        pages=[
            PageRow(
                page=page.number,
                width=page.width,
                height=page.height,
                turn=page.turn,
                outcome=result.outcome,
                lines=result.lines,
                matched=result.matched,
                dropped=result.dropped,
            )
            for page, result in zip(pages, found.pages, strict=True)
        ],
        blocks=[BlockRow(**vars(block)) for block in blocks],
        lines=[
            LineRow(
                id=line.id,
                page=line.page,
                text=line.text,
                box=(round(line.box.x0, 2), round(line.box.y0, 2), round(line.box.x1, 2), round(line.box.y1, 2)),
                block=match.block,
                reason=match.reason,
                score=match.score,
                spans=[(span.block, span.start, span.end) for span in match.spans],
            )
            for line, match in zip(lines, found.matches, strict=True)
        ],
        line_edges=list(found.line_edges),
        block_edges=list(found.block_edges),
        dropped_edges=list(found.dropped),
    )


def _page(title: str, result: AlignmentFile, pictures: Sequence[bytes]) -> str:
    blocks = {block.id: block for block in result.blocks}
    lines: dict[int, list[LineRow]] = {}
    for line in result.lines:
        lines.setdefault(line.page, []).append(line)
    pages = [
        {
            "row": page,
            "picture": data_uri(picture, "png"),
            "lines": [
                (line, blocks[line.block].text[:160] if line.block is not None else "", _css(line.block))
                for line in lines.get(page.page, [])
            ],
        }
        for page, picture in zip(result.pages, pictures, strict=True)
    ]
    template = environment().get_template("align.html.j2")
    return template.render(title=title, summary=summary(result), pages=pages)


def _css(block: int | None) -> str:
    blue, green, red = GREY if block is None else _colour(block)
    return f"#{red:02x}{green:02x}{blue:02x}"


def _or_user_error(read, path: Path):
    try:
        return read()
    except SampleError as error:
        raise UserError(f"{error.reason.replace('_', ' ')}: {error.detail}", str(path), FIXES[error.reason]) from None
