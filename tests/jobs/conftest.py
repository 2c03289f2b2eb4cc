"""The console script, for the tests of commands."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import pytest

from jobs import cli
from tests.jobs.said import Pageloom, Said


@pytest.fixture
def pageloom(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Pageloom]:
    """The console script, in this process."""
    before = signal.getsignal(signal.SIGTERM)

    def call(*words: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["pageloom", *map(str, words)])
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = int(end.code or 0)
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    yield call
    signal.signal(signal.SIGTERM, before)
