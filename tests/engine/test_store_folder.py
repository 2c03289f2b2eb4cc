"""What only a folder has: disks that fill up, permissions, writers killed before the link."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.store import open_store
from engine.store_folder import STALE_S
from schemas.errors import UserError

_REPORT = """
import sys
from engine.store import open_store
from schemas.errors import UserError
try:
    open_store(sys.argv[1]).put_new("a/b", b"x" * 2_000_000)
except UserError as error:
    print(error)
"""


def _may_mount() -> bool:
    command = ["unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]
    return bool(shutil.which("unshare")) and subprocess.run(command, capture_output=True).returncode == 0


def test_a_writer_killed_before_the_link_shows_nothing(tmp_path: Path) -> None:
    script = (
        "import os, sys, time\nfrom engine.store import open_store\n"
        "os.link = lambda *a: (print('written', flush=True), time.sleep(60))\n"
        "open_store(sys.argv[1]).put_new('a/b', b'x' * 1000)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "written\n"
    child.send_signal(signal.SIGKILL)
    child.communicate()
    store = open_store(tmp_path)
    assert list(store.list()) == [] and not store.exists("a/b")
    assert len(list((tmp_path / ".tmp").iterdir())) == 1, "the kill came too early to show anything"
    assert store.put_new("a/b", b"whole") and store.get("a/b") == b"whole"


def test_probe_sweeps_what_killed_writers_left_long_ago(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.probe()
    old, young = tmp_path / ".tmp" / "1-old", tmp_path / ".tmp" / "1-young"
    old.write_bytes(b"")
    young.write_bytes(b"")
    past = old.stat().st_mtime - STALE_S - 60
    os.utime(old, (past, past))
    store.probe()
    assert not old.exists() and young.exists()


def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    if not _may_mount():
        pytest.skip("this kernel lets nobody mount a small tmpfs")
    show = "find $1 -type f | wc -l"
    script = f'mount -t tmpfs -o size=1m none "$1" && "$2" -c "$3" "$1" && {show}'
    run = ["unshare", "-Urm", "sh", "-c", script, "sh", str(tmp_path), sys.executable, _REPORT]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    line, files = done.stdout.splitlines()
    assert "no space left" in line and str(tmp_path) in line and "->" in line
    assert files == "0"


def test_a_folder_under_a_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = open_store(tmp_path / "file" / "out")
    with pytest.raises(UserError, match="cannot read or write"):
        store.put_new("a", b"")
    assert not store.exists("a") and list(store.list()) == []


def test_a_folder_of_someone_else_is_one_line(tmp_path: Path) -> None:
    if os.getuid() == 0:
        drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]
    else:
        drop, _ = [], tmp_path.chmod(0o500)
    # Imported from a copy: the checkout itself may lie where that user cannot look.
    script = "import sys\nfrom schemas.errors import UserError\nimport engine.store_folder\nimport os\n" + (
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n" if drop else ""
    )
    done = subprocess.run([sys.executable, "-c", script + _REPORT, str(tmp_path)], capture_output=True, text=True)
    assert "Permission denied" in done.stdout and "may write" in done.stdout, done.stderr
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_a_key_below_an_object_is_refused(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.put_new("a", b"1")
    with pytest.raises(UserError):
        store.put_new("a/b", b"2")
    with pytest.raises(KeyError):
        store.get("a/b")
    assert store.get("a") == b"1"
