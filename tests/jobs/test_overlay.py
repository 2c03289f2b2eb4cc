from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from jobs.marks import KINDS, ROLE_COLOURS, Marks, marks_of_document, marks_of_rows
from jobs.overlay import draw, preview_html, svg_marks
from schemas.document import ROLES, Block, Cell, Document, Field
from schemas.geometry import Box, quad_of
from schemas.sample import Picture
from tests.jobs.browser import opened
from tests.jobs.releases import HEIGHT, HOSTILE, WIDTH, page_rows, picture
from tests.synth.read.pages import document

SCHEMA = {"type": "object", "properties": {"total": {"type": "string"}}}


def sample() -> Document:
    """Two lines: `Total: 12.50` as a field with its key and a table cell, and a note."""
    plain = document(
        [
            [("Total:", Box(60, 100, 160, 140)), ("12.50", Box(300, 100, 400, 140))],
            [("Note", Box(60, 200, 130, 240))],
        ],
        (WIDTH, HEIGHT),
    )
    across, value = Box(60, 100, 400, 140), Box(300, 100, 400, 140)
    return Document(
        plain.pages,
        plain.words,
        plain.lines,
        (Block(0, 0, "key_value", (0,), "Total: 12.50", across, quad_of(across), 0),),
        (Cell(0, 0, 0, 0, 1, 1, 2, False, (1,), "12.50", value, quad_of(value)),),
        (Field(0, 0, "total", "12.50", (1,), "Total:", (0,), value, quad_of(value)),),
        (),
    )


def shot() -> Picture:
    return Picture(0, picture(page_rows("d", 0, "1"), 0), "jpeg", WIDTH, HEIGHT, 75, "none")


def test_marks_name_what_they_show() -> None:
    marks = marks_of_document(sample(), 0)
    titles = {kind: [mark.title for mark in marks.boxes if mark.kind == kind] for kind in KINDS}
    assert titles["fields"] == ["total = 12.50"]
    assert titles["keys"] == ["Total: → total"]
    assert titles["blocks"] == ["key_value: Total: 12.50"]
    assert titles["cells"] == ["cell row 0, column 1, spans 1 × 2: 12.50"]
    assert titles["words"][1] == "12.50 (word 1, order 1)"
    assert len(titles["lines"]) == 2
    assert marks.order == ((230, 120), (95, 220))


def test_the_arrow_goes_from_the_edge_of_the_key_to_that_of_the_value() -> None:
    assert marks_of_document(sample(), 0).arrows == ((160, 120, 300, 120, "total"),)


def test_a_document_and_its_rows_give_the_same_marks() -> None:
    rows = page_rows("train-00000000", 0, "$5.00")
    marks = marks_of_rows(rows, WIDTH, HEIGHT)
    assert [len([m for m in marks.boxes if m.kind == kind]) for kind in KINDS] == [3, 2, 3, 2, 2, 5, 0]
    assert len(marks.arrows) == 2
    assert {m.role for m in marks.boxes if m.kind == "blocks"} == {"title", "key_value", "table"}


def test_a_key_over_two_lines_has_a_box_on_each_and_one_on_another_page_none() -> None:
    rows = page_rows("d", 0, "$5.00")
    rows["kie"][0]["key_word_ids"] = [0, 1]
    rows["kie"][1]["key_word_ids"] = [77]
    marks = marks_of_rows(rows, WIDTH, HEIGHT)
    assert [mark.path for mark in marks.boxes if mark.kind == "keys"] == ["total", "total"]
    assert [arrow[4] for arrow in marks.arrows] == ["total"]


def test_every_role_has_a_colour_of_its_own() -> None:
    assert set(ROLE_COLOURS) == set(ROLES)
    assert len(set(ROLE_COLOURS.values())) == len(ROLES)


def test_svg_is_escaped_and_small_without_titles() -> None:
    marks = marks_of_rows(page_rows("d", 0, HOSTILE), WIDTH, HEIGHT)
    full, small = svg_marks(marks), svg_marks(marks, titles=False)
    assert "<script" not in full
    assert "&lt;script&gt;alert(1)" in full
    assert "title" not in small.replace("r-title", "")
    assert len(small) < len(full) / 2
    for kind in KINDS:
        assert f'<g class="k-{kind}">' in full
        assert f'<g class="k-{kind}">' in small


def test_a_page_without_labels_draws_nothing() -> None:
    empty = Marks(100, 100, (), (), ())
    assert "<path" not in svg_marks(empty)
    image = cv2.imencode(".png", np.full((50, 50, 3), 255, np.uint8))[1].tobytes()
    assert (cv2.imdecode(np.frombuffer(draw(image, empty), np.uint8), cv2.IMREAD_COLOR) == 255).all()


def test_png_holds_the_boxes_in_the_scale_of_its_picture() -> None:
    big = cv2.imencode(".png", np.full((2 * HEIGHT, 2 * WIDTH, 3), 255, np.uint8))[1].tobytes()
    drawn = draw(big, marks_of_document(sample(), 0), kinds=("fields",))
    image = cv2.imdecode(np.frombuffer(drawn, np.uint8), cv2.IMREAD_COLOR).astype(int)
    ys, xs = np.nonzero(np.ptp(image, axis=2) > 20)
    assert abs(np.array([xs.min(), ys.min(), xs.max(), ys.max()]) - [600, 200, 800, 280]).max() <= 3
    everything = draw(big, marks_of_document(sample(), 0), kinds=tuple(KINDS))
    assert everything != drawn
    with pytest.raises(ValueError, match="no picture"):
        draw(b"nothing", marks_of_document(sample(), 0))


def test_preview_shows_page_boxes_and_values(tmp_path: Path) -> None:
    file = tmp_path / "preview.html"
    values = {"total": "12.50", "seller": {"name": HOSTILE, "tags": ["a", "b"]}}
    file.write_text(preview_html(sample(), [shot()], SCHEMA, values, "books, train 0"), "utf-8")
    with opened(file) as page:
        assert page.title() == "books, train 0"
        for kind, count in (("fields", 1), ("keys", 1), ("words", 3), ("lines", 2), ("blocks", 1), ("cells", 1)):
            group = page.locator(f"svg .k-{kind}")
            assert group.locator("polygon").count() == count
            switch = page.locator(f"input[data-kind={kind}]")
            assert group.is_visible() == switch.is_checked()
            switch.set_checked(not switch.is_checked())
            assert group.is_visible() == switch.is_checked()
            switch.set_checked(kind == "fields")
        page.locator("svg .k-fields polygon").hover()
        assert page.locator("#said").inner_text() == "total = 12.50"
        lit = page.locator("[data-value-of].lit")
        assert lit.all_inner_texts() == ["12.50"]
        page.locator("[data-value-of='seller.tags[1]']").hover()
        assert lit.all_inner_texts() == ["b"]
        page.locator("[data-value-of=total]").hover()
        assert "lit" in (page.locator("svg .k-fields polygon").get_attribute("class") or "")
        assert page.locator("[data-value-of='seller.name']").inner_text() == HOSTILE
        natural = page.locator("svg image").get_attribute("width")
        assert natural == str(WIDTH)
