"""What only a remote store has: credentials, buckets, lost answers, cut bodies, servers that ignore the condition."""

from __future__ import annotations

import hashlib
import os
import socket
import traceback
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine import store_s3
from engine.store import Store, open_store
from schemas.errors import UserError
from tests.fixtures.faulty import Faults, faulty
from tests.fixtures.s3 import S3Server
from tests.fixtures.swift import SwiftServer


@pytest.fixture
def url(moto: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    moto.use(monkeypatch)
    bucket = f"b{uuid.uuid4().hex}"
    moto.create_bucket(bucket)
    return f"s3://{bucket}/out"


@pytest.fixture
def faults(moto: S3Server, url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Faults]:
    """The store at `url`, reached through a proxy that makes these faults."""
    faults = Faults()
    with faulty(moto, faults) as proxied:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxied.endpoint)
        yield faults


def _ways(url: str) -> list[Callable[[], object]]:
    key = uuid.uuid4().hex
    store = open_store(url)
    return [
        lambda: store.put_new(key, b""),
        lambda: store.put(key, b""),
        lambda: store.get(key),
        lambda: list(store.list()),
        lambda: store.probe(),
    ]


def _one_line(call: Callable[[], object], says: str, secret: str = "moto-secret") -> None:
    with pytest.raises(UserError) as caught:
        call()
    line = str(caught.value)
    assert says in line and "->" in line and "\n" not in line
    shown = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value))
    assert secret not in shown


def test_missing_bucket(swift: SwiftServer, monkeypatch: pytest.MonkeyPatch) -> None:
    swift.s3.use(monkeypatch)
    for call in _ways("s3://no-such-bucket/out"):
        _one_line(call, "no bucket no-such-bucket")


def test_wrong_secret_and_unknown_key(swift: SwiftServer, monkeypatch: pytest.MonkeyPatch) -> None:
    swift.s3.use(monkeypatch)
    bucket = f"b{uuid.uuid4().hex}"
    swift.s3.create_bucket(bucket)
    secret = uuid.uuid4().hex
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret)
    for call in _ways(f"s3://{bucket}/out"):
        _one_line(call, "refuses the credentials", secret)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    _one_line(_ways(f"s3://{bucket}/out")[0], "refuses the credentials", secret)


def test_no_credentials(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", f"{tmp_path}/none")
    monkeypatch.setenv("AWS_CONFIG_FILE", f"{tmp_path}/none")
    for call in _ways(url):
        _one_line(call, "no S3 credentials")


def test_unreachable_endpoint(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    password = uuid.uuid4().hex
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://me:{password}@127.0.0.1:{closed.getsockname()[1]}")
        monkeypatch.setattr(store_s3, "TRIES", 1)
        _one_line(lambda: open_store(url).probe(), "cannot reach the store at http://127.0.0.1", password)


def test_a_store_that_ignores_the_condition_is_refused(faults: Faults, url: str) -> None:
    faults.ignore_conditions = True
    _one_line(lambda: open_store(url).probe(), "does not honour conditional writes")
    assert list(open_store(url).list()) == []


def test_a_store_that_ignores_it_on_completion_is_refused(faults: Faults, url: str) -> None:
    faults.ignore_on_complete = True
    _one_line(lambda: open_store(url).probe(), "multipart upload")
    assert list(open_store(url).list()) == []


@pytest.mark.parametrize("fault", ["lose_answers", "fail_after", "conflicts"])
def test_an_unknown_outcome_is_settled_by_what_is_stored(faults: Faults, url: str, fault: str) -> None:
    store = open_store(url)
    setattr(faults, fault, 1)
    assert store.put_new("mine", b"mine") is True
    assert getattr(faults, fault) == 0, "the fault did not happen"
    assert store.get("mine") == b"mine"
    setattr(faults, fault, 1)
    assert store.put_new("mine", b"other") is False
    assert store.get("mine") == b"mine"


def test_a_fault_that_lasts_is_given_up(faults: Faults, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_s3, "TRIES", 2)
    faults.conflicts = 1000
    _one_line(lambda: open_store(url).put_new("key", b""), "answers 409 ConditionalRequestConflict")
    assert 0 < sum(line.startswith("PUT") for line in faults.seen) <= 4


def test_a_body_cut_in_the_middle_is_read_again(faults: Faults, url: str) -> None:
    store = open_store(url)
    data = os.urandom(3 * 2**20)
    store.put_new("key", data)
    faults.cut_bodies = 1
    assert store.get("key") == data
    faults.cut_bodies = 2
    assert store.sha256("key") == hashlib.sha256(data).hexdigest()
    assert faults.cut_bodies == 0


def _multipart(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_s3, "MULTIPART_ABOVE", 6 * 2**20)
    monkeypatch.setattr(store_s3, "PART", 5 * 2**20)
    bodies = [bytes([i]) * (11 * 2**20 + i) for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        won = list(pool.map(lambda body: store.put_new("race", body), bodies))
    # Neither server here decides the race of two completions; what is there must be whole, and a winner's.
    stored = store.sha256("race")
    assert stored in [hashlib.sha256(b).hexdigest() for b, mine in zip(bodies, won, strict=True) if mine]
    assert store.put_new("race", bodies[0]) is False
    monkeypatch.setattr(store, "exists", lambda key: False)  # as if it appeared during the upload
    assert store.put_new("race", bodies[1][:-1] + b"x") is False
    assert store.sha256("race") == stored
    assert list(store.list()) == ["race"]


def test_large_objects_go_in_parts(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _multipart(open_store(url), monkeypatch)


def test_large_objects_on_a_real_server(swift: SwiftServer, monkeypatch: pytest.MonkeyPatch) -> None:
    swift.s3.use(monkeypatch)
    bucket = f"b{uuid.uuid4().hex}"
    swift.s3.create_bucket(bucket)
    _multipart(open_store(f"s3://{bucket}/out"), monkeypatch)


def test_a_lost_answer_in_a_large_upload_is_settled(faults: Faults, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_s3, "MULTIPART_ABOVE", 6 * 2**20)
    monkeypatch.setattr(store_s3, "PART", 5 * 2**20)
    store, data = open_store(url), os.urandom(7 * 2**20)
    faults.lose_answers = 1
    assert store.put_new("big", data) is True
    assert store.sha256("big") == hashlib.sha256(data).hexdigest()


def test_a_forked_process_builds_its_own_client(url: str) -> None:
    store = open_store(url)
    store.put_new("key", b"value")
    before = store._client  # pyright: ignore[reportAttributeAccessIssue]
    assert store._client is before  # pyright: ignore[reportAttributeAccessIssue]
    child = os.fork()
    if child == 0:
        fresh = store._client is not before  # pyright: ignore[reportAttributeAccessIssue]
        os._exit(0 if fresh and store.get("key") == b"value" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
