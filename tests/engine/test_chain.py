"""One document through the chain with a real browser: what a font cannot write is refused with all that is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from actors.browser import Browser
from engine.chain import Chain, Exhausted
from engine.ledger import Ledger, Quarantine
from engine.rows import rejection_row
from engine.store import open_store
from schemas.recipe import PAPERS, Content
from schemas.sample import HtmlDocument, Rejection, SampleSpec
from synth.render.fonts import font_set

CONTENT = Content.model_validate(
    {"name": "t", "version": "1.0.0", "splits": {"test": 1}, "shard_size": 1, "types": ["form"], "languages": ["bn"]}
    | {"max_tries": 1}
)
SPEC = SampleSpec(0, "t", "test", 0, 0, "form", "bn", 0)


def refused(folder: Path, html: str) -> Rejection:
    """The rejection of a document of one try."""
    browser = Browser(font_set(["bn"]))
    store = open_store(str(folder))

    async def call(kind: str, subject: str, method: str, *args: Any) -> Any:
        if kind == "writer":
            return HtmlDocument(html, PAPERS["A4"], "form", "bn", "form/made", (), "", {}, {})
        return getattr(browser, method)(*args)

    chain = Chain(CONTENT, {}, call, Ledger(store, "test-00000"), Quarantine(store, "test-00000"))
    try:
        with pytest.raises(Exhausted) as caught:
            chain.sample(SPEC).send(None)  # no event loop: the browser's driver has one in this thread
    finally:
        browser.close()
    return caught.value.rejections[0]


def test_a_refusal_by_its_font_names_font_script_template_and_length(tmp_path: Path) -> None:
    found = refused(tmp_path, "<style>p{font-family:Mukti}</style><p>অক্ষুণ্ন নাম</p>")
    assert (found.stage, found.reason, found.font, found.script) == ("print", "broken_cluster", "Mukti", "Beng")
    assert (found.family, found.characters) == ("form/made", len("অক্ষুণ্ননাম"))
    row = rejection_row(found)
    assert {row["font"], row["script"], row["family"]} == {"Mukti", "Beng", "form/made"}


def test_another_refusal_has_no_font(tmp_path: Path) -> None:
    found = refused(tmp_path, "<p style='font-family:Mukti'>নাম</p><p style='break-before:page'></p>" + "<hr>" * 300)
    assert found.font == found.script == "" and found.family == "form/made" and found.characters == 3
