"""One document through the chain with a real browser: what a font cannot write is refused with all that is counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from actors.browser import Browser
from actors.camera import Camera
from actors.reader import Reader
from engine.chain import Chain, Exhausted, pooled
from engine.ledger import Ledger, Quarantine
from engine.rows import Accepted, rejection_row
from engine.store import open_store
from schemas.recipe import PAPERS, Content, Degradation
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


@pytest.mark.slow
def test_a_target_is_met_by_reading_and_found_again_without_an_engine(tmp_path: Path) -> None:
    """The first pictures miss it; a replay has the readings, and no engine."""
    content = CONTENT.model_copy(
        update={
            "languages": {"en": 1.0},
            "degradation": Degradation(scenes={"none": 1.0}, faults={"fax": 1.0}, target_cer=0.05),
        }
    )
    text = " ".join(f"The {n}th parcel of section {n * 37} was weighed and sealed." for n in range(40))
    page = HtmlDocument(f"<p>{text}</p>", PAPERS["A5"], "form", "en", "form/made", (), "", {}, {})
    browser, camera, reader = (
        Browser(font_set(["en"])),
        Camera(content, {}, lambda _: b""),
        Reader(str(tmp_path / "ocr")),
    )
    asked: list[str] = []

    async def call(kind: str, subject: str, method: str, *args: Any) -> Any:
        asked.append(kind)
        if kind == "writer":
            return page
        return getattr({"browser": browser, "camera": camera, "reader": reader}[kind], method)(*args)

    store, spec = open_store(str(tmp_path / "out")), replace(SPEC, language="en")
    ledger, quarantine = Ledger(store, "test-00000"), Quarantine(store, "test-00000")
    found: list[Accepted] = []
    try:
        for offline in (False, True):
            chain = Chain(content, {}, call, ledger, quarantine, offline)
            with pytest.raises(StopIteration) as done:
                chain.sample(spec).send(None)
            found.append(done.value.value[0])
    finally:
        browser.close()
    first, second = found
    assert 0.04 <= pooled(first.readings) <= 0.06
    (fault,) = first.shot.pictures[0].faults
    assert 0 < fault.amount < 1
    assert asked.count("reader") * 2 == asked.count("camera") > 2
    assert second.readings == first.readings
    assert second.shot.pictures == first.shot.pictures


def test_a_refusal_by_its_font_names_font_script_template_and_length(tmp_path: Path) -> None:
    found = refused(tmp_path, "<style>p{font-family:Mukti}</style><p>অক্ষুণ্ন নাম</p>")
    assert (found.stage, found.reason, found.font, found.script) == ("print", "broken_cluster", "Mukti", "Beng")
    assert (found.family, found.characters) == ("form/made", len("অক্ষুণ্ননাম"))
    row = rejection_row(found)
    assert {row["font"], row["script"], row["family"]} == {"Mukti", "Beng", "form/made"}


def test_another_refusal_has_no_font(tmp_path: Path) -> None:
    found = refused(tmp_path, "<p style='font-family:Mukti'>নাম</p><p style='break-before:page'></p>" + "<hr>" * 300)
    assert found.font == found.script == "" and found.family == "form/made" and found.characters == 3
