"""The page that documents are printed on, one after another: a new page costs the browser a quarter of a print."""

from __future__ import annotations

import contextlib

from playwright.sync_api import Browser, BrowserContext, Page
from playwright.sync_api import Error as PlaywrightError

RENEW_AFTER = 100  # documents that share a renderer process
# What the program itself leaves in a page.
_CLEAR = "document.adoptedStyleSheets = []; CSS.highlights.clear()"


class Pages:
    """Empty pages of a browser: the last one again where its document left nothing behind, else a fresh one."""

    def __init__(self) -> None:
        self._context: BrowserContext | None = None
        self._kept: Page | None = None
        self._given = 0

    def take(self, browser: Browser) -> Page:
        """A page for one document, in the medium of print. PlaywrightError if the browser has died."""
        self._given += 1
        if self._context is None or self._given % RENEW_AFTER == 0:
            self._context = self._renew(browser)
        page, self._kept = self._kept, None
        if page is None:
            page = self._context.new_page()
            page.emulate_media(media="print")
        else:
            page.evaluate(_CLEAR)
        return page

    def give_back(self, page: Page, clean: bool) -> None:
        """A page whose document is done. `clean`: it left nothing behind (lay_out.js)."""
        if clean and self._context is not None:
            self._kept = page
            return
        with contextlib.suppress(PlaywrightError):
            page.close()

    def forget(self) -> None:
        """Close all of them, whatever state the browser is in."""
        self._kept = None
        if self._context is not None:
            with contextlib.suppress(PlaywrightError):
                self._context.close()
            self._context = None

    def _renew(self, browser: Browser) -> BrowserContext:
        """A fresh context. Its empty first page keeps the renderer process, so that not every document starts one."""
        self.forget()
        context = browser.new_context(
            java_script_enabled=False, offline=True, locale="en-US", timezone_id="UTC", accept_downloads=False
        )
        context.route("**/*", lambda route: route.abort())
        context.new_page()
        return context
