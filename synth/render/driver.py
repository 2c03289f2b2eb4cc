"""Playwright's driver, shared by the browsers of a thread: its sync interface allows one per thread."""

from __future__ import annotations

import os
import shutil
import threading

from playwright.sync_api import Playwright, sync_playwright

from synth.render.staging import own_folder

_own = threading.local()
_starting = threading.Lock()  # the environment is the whole process's


def acquire() -> Playwright:
    """The driver of this thread, started by the first who asks. Each `acquire` needs one `release`."""
    if not getattr(_own, "users", 0):
        _own.folder, _own.lock = own_folder()
        with _starting:
            before = os.environ.get("TMPDIR")
            os.environ["TMPDIR"] = str(_own.folder)  # its own scratch folders would outlive a killed process
            try:
                _own.driver = sync_playwright().start()
            finally:
                os.environ.pop("TMPDIR") if before is None else os.environ.update(TMPDIR=before)
        _own.users = 0
    _own.users += 1
    return _own.driver


def release() -> None:
    """Give the driver back, in the thread that acquired it; the last one stops it."""
    _own.users -= 1
    if not _own.users:
        _own.driver.stop()
        shutil.rmtree(_own.folder, ignore_errors=True)
        _own.lock.close()
