"""Outputs, machines and clusters that lack something; runs that are told to end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import pytest
import ray

import actors.inventory
from engine.commit import Staging
from schemas.errors import UserError, user_error_of
from schemas.plan import Shard
from schemas.release import LOCK_KEY
from synth.render.fonts import font_set
from synth.render.staging import stage
from tests.fixtures.s3 import S3Server
from tests.jobs.said import Pageloom, is_one_line, write


def test_an_output_that_cannot_be_written(pageloom: Pageloom, tmp_path: Path) -> None:
    recipe, file = write(tmp_path / "r.yaml"), tmp_path / "file"
    file.write_text("mine")
    is_one_line(pageloom("run", recipe, "--out", file), "is a file")
    is_one_line(pageloom("run", recipe, "--out", file / "below"), "is a file")
    is_one_line(pageloom("run", recipe, "--out", "/proc/pageloom"), "/proc/pageloom")
    is_one_line(pageloom("run", recipe, "--out", ""), "--out")
    is_one_line(pageloom("run", recipe, "--out", "a\0b"), "--out")
    is_one_line(pageloom("run", recipe, "--out", "ftp://x/y"), "ftp://", "s3://bucket/prefix")
    is_one_line(pageloom("run", recipe, "--out", "s3://"), "no bucket")
    is_one_line(pageloom("run", recipe, "--out", "s3://bucket/../x"), "--out", "'..'")
    is_one_line(pageloom("run", recipe, "--out", "s3://key:secret@bucket/x"), "credentials")
    assert file.read_text() == "mine"


def test_a_store_that_cannot_be_used(
    pageloom: Pageloom, tmp_path: Path, moto: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = write(tmp_path / "r.yaml")
    moto.use(monkeypatch)
    is_one_line(pageloom("run", recipe, "--out", "s3://no-such-bucket/x"), "no bucket no-such-bucket")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "nonsense")
    is_one_line(pageloom("run", recipe, "--out", "s3://bucket/x"), "AWS_ENDPOINT_URL", "nonsense")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    is_one_line(pageloom("run", recipe, "--out", "s3://bucket/x"), "cannot reach the store")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    is_one_line(pageloom("run", recipe, "--out", "s3://bucket/x"), "no S3 credentials")


def test_a_machine_that_lacks_something(pageloom: Pageloom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe, bangla = write(tmp_path / "r.yaml"), write(tmp_path / "b.yaml", {"languages": ["bn"]})
    out = tmp_path / "out"
    for program, words in (("/nonexistent", "is not a program"), ("/bin/false", "does not tell its version")):
        actors.inventory.versions.cache_clear()
        monkeypatch.setenv("PAGELOOM_CHROMIUM", program)
        is_one_line(pageloom("run", recipe, "--out", out), program, words)
    monkeypatch.delenv("PAGELOOM_CHROMIUM")
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(tmp_path))
    is_one_line(pageloom("run", recipe, "--out", out), "Chromium", "apt-get install chromium-headless-shell")
    monkeypatch.setenv("PATH", path)
    actors.inventory.versions.cache_clear()
    monkeypatch.setenv("PAGELOOM_TESSERACT", "/nonexistent")
    is_one_line(pageloom("run", bangla, "--out", out), "Tesseract", "apt-get install")
    monkeypatch.setattr("synth.render.fonts.FONT_ROOTS", (tmp_path,))
    monkeypatch.setattr(font_set, "__defaults__", ((), (tmp_path,)))
    is_one_line(pageloom("run", recipe, "--out", out), "fonts for en are not installed", "apt-get install")
    assert not out.exists()


def test_a_full_disk_or_a_missing_right_is_a_mistake_and_a_broken_pipe_is_not(tmp_path: Path) -> None:
    for number, words in ((28, "no space left"), (13, "permission denied"), (21, "is a directory"), (24, "ulimit")):
        found = user_error_of(OSError(number, os.strerror(number), str(tmp_path)))
        assert found is not None and words in str(found) and str(tmp_path) in str(found)
    assert user_error_of(BrokenPipeError(32, "Broken pipe")) is None
    assert user_error_of(ConnectionResetError(104, "reset")) is None


def test_an_unforeseen_oserror_is_one_line(pageloom: Pageloom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "/somewhere")

    monkeypatch.setattr("jobs.plan.print_plan", full)
    is_one_line(pageloom("plan", write(tmp_path / "r.yaml")), "/somewhere", "no space left")


def test_scratch_of_a_shard_has_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends a runner, nothing of its scratch file stays."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    staging = Staging(Shard(0, "train", 0, 0, 2))
    assert list(tmp_path.iterdir()) == []
    staging.close()


@pytest.mark.parametrize("data", [b"", b"[" * 100_000, b"\xff", b"[]", b"{}", b'{"vectors": [{"id": 1}]}'])
def test_a_file_of_cases_that_is_none(pageloom: Pageloom, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "cases.json"
    path.write_bytes(data)
    said = pageloom("metrics", "check", path)
    assert said.code == 2 and said.err.count("\n") == 1 and str(path) in said.err
    assert pageloom("metrics", "check", tmp_path).code == 2


def test_a_dashboard_that_does_not_answer(pageloom: Pageloom, tmp_path: Path) -> None:
    recipe = write(tmp_path / "r.yaml")
    for address in ("http://127.0.0.1:9", "nonsense"):
        is_one_line(pageloom("submit", recipe, "--out", tmp_path / "out", "--address", address), address)
    assert not (tmp_path / "out").exists()


def test_a_cluster_that_is_not_there(pageloom: Pageloom, tmp_path: Path) -> None:
    recipe = write(tmp_path / "r.yaml", {"degradation": {"scenes": ["none"]}})
    ray.shutdown()  # one that other tests left running would be taken
    for address in ("127.0.0.1:9", "nonsense"):
        is_one_line(
            pageloom("run", recipe, "--out", tmp_path / "out", "--address", address), "cannot join Ray", address
        )
    assert not (tmp_path / "out" / LOCK_KEY).exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "ctrl_c"),
    [
        (signal.SIGINT, 130, signal.SIG_DFL),
        (signal.SIGTERM, 143, signal.SIG_DFL),
        (signal.SIGTERM, 143, signal.SIG_IGN),  # in the background of a script
    ],
)
def test_a_run_that_is_told_to_end(tmp_path: Path, number: signal.Signals, code: int, ctrl_c: signal.Handlers) -> None:
    scratch, out = Path(tempfile.mkdtemp()), tmp_path / "out"  # the paths of Ray's sockets must be short
    scratch.chmod(0o755)  # the browser's own user goes there too
    recipe = write(
        tmp_path / "r.yaml", {"degradation": {"scenes": ["none"]}, "legibility": {"share": 0}, "shard_size": 1}
    )
    command = [sys.executable, "-m", "jobs.cli", "run", str(recipe), "--out", str(out)]
    environment = os.environ | {"TMPDIR": str(scratch)}
    inherit = partial(signal.signal, signal.SIGINT, ctrl_c)
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, preexec_fn=inherit)
    deadline = time.monotonic() + 200
    while not (out / "manifests").is_dir() and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)
    run.send_signal(number)
    _, said = run.communicate(timeout=120)
    assert run.returncode == code, said[-2000:]
    assert "Traceback" not in said and "the same command again goes on" in said.splitlines()[-1]
    # What a killed browser leaves (its own folder is removed by the next one) is not a half-made sample.
    left = [p.name for name in ("pageloom-*", "playwright*") for p in scratch.glob(name)]
    assert [name for name in left if not name.startswith("pageloom-browser-")] == []
    shutil.rmtree(scratch)
    again = subprocess.run(command, capture_output=True, text=True, timeout=400)
    assert again.returncode == 0, again.stderr[-2000:]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts the browser as another user")
def test_a_private_folder_for_scratch_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private = Path(tempfile.mkdtemp())
    monkeypatch.setattr("tempfile.tempdir", str(private))
    with pytest.raises(UserError, match=r"may not enter .* TMPDIR"):
        stage(font_set(["en"]), Path("/bin/true"), isolated=False)
    assert list(private.iterdir()) == []
    private.rmdir()


def test_every_user_error_is_one_line() -> None:
    assert str(UserError("a\nb", "c\n", "d\n\ne")) == "c : a b -> d e"
