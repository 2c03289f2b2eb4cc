"""The writer over HTTP and a real browser: a scripted endpoint writes well, then badly in every way there is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from actors.browser import Browser
from actors.llm_client import Limits, LlmClient
from actors.llm_http import HttpTransport
from schemas.errors import SampleError
from schemas.llm import CallPolicy, Endpoint, LlmReply
from schemas.recipe import Content
from schemas.sample import HtmlDocument, SampleSpec
from schemas.steps import Ask
from synth.llm.steps import drive
from synth.render.fonts import font_set
from synth.write.writer import write_with_model
from tests.fixtures.llm_endpoint import Script, ScriptedEndpoint, llm_endpoint
from tests.fixtures.llm_writer import WAYS, writes_badly, writes_well
from tests.synth.write.writing import content, spec

LANGUAGES = ("en", "zh", "bn")
TYPES = ("receipt", "invoice", "payslip", "lab_report")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    made = Browser(font_set(LANGUAGES))
    yield made
    made.close()


class Office:
    """Asks an endpoint over HTTP, prints in a browser. Calls go in a thread: the browser's has a loop of its own."""

    def __init__(self, server: ScriptedEndpoint, browser: Browser) -> None:
        self.server, self.browser = server, browser
        self.thread = ThreadPoolExecutor(1)

    def ask(self, ask: Ask) -> LlmReply:
        async def call() -> LlmReply:
            endpoint = Endpoint(name="scripted", base_url=self.server.base_url)
            client = LlmClient([(HttpTransport(endpoint, 10**6), Limits())], CallPolicy(backoff_s=0.01))
            try:
                return await client.call(ask.request)
            finally:
                await client.close()

        return self.thread.submit(lambda: asyncio.run(call())).result(60)

    def write(self, spec: SampleSpec, content: Content) -> HtmlDocument:
        return drive(write_with_model(spec, content), self.ask, self.browser.proof)


def rejection(script: Script, browser: Browser, repairs: int = 0) -> str:
    with llm_endpoint(script) as server:
        try:
            Office(server, browser).write(spec(), content(repairs=repairs))
        except SampleError as error:
            assert error.stage == "writer"
            return error.reason
    return "accepted"


def test_an_endpoint_that_writes_well_gives_documents(browser: Browser) -> None:
    """At least ten of them, in every language and several types, each labelled and different."""
    accepted: list[HtmlDocument] = []
    with llm_endpoint(writes_well) as server:
        office = Office(server, browser)
        for index, (language, kind) in enumerate((lang, kind) for kind in TYPES for lang in LANGUAGES):
            document = office.write(spec(language, kind, index), content())
            printed = browser.print_and_label(document)
            assert {f.value for f in printed.document.fields} >= set(document.values["bill"].values())
            accepted.append(document)
        assert len(server.calls) == len(accepted) == 12, "no repair was needed"
    assert len({d.html for d in accepted}) == 12 and len({d.persona for d in accepted}) == 12


@pytest.mark.parametrize("way", WAYS)
def test_an_endpoint_that_writes_badly_gives_the_right_rejection(browser: Browser, way: str) -> None:
    assert rejection(writes_badly(way), browser) == WAYS[way]


def test_a_fault_that_is_mended_is_forgotten(browser: Browser) -> None:
    assert rejection(writes_badly("tofu", mends_at=1), browser, repairs=0) == "missing_glyphs"
    assert rejection(writes_badly("tofu", mends_at=1), browser, repairs=1) == "accepted"
