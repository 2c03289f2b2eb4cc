"""Every layout in a real browser: nothing sticks out, slips are one page."""

from __future__ import annotations

from collections.abc import Iterator

import pymupdf
import pytest
from playwright.sync_api import Browser

from synth.content.writer import write
from synth.render import driver
from synth.render.chromium import find_chromium
from tests.synth.content.samples import LANGUAGES, only, shipped, spec

# Words beyond the right edge of the page, and values whose boxes cover each other.
FAULTS = """() => {
  const width = document.documentElement.clientWidth, bad = [];
  const boxes = [...document.querySelectorAll('[data-field],[data-key]')].flatMap(
    e => [...e.getClientRects()].map(r => [r.left, r.top, r.right, r.bottom, e.textContent]));
  for (const b of boxes) if (b[0] < -0.5 || b[2] > width + 0.5) bad.push('outside: ' + b[4]);
  for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length; j++) {
    const a = boxes[i], b = boxes[j];
    const w = Math.min(a[2], b[2]) - Math.max(a[0], b[0]), h = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
    if (w > 2 && h > 0.45 * Math.min(a[3] - a[1], b[3] - b[1])) bad.push('overlap: ' + a[4] + ' | ' + b[4]);
  }
  return bad;
}"""
FAMILIES = sorted(shipped().families)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = driver.acquire().chromium.launch(  # a thread has one driver, and other tests may hold it
        executable_path=str(find_chromium()), args=["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"]
    )
    yield chromium
    chromium.close()
    driver.release()


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_sticks_out_or_overlaps(browser, family):
    for language in LANGUAGES:
        for index in (0, 7):
            doc = write(spec(family.split("/")[0], language, index), shipped(), only(family))
            page = browser.new_page()
            page.emulate_media(media="print")
            margin = 0 if doc.page.height_mm is None or "margin: 0;" in doc.html else 26
            page.set_viewport_size({"width": round((doc.page.width_mm - margin) / 25.4 * 96), "height": 900})
            page.set_content(doc.html)
            faults = page.evaluate(FAULTS)
            if doc.type in ("form", "contract"):  # Signatures are written across their lines there.
                faults = [fault for fault in faults if fault.startswith("outside")]
            assert faults == [], f"{family} {language} {index}"
            if doc.page.name.startswith("slip"):
                size = {"width": f"{doc.page.width_mm}mm", "height": f"{doc.page.height_mm}mm"}
                with pymupdf.open(stream=page.pdf(print_background=True, **size)) as pdf:
                    assert len(pdf) == 1, f"{family} {language} {index}"
            page.close()


@pytest.mark.parametrize("size", ["A5", "Letter"])
def test_sheets_also_fit_other_paper(browser, size):
    for family in shipped().of_type("invoice"):
        if shipped().families[family].file.paper != "sheet":
            continue
        doc = write(spec("invoice", "en", 3), shipped(), only(family, page_sizes=[size]))
        page = browser.new_page()
        page.emulate_media(media="print")
        page.set_viewport_size({"width": round((doc.page.width_mm - 40) / 25.4 * 96), "height": 900})
        page.set_content(doc.html)
        assert [fault for fault in page.evaluate(FAULTS) if fault.startswith("outside")] == [], family
        page.close()
