"""A real small model as the writer: whatever it says is a document or a counted rejection. Run by `make test-llm`."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from actors.browser import Browser
from actors.llm_local import build_engine
from actors.llm_payload import payload
from schemas.errors import SampleError
from schemas.llm import LlmReply, LocalEngine
from schemas.sample import HtmlDocument
from schemas.steps import Ask
from synth.llm.completion import completion_reply
from synth.llm.steps import drive
from synth.render.fonts import font_set
from synth.write.writer import write_with_model
from tests.fixtures.llm_writer import WAYS
from tests.synth.write.writing import content, spec

pytestmark = pytest.mark.llm
MORE = {"empty_answer", "unfinished", "too_many_pages", "page_size", "broken_word", "wrong_value", "unpainted_word"}


def test_every_answer_is_a_document_or_a_counted_rejection() -> None:
    gguf = os.environ.get("PAGELOOM_TEST_GGUF", "")
    if not gguf:
        pytest.skip("no small model here: run `make test-llm`")
    engine = build_engine(LocalEngine(kind="llama", path=gguf, context=8192))
    browser = Browser(font_set(["en", "zh", "bn"]))
    asked: list[Ask] = []

    def ask(step: Ask) -> LlmReply:
        asked.append(step)
        body = ThreadPoolExecutor(1).submit(lambda: asyncio.run(payload(step.request, None))).result()
        return completion_reply(engine.complete(body, 240), step.request, "llama")

    outcomes: list[str] = []
    try:
        for index in range(2):
            steps = write_with_model(spec(kind="receipt", index=index), content(repairs=1, max_tokens=256))
            try:
                made: HtmlDocument = drive(steps, ask, browser.proof)
                outcomes.append("accepted" if made.values else "no values")
            except SampleError as error:
                outcomes.append(error.reason)
                assert error.stage == "writer" and error.detail
    finally:
        engine.close()
        browser.close()
    print(outcomes, len(asked), "calls")
    assert set(outcomes) <= {"accepted", *WAYS.values(), *MORE} and len(asked) >= 2
