"""What labels cost: a page of 500 words printed and labelled, beside the plain print of the same page.

Run: python -m benchmarks.labels. CPU time of this process, of Playwright's driver and of the browser together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median

from faker import Faker
from playwright.sync_api import Page

from actors.host import settle
from benchmarks.common import tree_cpu
from benchmarks.show import labels
from schemas.recipe import PAPERS
from schemas.sample import HtmlDocument
from synth.render import driver
from synth.render.chromium import FLAGS, Chromium, find_chromium
from synth.render.fonts import font_set
from synth.truth.labels import labelled

PARAGRAPHS, WORDS = 10, 50  # of each paragraph
WARM, ROUNDS, PAGES = 5, 5, 20  # a process's clock counts hundredths of a second


def measure() -> dict[str, float]:
    """CPU milliseconds of a page: "plain", "print" (both prints, the DOM read, its fonts tried) and "label"."""
    doc = page_of_words()
    with Chromium(font_set(["en"])) as chromium, _page() as page:
        raw = chromium.print(doc)
        words = labelled(raw, doc)[0].words
        assert len(words) == PARAGRAPHS * WORDS and {word.page for word in words} == {0}
        works: dict[str, Callable[[], object]] = {
            "plain": partial(_plain, page, doc.html),
            "print": partial(chromium.print, doc),
            "label": partial(labelled, raw, doc),
        }
        settle()  # as every actor does
        rounds: dict[str, list[float]] = {name: [] for name in works}
        for work in works.values():
            _milliseconds(work, WARM)
        for _ in range(ROUNDS):
            for name, work in works.items():
                rounds[name].append(_milliseconds(work, PAGES))
    return {name: round(median(found), 1) for name, found in rounds.items()}


def page_of_words() -> HtmlDocument:
    """Ten paragraphs of fifty words on one sheet of A4."""
    faker = Faker()
    faker.seed_instance(1)
    body = "".join(f"<p>{' '.join(faker.words(WORDS))}.</p>" for _ in range(PARAGRAPHS))
    html = f"<meta charset=utf-8><style>body{{font:10.5pt 'Noto Serif',serif}}</style>{body}"
    return HtmlDocument(html, PAPERS["A4"], "form", "en", "form/bench", (), "nobody", {}, {})


@contextmanager
def _page() -> Iterator[Page]:
    """A page of a browser that does nothing but print."""
    browser = driver.acquire().chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
    try:
        yield browser.new_page(java_script_enabled=False)
    finally:
        browser.close()
        driver.release()


def _plain(page: Page, html: str) -> bytes:
    page.set_content(html)
    return page.pdf(format="A4", tagged=True, print_background=True, prefer_css_page_size=True)


def _milliseconds(work: Callable[[], object], times: int) -> float:
    start = tree_cpu()
    for _ in range(times):
        work()
    return 1000 * (tree_cpu() - start) / times


if __name__ == "__main__":
    print(labels(measure()))
