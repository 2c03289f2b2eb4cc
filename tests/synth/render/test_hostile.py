"""HTML that a model made to do harm: nobody hears of it, no file is opened, and no deadline is passed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from synth.render import chromium as module
from synth.render.chromium import Chromium
from synth.render.staging import can_isolate
from tests.synth.render.hostile import DEADLINE_S, MARGIN_S, REACHING, STUBBORN, attack, nameserver_of

ROOT = Path(__file__).parents[3]
LONG = ("50,000 levels", "one word of 300,000 letters", "blurred layers")  # each uses its deadline up

# At once, and not by the deadline.
REFUSED = {"50,000 nodes": "too_large", "gradients": "too_large", "a page of 10 m": "page_size"}


def _own_machine() -> bool:
    return os.geteuid() == 0 and subprocess.run(["unshare", "--net", "true"], check=False).returncode == 0


@pytest.mark.skipif(not _own_machine(), reason="a network of its own, with a name server, needs root")
@pytest.mark.parametrize("network", ["none", pytest.param("own", marks=pytest.mark.slow)])
def test_nobody_hears_of_hostile_html_and_no_file_is_opened(network: str) -> None:
    """`own`: the browser has an empty network, as it has where the kernel allows. `none`: it could reach everything."""
    if network == "own" and not can_isolate():
        pytest.skip("this kernel gives no namespaces to unprivileged users")
    command = ["unshare", "--net", sys.executable, "-m", "tests.synth.render.hostile", network]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["heard"] == [] and result["opened"] == 0
    assert set(result["said"]) == set(REACHING)
    for name, text in result["said"].items():
        assert text.startswith(("harmless", "refused: ")) and "PLANTED" not in text, (name, text)
    if network == "none":
        heard = " ".join(result["control"]["heard"])
        assert "tcp 127.0.0.1" in heard and "tcp 192.0.2.77" in heard and result["control"]["opened"] > 0
        assert nameserver_of() is None or "dns control.example" in heard


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n in LONG else []) for n in STUBBORN])
def test_nothing_holds_the_browser_beyond_its_deadline(
    chromium: Chromium, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(module, "DOCUMENT_S", DEADLINE_S)
    text, seconds = attack(chromium, STUBBORN[name], "roll" in name)
    assert seconds < DEADLINE_S + MARGIN_S
    assert text.startswith(f"refused: {REFUSED[name]}" if name in REFUSED else ("harmless", "refused: "))
    monkeypatch.undo()
    assert attack(chromium, "<p>next</p>")[0].split() == ["harmless", "next"]
