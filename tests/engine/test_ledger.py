"""The ledger and the quarantine: first writer wins, also between two runs on one output."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.ledger import Ledger, Quarantine, key_of, request_digest
from engine.store import open_store
from schemas.errors import UserError
from schemas.sample import Rejection


def test_answers_survive_and_the_first_stays(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ledger = Ledger(store, "train-00000")
    ledger.add("1/0/read/x", {"cer": 0.1})
    ledger.add("1/0/read/x", {"cer": 0.9})
    assert ledger.flush() == set()
    ledger.add("2/0/read/y", [1])
    ledger.flush()
    again = Ledger(store, "train-00000")
    assert (again.get("1/0/read/x"), again.get("2/0/read/y"), again.get("3")) == ({"cer": 0.1}, [1], None)
    assert len(list(store.list("ledger/"))) == 2


def test_of_two_runs_the_loser_adopts_and_is_told(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    one, two = Ledger(store, "s"), Ledger(store, "s")
    one.add("1/0/read/x", "mine")
    two.add("1/0/read/x", "theirs")
    two.add("2/0/read/y", "only theirs")
    one.flush()
    assert two.flush() == {"1/0/read/x"}
    assert two.get("1/0/read/x") == "mine"
    again = Ledger(store, "s")
    assert (again.get("1/0/read/x"), again.get("2/0/read/y")) == ("mine", "only theirs")


def test_equal_answers_of_two_runs_change_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    one, two = Ledger(store, "s"), Ledger(store, "s")
    for ledger in (one, two):
        ledger.add("k", {"a": 1, "b": 2})
    assert one.flush() == two.flush() == set()


def test_a_digest_depends_on_every_part() -> None:
    assert request_digest({"a": 1}, b"x") != request_digest({"a": 1}, b"y") != request_digest({"a": 2}, b"y")
    assert key_of(3, 1, "read", "d") == "3/1/read/d"


def test_quarantine_is_obeyed_by_later_and_by_racing_runs(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    rejection = Rejection("train", 4, 0, "form", "en", "browser", "crash", "boom", True)
    one, two = Quarantine(store, "s"), Quarantine(store, "s")
    assert one.add(rejection) == rejection
    assert two.add(replace(rejection, reason="timeout")) == rejection, "the first record counts"
    three = Quarantine(store, "s")
    assert three.get(4, 0) == rejection and three.get(4, 1) is None
    one.add(replace(rejection, attempt=1))
    assert three.refresh() == {(4, 1)} and three.refresh() == set()


def test_a_gap_in_the_segments_is_said(tmp_path: Path) -> None:
    ledger = Ledger(open_store(tmp_path), "train-00000")
    for number in range(3):
        ledger.add(f"{number}/0/read/x", number)
        ledger.flush()
    (tmp_path / "ledger/train-00000/000001.jsonl").unlink()
    with pytest.raises(UserError, match=r"segment of the ledger is missing.*restore"):
        Ledger(open_store(tmp_path), "train-00000")
