"""One contract, three stores: a folder, moto, and a real Swift server. What differs is in test_store_folder and _s3."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine import store_s3
from engine.store import Store, check_key, claim, open_store, put_same, races_cleanly
from schemas.errors import DeterminismError, UserError
from tests.fixtures.s3 import S3Server

BUCKET = "contract"
_made: set[str] = set()


@pytest.fixture(params=["folder", "moto", "swift"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    if request.param == "folder":
        yield open_store(tmp_path / "out")
        return
    fixture = request.getfixturevalue(request.param)
    server: S3Server = fixture if isinstance(fixture, S3Server) else fixture.s3
    server.use(monkeypatch)
    if server.endpoint not in _made:
        server.create_bucket(BUCKET)
        _made.add(server.endpoint)
    yield open_store(f"s3://{BUCKET}/{uuid.uuid4().hex}")


def test_first_write_wins_and_stays(store: Store) -> None:
    assert store.put_new("train/shard-00000.parquet", b"first") is True
    assert store.put_new("train/shard-00000.parquet", b"second") is False
    assert store.get("train/shard-00000.parquet") == b"first"
    assert store.size("train/shard-00000.parquet") == 5
    assert store.sha256("train/shard-00000.parquet") == hashlib.sha256(b"first").hexdigest()
    assert store.exists("train/shard-00000.parquet")
    assert not store.exists("train/shard-0000")


def test_absent_is_a_key_error(store: Store) -> None:
    for ask in (store.get, store.size, store.sha256):
        with pytest.raises(KeyError):
            ask("not/there")
    assert not store.exists("not/there")
    store.delete("not/there")
    assert list(store.list()) == []


def test_list_is_sorted_and_takes_any_prefix(store: Store) -> None:
    keys = ["a.b", "a/b", "a/b.c/d", "a/c", "ab", "b/long/way/down", "z"]
    for key in reversed(keys):
        store.put_new(key, key.encode())
    assert list(store.list()) == sorted(keys)
    assert list(store.list("a")) == ["a.b", "a/b", "a/b.c/d", "a/c", "ab"]
    assert list(store.list("a/b")) == ["a/b", "a/b.c/d"]
    assert list(store.list("b/long/w")) == ["b/long/way/down"]
    assert list(store.list("a/")) == ["a/b", "a/b.c/d", "a/c"]
    assert list(store.list("c")) == []


def test_unicode_and_odd_keys(store: Store) -> None:
    keys = ["收据/发票 1.json", "ফর্ম/চুক্তি.json", "a+b&c=d?e#f%20g.json", "é/é.json", "sp ace/~x'y(z).json"]
    for key in keys:
        assert store.put_new(key, key.encode())
        assert not store.put_new(key, b"again")
    assert list(store.list()) == sorted(keys)
    assert [store.get(key).decode() for key in keys] == keys


def test_list_goes_on_after_the_first_page(
    store: Store, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = request.node.callspec.params["store"] == "swift"  # 50 puts a second: fewer keys, smaller pages
    if slow:
        monkeypatch.setattr(store_s3, "PAGE", 50)
    keys = [f"many/{i:05d}" for i in range(150 if slow else 1500)]
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda key: store.put_new(key, b""), keys))
    assert list(store.list("many/")) == keys


def test_put_overwrites_and_delete_removes(store: Store) -> None:
    store.put("logs/run.jsonl", b"one")
    store.put("logs/run.jsonl", b"two")
    assert store.get("logs/run.jsonl") == b"two"
    store.delete("logs/run.jsonl")
    assert not store.exists("logs/run.jsonl")
    assert store.put_new("logs/run.jsonl", b"three")


def test_sixteen_writers_one_winner(store: Store, request: pytest.FixtureRequest) -> None:
    bodies = [f"writer {i}".encode() * 5000 for i in range(16)]
    with ThreadPoolExecutor(16) as pool:
        won = list(pool.map(lambda body: store.put_new("race", body), bodies))
    winners = [body for body, mine in zip(bodies, won, strict=True) if mine]
    assert store.get("race") in winners
    # Swift looks first and writes after: writers within some 0.1 s may all be told that they won, and the last stays.
    assert len(winners) == 1 or request.node.callspec.params["store"] == "swift"
    assert store.put_new("race", b"late") is False


def test_a_store_says_whether_its_races_are_clean(store: Store, request: pytest.FixtureRequest) -> None:
    clean = request.node.callspec.params["store"] != "swift"
    assert races_cleanly(store) is clean
    store.probe()
    assert (store.settle_s == 0) is clean and pickle.loads(pickle.dumps(store)).settle_s == store.settle_s
    assert list(store.list()) == []


def test_all_racing_claims_obey_the_same_record(store: Store) -> None:
    store.probe()
    for name in ("one", "two", "three"):
        with ThreadPoolExecutor(16) as pool:
            told = set(pool.map(lambda i, name=name: claim(store, f"claim/{name}", f"writer {i}".encode()), range(16)))
        assert told == {store.get(f"claim/{name}")}
    assert claim(store, "claim/one", b"late") == store.get("claim/one") != b"late"


def test_put_same_takes_equal_bytes_and_names_other_bytes(store: Store) -> None:
    assert put_same(store, "a/manifest.json", b"{}") is True
    assert put_same(store, "a/manifest.json", b"{}") is False
    with pytest.raises(DeterminismError) as caught:
        put_same(store, "a/manifest.json", b"[]")
    text = str(caught.value)
    assert "a/manifest.json" in text and store.url in text
    assert hashlib.sha256(b"{}").hexdigest() in text and hashlib.sha256(b"[]").hexdigest() in text
    assert store.get("a/manifest.json") == b"{}"


def test_probe_passes_and_leaves_nothing(store: Store) -> None:
    store.probe()
    assert list(store.list()) == []


def _child_reads(store: Store, key: str) -> bytes:
    return store.get(key)


def test_a_pickled_store_works_in_another_process_and_holds_no_secret(store: Store) -> None:
    store.put_new("key", b"value")
    packed = pickle.dumps(store)
    secret = os.environ.get("AWS_SECRET_ACCESS_KEY", "testing")
    assert secret.encode() not in packed and secret not in repr(store)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_child_reads, (pickle.loads(packed), "key")) == b"value"


_WRITER = """
import sys
from engine.store import open_store
store = open_store(sys.argv[1])
for i in range(10_000):
    store.put_new(f"many/{i:05d}", bytes([i % 251]) * 3_000_000)
    print(i, flush=True)
