from __future__ import annotations

import dataclasses
import logging
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray

from actors.browser import Browser, BrowserActor
from schemas.errors import EnvironmentMismatch, SampleError
from synth.render.fonts import FontSet, font_set
from synth.render.staging import can_isolate
from tests.synth.render.printing import document, page_of


@pytest.fixture(scope="module")
def fonts() -> FontSet:
    return font_set(["en", "zh", "bn"])


@pytest.fixture(scope="module")
def browser(fonts: FontSet) -> Iterator[Browser]:
    made = Browser(fonts)
    yield made
    made.close()


def test_a_document_becomes_a_labelled_print(browser: Browser) -> None:
    printed = browser.print_and_label(page_of("bn"))
    assert printed.pdf.startswith(b"%PDF") and b"/Info" not in printed.pdf
    assert [field.value for field in printed.document.fields] == ["৳১২,৫০০.০০"]
    assert pickle.loads(pickle.dumps(printed)) == printed
    assert browser.print_and_label(page_of("bn")) == printed


def test_ready_tells_what_runs(browser: Browser) -> None:
    ready = browser.ready()
    assert str(ready["chromium"]).count(".") == 3 and ready["sandboxed"] == can_isolate()


def test_memory_counts_the_browser_too(browser: Browser) -> None:
    assert browser.rss_mb() > 200


def test_another_browser_or_font_than_the_locked_one_is_refused(fonts: FontSet, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentMismatch, match=r"lock pins 1\.2\.3\.4"):
        Browser(fonts, "auto", "1.2.3.4")
    changed = dataclasses.replace(fonts.files[0], sha256="0" * 64)
    with pytest.raises(EnvironmentMismatch, match="not the locked one"):
        Browser(dataclasses.replace(fonts, files=(changed, *fonts.files[1:])))
    gone = dataclasses.replace(fonts.files[0], path=tmp_path / "gone.ttf")
    with pytest.raises(EnvironmentMismatch, match="apt-get install"):
        Browser(dataclasses.replace(fonts, files=(gone,)))


def test_faults_of_a_sample_travel_between_processes(browser: Browser) -> None:
    with pytest.raises(SampleError) as caught:
        browser.print_and_label(document("<p data-field=a>x", {"a": "y"}))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.reason, again.stage, again.detail) == ("wrong_value", "truth", caught.value.detail)


def test_a_ray_actor_prints_the_same_bytes_and_raises_the_same_faults(browser: Browser, fonts: FontSet) -> None:
    mine = not ray.is_initialized()
    if mine:
        ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    try:
        actor = BrowserActor.remote(fonts)
        assert ray.get(actor.ready.remote(), timeout=60) == browser.ready()
        assert ray.get(actor.print_and_label.remote(page_of("zh")), timeout=60) == browser.print_and_label(
            page_of("zh")
        )
        with pytest.raises(SampleError) as caught:
            ray.get(actor.print_and_label.remote(document("<p>\u1820")), timeout=60)
        assert caught.value.reason == "missing_glyphs"
    finally:
        if mine:
            ray.shutdown()
