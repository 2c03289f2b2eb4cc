from __future__ import annotations

import time
from itertools import pairwise

import pymupdf
import pytest

from schemas.errors import SampleError
from synth.align.align import align
from synth.align.html import read_html
from synth.align.pdf import read_pdf
from tests.synth.align.pdfs import HTML, TEXT, empty, pictured, unmapped, written


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (pictured(), "image_only"),
        (unmapped(), "broken_fonts"),
        (empty(), "empty_pdf"),
        (b"", "bad_pdf"),
        (b"no pdf at all", "bad_pdf"),
    ],
    ids=["picture", "fonts", "empty", "no bytes", "no pdf"],
)
def test_a_pdf_without_readable_text_is_refused_with_its_reason(data: bytes, reason: str) -> None:
    with pytest.raises(SampleError) as caught:
        read_pdf(data)
    assert (caught.value.reason, caught.value.stage) == (reason, "align")


def test_a_locked_pdf_is_refused() -> None:
    with pymupdf.open(stream=written(), filetype="pdf") as made:
        data = made.tobytes(encryption=5, user_pw="x", owner_pw="y")
    with pytest.raises(SampleError, match="password"):
        read_pdf(data)


def test_bad_pages_among_good_ones_say_what_they_are() -> None:
    with pymupdf.open() as made:
        for data in (written(), pictured(), empty(), unmapped()):
            with pymupdf.open(stream=data, filetype="pdf") as part:
                made.insert_pdf(part)
        data = made.tobytes()
    pages, lines = read_pdf(data)
    assert [page.state for page in pages] == ["text", "image_only", "empty", "broken_fonts"]
    assert {line.page for line in lines} == {0}
    found = align(pages, lines, read_html(HTML))
    assert [page.outcome for page in found.pages] == ["aligned", "image_only", "empty", "broken_fonts"]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("upright", [True, False])
def test_a_turned_page_is_read_upright(turn: int, upright: bool) -> None:
    pages, lines = read_pdf(written(turn=turn, upright=upright))
    assert (pages[0].turn, pages[0].width > pages[0].height) == ((0, False) if upright else (90, True))
    assert all(line.box.width > line.box.height for line in lines)
    assert all(a.box.y0 < b.box.y0 for a, b in pairwise(lines))
    found = align(pages, lines, read_html(HTML))
    assert [match.block for match in found.matches] == sorted(match.block or 0 for match in found.matches)
    assert len(found.line_edges) == len(lines) - 1


def test_500_pages_take_bounded_time() -> None:
    # Every paragraph is nearly like the 499 others; a version that compares all with all takes minutes.
    html = "".join(f"<p>{text} Part {n}.</p>" for n in range(500) for text in TEXT)
    pages, lines = read_pdf(written(pages=500))
    blocks = read_html(html)
    start = time.process_time()
    found = align(pages, lines, blocks)
    assert time.process_time() - start < 20
    right = sum(match.block is not None and match.block // 3 == lines[match.line].page for match in found.matches)
    assert right / len(lines) > 0.99