"""


def test_a_killed_writer_leaves_only_whole_objects(store: Store) -> None:
    child = subprocess.Popen([sys.executable, "-c", _WRITER, store.url], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    acknowledged = [int(child.stdout.readline()) for _ in range(6)]
    child.send_signal(signal.SIGKILL)
    acknowledged += [int(line) for line in child.communicate()[0].split()]
    assert child.returncode == -signal.SIGKILL
    visible = {int(key[-5:]): key for key in store.list()}
    assert set(acknowledged) <= set(visible)
    assert len(visible) <= len(acknowledged) + 1
    for i, key in visible.items():
        assert store.sha256(key) == hashlib.sha256(bytes([i % 251]) * 3_000_000).hexdigest()


BAD_KEYS = ["", "/a", "a/", "a//b", "../a", "a/../b", "a/./b", "a\\b", "a\nb", ".tmp/x", "é" * 451]


@pytest.mark.parametrize("key", BAD_KEYS)
def test_bad_keys_are_refused(key: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        check_key(key)
    with pytest.raises(ValueError):
        open_store(tmp_path).put_new(key, b"")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("gs://bucket/x", "cannot store to gs://"),
        ("s3://", "names no bucket"),
        ("s3:///prefix", "names no bucket"),
        ("s3://user:pass@bucket/x", "carries credentials"),
    ],
)
def test_bad_urls_are_one_line(url: str, says: str) -> None:
    with pytest.raises(UserError, match=re.escape(says)) as caught:
        open_store(url)
    assert "\n" not in str(caught.value) and "pass" not in str(caught.value)


def test_file_urls_are_folders(tmp_path: Path) -> None:
    open_store(tmp_path.as_uri()).put_new("a", b"1")
    assert (tmp_path / "a").read_bytes() == b"1"
    assert open_store(open_store(tmp_path).url).get("a") == b"1"
