from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow as pa
import pytest

from jobs.report import MAX_BYTES, render, sample_pages, write_report
from jobs.report_figures import histogram, questions
from schemas.errors import UserError
from tests.jobs.browser import opened
from tests.jobs.releases import HOSTILE, release

KINDS = [("form", "en"), ("form", "zh"), ("receipt", "bn")]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(release(KINDS, per_cell=2), tmp_path_factory.mktemp("report") / "deep" / "report.html")


def ink(data: bytes) -> float:
    """Share of coloured pixels: only boxes have colour on these pages."""
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR).astype(int)
    return float((np.ptp(image, axis=2) > 40).mean())


def test_boxes_are_switched_on_and_off_and_pages_enlarged(report: Path) -> None:
    with opened(report) as page:
        assert page.title() == "books 1.2.3 · release report"
        assert page.locator(".grid li").count() == 6
        first = page.locator(".grid svg.page").first
        for kind in ("blocks", "keys", "fields"):
            page.locator(f".tools input[data-kind={kind}]").uncheck()
        assert not any(first.locator(f".k-{kind}").is_visible() for kind in ("blocks", "words", "order"))
        bare = ink(first.screenshot())
        assert bare == 0
        page.locator(".tools input[data-kind=fields]").check()
        shown = ink(first.screenshot())
        assert shown > 0.001
        assert first.locator(".k-fields").is_visible()
        page.locator(".tools input[data-kind=order]").check()
        assert ink(first.screenshot()) > shown

        page.locator(".grid button").nth(1).click()
        large = page.locator("dialog svg.page")
        assert large.is_visible()
        assert large.bounding_box()["width"] > 2 * first.bounding_box()["width"]  # type: ignore[index]
        assert page.locator("dialog input[data-kind=fields]").is_checked()
        assert large.locator(".k-fields polygon").count() == 2
        large.locator(".k-fields polygon").first.hover()
        assert "total = " in page.locator("#said").inner_text()
        before = page.locator("#about").inner_text()
        page.keyboard.press("ArrowRight")
        assert page.locator("#about").inner_text() != before
        page.locator("dialog input[data-kind=fields]").uncheck()
        assert not large.locator(".k-fields").is_visible()
        page.keyboard.press("Escape")
        assert not page.locator("dialog").is_visible()
        assert not page.locator(".tools input[data-kind=fields]").is_checked()

        page.locator("#language").select_option("zh")
        assert page.locator(".grid li:visible").count() == 2


def test_it_fits_a_phone(report: Path) -> None:
    with opened(report, 360, 740) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.locator(".grid button").first.click()
        box = page.locator("dialog svg.page").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert 150 < box["width"] <= 360


def test_every_control_has_a_name_and_headings_are_in_order(report: Path) -> None:
    with opened(report) as page:
        unnamed = page.evaluate(
            "[...document.querySelectorAll('button,select,input')].filter(e => !(e.ariaLabel || e.textContent.trim() "
            "|| e.labels?.length)).length"
        )
        assert unnamed == 0
        levels = [
            int(name[1]) for name in page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(e=>e.tagName)")
        ]
        assert levels[0] == 1
        assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_figures_are_those_of_the_release(report: Path) -> None:
    with opened(report) as page:
        counts = page.locator("#counts tbody tr").all_inner_texts()
        assert [row.split()[:2] + row.split()[-1:] for row in counts] == [
            ["form", "en", "2"],
            ["form", "zh", "2"],
            ["receipt", "bn", "2"],
        ]
        assert page.locator("#counts tfoot tr").inner_text().split() == ["All", "3", "3", "6"]
        assert "4 of 6 pages" in page.locator("#legibility").inner_text()
        legible = [row.split() for row in page.locator("#legibility tbody tr").all_inner_texts()]
        # Documents 0 and 3 are form/en, read with 0 and 6 edits in 100 characters.
        assert legible[0] == ["form/en", "2", "2", "3.00", "%", "3.00", "%", "6.00", "%"]
        assert legible[2] == ["receipt/bn", "2", "0", "–", "–", "–"]
        rejected = [row.split() for row in page.locator("#rejections tbody").first.locator("tr").all_inner_texts()]
        assert rejected[0] == ["form/en", "3", "1", "33", "%", "illegible", "1"]
        assert page.locator("#scenes tbody tr").inner_text().split() == ["flat_scan-0", "6"]
        assert page.locator("#faults tbody tr").all_inner_texts() == ["test/fax\t5\t", "train/stamp\t4\t"]


