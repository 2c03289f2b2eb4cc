"""Playwright's driver, shared by the browsers of a thread: its sync interface allows one per thread."""

from __future__ import annotations

import threading

from playwright.sync_api import Playwright, sync_playwright

_own = threading.local()


def acquire() -> Playwright:
    """The driver of this thread, started by the first who asks. Each `acquire` needs one `release`."""
    if not getattr(_own, "users", 0):
        _own.driver = sync_playwright().start()
        _own.users = 0
    _own.users += 1
    return _own.driver


def release() -> None:
    """Give the driver back, in the thread that acquired it; the last one stops it."""
    _own.users -= 1
    if not _own.users:
        _own.driver.stop()
