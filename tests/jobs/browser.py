"""A real browser on an HTML file, which fails on any console message, error or request that leaves the file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from synth.render import driver


@contextmanager
def opened(file: Path, width: int = 1280, height: int = 900) -> Iterator[Page]:
    trouble: list[str] = []
    program = shutil.which("chromium-headless-shell")
    assert program, "no chromium-headless-shell"
    play = driver.acquire()  # a thread has one driver, and other tests may hold it
    try:
        browser = play.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        try:
            page = browser.new_page(viewport={"width": width, "height": height})
            page.on("console", lambda message: trouble.append(f"console: {message.text}"))
            page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
            page.on("dialog", lambda dialog: trouble.append(f"dialog: {dialog.message}"))
            page.on(
                "request",
                lambda request: (
                    None
                    if request.url == file.as_uri() or request.url.startswith("data:")
                    else trouble.append(f"request: {request.url}")
                ),
            )
            page.goto(file.as_uri())
            yield page
            assert trouble == []
        finally:
            browser.close()
    finally:
        driver.release()