def test_text_of_the_data_is_only_text(report: Path) -> None:
    html = report.read_text("utf-8")
    assert HOSTILE not in html
    assert "http://example.org/x.png&#34;" in html or "http://example.org/x.png&quot;" in html
    assert re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', html) == []


def test_the_same_release_gives_the_same_bytes_and_stays_small(report: Path, tmp_path: Path) -> None:
    again = write_report(release(KINDS, per_cell=2), tmp_path / "report.html")
    assert again.read_bytes() == report.read_bytes()
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_pictures_shrink_until_all_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    data = release(KINDS, per_cell=2)
    full = len(render(data))
    monkeypatch.setattr("jobs.report.MAX_BYTES", full // 2)
    assert full < MAX_BYTES
    assert len(render(data)) < 0.75 * full


def test_pages_shown_are_spread_over_cells_and_do_not_depend_on_order() -> None:
    data = release(KINDS, per_cell=4, pages=2)
    documents = {row["document_id"]: row for row in data.documents.to_pylist()}
    pages = data.pages.to_pylist()
    chosen = sample_pages(pages, documents, 9)
    cells = [(documents[p["document_id"]]["type"], documents[p["document_id"]]["language"]) for p in chosen]
    assert {cell: cells.count(cell) for cell in cells} == dict.fromkeys(KINDS, 3)
    assert {page["page"] for page in chosen} == {0}  # later pages only once every document has shown its first
    assert sample_pages(pages[::-1], documents, 9) == chosen
    assert len(sample_pages(pages, documents, 100)) == len(pages)


def test_questions_are_counted_where_there_are_any() -> None:
    def row(text: str, kind: str, answers: int, *reasons: str) -> dict[str, Any]:
        return {"question": text, "kind": kind, "cardinality": answers, "reasons": list(reasons)}

    kept = [row("How much?", "table", 1), row("how  MUCH?", "table", 1), row("Which two?", "multi_span", 2)]
    refused = [row(HOSTILE, "table", 1, "clarity: a", "clarity: b", "inference: c")]
    found = questions(kept, refused)
    assert found["kinds"] == [("multi_span", 1, 0), ("table", 2, 1)] and found["repeated"] == [("How much?", 2)]
    assert found["reasons"] == [("clarity", 1), ("inference", 1)] and (found["total"], found["refused"]) == (3, 1)
    assert found["distinct"] == pytest.approx(2 / 3) and found["several"] == pytest.approx(1 / 3)
    plain = release([("form", "en")], 1)
    assert "Questions" not in render(plain)
    html = render(replace(plain, questions=pa.Table.from_pylist(kept), refused=pa.Table.from_pylist(refused)))
    assert "3 questions, 66.67 % of them distinct by text, 33 % with several answers" in html


def test_an_empty_release_has_a_report() -> None:
    data = release(KINDS, per_cell=1)
    nothing = data.__class__(
        data.manifest, data.documents[:0], data.pages[:0], data.rejections[:0], lambda config, ids: data.pages[:0]
    )
    assert "No page of this release was read" in render(nothing)


def test_a_report_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="name another file"):
        write_report(release(KINDS, per_cell=1), tmp_path / "file" / "report.html")


@pytest.mark.parametrize(("rates", "limit"), [([], None), ([0.0], None), ([0.0, 0.5, 1.4], 0.2), ([0.01] * 7, 0.2)])
def test_every_page_is_in_one_bar(rates: list[float], limit: float | None) -> None:
    svg = str(histogram(rates, limit))
    assert sum(int(n) for n in re.findall(r": (\d+) pages</title>", svg)) == len(rates)
    assert svg.count('class="bar"') == 20
    assert svg.count('class="limit"') == (2 if limit is not None else 0)
    assert "NaN" not in svg
