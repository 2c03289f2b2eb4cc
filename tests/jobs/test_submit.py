"""A recipe as a Ray job on a local head."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import yaml

from engine.store import open_store
from engine.verify import verify
from jobs.load import load_recipe
from jobs.submit import pack, submission_id, submit_recipe
from schemas.errors import UserError
from tests.fixtures.recipes import small_recipe, write_recipe

BIN = Path(sys.executable).parent


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


@pytest.fixture
def head(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Dashboard address of a Ray head of its own, ended by pid."""
    # Ray puts sockets here, whose paths may be no longer than 107 characters.
    folder = tmp_path_factory.mktemp("h")
    port = free_port()
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    command = [
        str(BIN / "ray"),
        "start",
        "--head",
        "--num-cpus",
        "4",
        "--disable-usage-stats",
        "--temp-dir",
        str(folder),
    ]
    # Another Ray on this machine has the default agent port; without an agent no job is taken.
    ports = {"--port": free_port(), "--dashboard-port": port, "--dashboard-agent-listen-port": free_port()}
    for name, value in ports.items():
        command += [name, str(value)]
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    subprocess.run(command, check=True, capture_output=True, timeout=120, env=environment)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        for process in psutil.process_iter(["cmdline"]):
            if any(str(folder) in word for word in process.info["cmdline"] or ()):
                process.kill()


@pytest.mark.slow
def test_a_submitted_recipe_finishes_and_its_log_shows_progress(
    head: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = small_recipe(tmp_path / "cache")
    path, out = write_recipe(recipe, tmp_path / "recipe.yaml"), tmp_path / "out"
    assert submit_recipe(path, load_recipe(path), str(out), head, None, wait=True) == 0
    assert verify(open_store(out)) == []
    job = submission_id(recipe, str(out), None)
    environment = {**os.environ, "RAY_API_SERVER_ADDRESS": head}
    log = subprocess.run([BIN / "ray", "job", "logs", job], capture_output=True, text=True, env=environment, timeout=60)
    assert '"event": "progress"' in log.stdout and '"event": "sealed"' in log.stdout


def test_the_id_is_stable_and_depends_on_recipe_output_and_part(tmp_path: Path) -> None:
    recipe = small_recipe(tmp_path)
    assert submission_id(recipe, "a", None) == submission_id(recipe, "a", None)
    assert len({submission_id(recipe, *rest) for rest in (("a", None), ("b", None), ("a", "0-1"))}) == 3


def test_folders_of_the_recipe_travel_with_the_job(tmp_path: Path) -> None:
    (tmp_path / "mine" / "card").mkdir(parents=True)
    (tmp_path / "mine" / "card" / "template.html").write_text("<p></p>")
    recipe = small_recipe(tmp_path)
    writer = recipe.content.writer.model_copy(update={"folders": (tmp_path / "mine",)})
    recipe = recipe.model_copy(update={"content": recipe.content.model_copy(update={"writer": writer})})
    job = tmp_path / "job"
    job.mkdir()
    pack(recipe, job)
    assert yaml.safe_load((job / "recipe.yaml").read_text())["content"]["writer"]["folders"] == ["writer-0"]
    assert load_recipe(job / "recipe.yaml").content.writer.folders[0].joinpath("card", "template.html").is_file()


def test_no_head_is_one_line(tmp_path: Path) -> None:
    started = time.monotonic()
    recipe = small_recipe(tmp_path)
    with pytest.raises(UserError, match="no Ray dashboard answers"):
        submit_recipe(tmp_path / "r.yaml", recipe, str(tmp_path), f"http://127.0.0.1:{free_port()}", None, True)
    assert time.monotonic() - started < 60
