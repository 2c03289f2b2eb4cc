"""A `pageloom predict` that is killed in the middle, and run again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from engine.llm_ledger import SEGMENT
from tests.fixtures.llm_endpoint import ScriptedEndpoint, good, llm_endpoint
from tests.fixtures.small_release import write_release

DOCUMENTS, IN_FLIGHT = 96, 6


def start(release: Path, out: Path, endpoint: ScriptedEndpoint) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "jobs.cli", "predict", str(release), "--out", str(out), "--model", "m"]
    words += ["--base-url", endpoint.base_url, "--in-flight", str(IN_FLIGHT), "--see", "text", "--max-tokens", "50"]
    return subprocess.Popen([*words, "--budget-tokens", "1000000"], text=True, stdout=subprocess.PIPE)


@pytest.mark.slow
def test_after_a_kill_at_most_what_was_under_way_and_one_segment_is_paid_again(tmp_path: Path) -> None:
    release, out = write_release(tmp_path / "r", DOCUMENTS), tmp_path / "p.jsonl"
    with llm_endpoint(good, 0.3) as endpoint:
        first = start(release, out, endpoint)
        deadline = time.monotonic() + 120
        while endpoint.served < DOCUMENTS // 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        family = psutil.Process(first.pid).children(recursive=True)
        callers = {one.pid for one in family if "LlmHost" in " ".join(one.cmdline())}
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        _, left = psutil.wait_procs([one for one in family if one.pid in callers], timeout=30)
        assert callers and not left, "actors that call die with the driver"
        assert DOCUMENTS // 2 <= endpoint.served < DOCUMENTS and not out.exists()
        second = start(release, out, endpoint)
        said, _ = second.communicate(timeout=180)
        assert second.returncode == 0, said
        again = endpoint.served - DOCUMENTS
        print(f"{again} of {DOCUMENTS} answers paid again")
        assert 0 <= again <= IN_FLIGHT + SEGMENT
        assert max(endpoint.seen.values()) <= 2 and len(endpoint.seen) == DOCUMENTS
        spent = int(said.split(" tokens spent")[0].rsplit(" ", 1)[1])
        assert endpoint.tokens <= spent, "the budget has seen all that the endpoint has, the killed run's too"
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines] == [f"train-{index:08d}" for index in range(DOCUMENTS)]
