"""A page takes the next document only where the last one left nothing behind in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from schemas.errors import SampleError
from synth.render.chromium import Chromium
from synth.render.fonts import FontSet
from synth.render.pages import Pages
from tests.synth.render.printing import document, page_of

# What sees what may be left: the style (policy), the language (the glyphs of Han), the focus, the colour scheme.
WITNESS = """<style>
p { color: #135; font-size: 30px } div:focus { background: #ff0 } b { color: CanvasText }
</style><p>直 径 <b>one</b><div tabindex=0 autofocus>two"""
LEAVES = (
    """<meta http-equiv=Content-Security-Policy content="style-src 'none'">""",
    """<meta charset=utf-8 http-equiv=Content-Security-Policy content="style-src 'none'">""",
    "<meta http-equiv=content-language content=ja>",
    "<meta name=color-scheme content=dark>",
    "<base href=https://example.org/>",
    "<div tabindex=0 autofocus>x</div>",
    "<svg><animate attributeName=x dur=1s repeatCount=indefinite></svg>",
    "<audio></audio>",
    "<custom-element></custom-element>",
)


@pytest.fixture(scope="module")
def browser(fonts: FontSet) -> Iterator[Chromium]:
    with Chromium(fonts) as made:
        yield made


@pytest.fixture(scope="module")
def witness(browser: Chromium) -> bytes:
    return browser.print(document(WITNESS)).pdf


def test_documents_of_plain_elements_share_a_page(browser: Chromium) -> None:
    browser.print(page_of("zh"))
    kept = browser._pages._kept
    assert kept is not None
    browser.print(page_of("bn"))
    assert browser._pages._kept is kept
    with pytest.raises(SampleError):
        browser.print(document(""))
    assert browser._pages._kept is None
    assert kept.is_closed()


@pytest.mark.parametrize("left", LEAVES)
def test_no_document_meets_what_another_left(browser: Chromium, witness: bytes, left: str) -> None:
    browser.print(document(f"{left}<p>one"))
    assert browser._pages._kept is None
    assert browser.print(document(WITNESS)).pdf == witness


def test_what_is_left_would_be_seen(fonts: FontSet, witness: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above can fail: a page that is kept after a policy prints the next document by it."""
    give_back = Pages.give_back

    def always(pages: Pages, page: Page, clean: bool) -> None:
        give_back(pages, page, True)

    with Chromium(fonts) as other:
        monkeypatch.setattr(Pages, "give_back", always)
        other.print(document(f"{LEAVES[0]}<p>one"))
        assert other.print(document(WITNESS)).pdf != witness
