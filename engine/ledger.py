"""What models answered, as an input of the release (DESIGN decision 10), and the record of quarantined samples.

Answers lie in small create-once segments per shard, `ledger/<shard>/000000.jsonl`, numbered without gaps. The first
writer of a number wins; the loser reads the winner's segment, adopts its answers and writes the rest under the next
number, so all runs on one output end with the same answer to every question.
"""

from __future__ import annotations

import json
from typing import Any

from engine.store import Store, claim
from schemas.errors import UserError
from schemas.release import canonical, sha256
from schemas.sample import Rejection


def request_digest(*parts: Any) -> str:
    """Digest of what was asked: engine, its version, and the bytes or text it was given."""
    return sha256(b"\0".join(p if isinstance(p, bytes) else canonical(p) for p in parts))


def key_of(index: int, attempt: int, stage: str, digest: str) -> str:
    return f"{index}/{attempt}/{stage}/{digest}"


class Ledger:
    """Answers of one shard. `offline` makes `get` of an unknown key an error of the caller (see regenerate).

    `compacted` is what the first so many segments hold, for those who keep it elsewhere (see engine.llm_ledger).
    """

    def __init__(self, store: Store, shard: str, compacted: tuple[dict[str, Any], int] | None = None) -> None:
        self._store, self._prefix = store, f"ledger/{shard}/"
        answers, self._segments = compacted or ({}, 0)
        self._answers: dict[str, Any] = dict(answers)
        self._unsaved: dict[str, Any] = {}
        self._load()

    def get(self, key: str) -> Any | None:
        return self._answers.get(key)

    def add(self, key: str, answer: Any) -> None:
        """Keep an answer; `flush` makes it durable. An earlier answer to the same key stays."""
        if key not in self._answers:
            self._answers[key] = self._unsaved[key] = answer

    def flush(self) -> set[str]:
        """Write what is new as the next segment; keys whose answer another run had already given otherwise."""
        changed: set[str] = set()
        while batch := dict(self._unsaved):  # a copy: answers may be added while this one is written
            lines = [canonical({"key": k, "answer": v}) for k, v in sorted(batch.items())]
            segment = b"\n".join(lines) + b"\n"
            if claim(self._store, self._name(self._segments), segment) == segment:
                self._segments += 1
                for key in batch:
                    self._unsaved.pop(key, None)
            else:
                changed |= self._adopt()
        return changed

    @property
    def unsaved(self) -> int:
        return len(self._unsaved)

    @property
    def segments(self) -> int:
        """Segments read or written so far."""
        return self._segments

    def items(self) -> list[tuple[str, Any]]:
        """All answers by key, sorted."""
        return sorted(self._answers.items())

    def _name(self, number: int) -> str:
        return f"{self._prefix}{number:06d}.jsonl"

    def _load(self) -> None:
        # Numbered without gaps: one that is missing is not the end of what was answered.
        numbers = [int(key.rsplit("/", 1)[1].split(".")[0]) for key in self._store.list(self._prefix)]
        for number in range(self._segments, max(numbers, default=-1) + 1):
            if number not in numbers:
                raise UserError(
                    "a segment of the ledger is missing", f"{self._store.url}/{self._name(number)}", "restore it"
                )
            self._adopt()

    def _adopt(self) -> set[str]:
        """Read the next segment of another writer."""
        changed: set[str] = set()
        for line in self._store.get(self._name(self._segments)).splitlines():
            entry = json.loads(line)
            mine = self._unsaved.pop(entry["key"], None)
            if mine is not None and canonical(mine) != canonical(entry["answer"]):
                changed.add(entry["key"])
            if mine is not None or entry["key"] not in self._answers:
                self._answers[entry["key"]] = entry["answer"]
        self._segments += 1
        return changed


class Quarantine:
    """Create-once records of tries that every later attempt and replay obeys."""

    def __init__(self, store: Store, shard: str) -> None:
        self._store, self._prefix = store, f"quarantine/{shard}/"
        self._records: dict[tuple[int, int], Rejection] = {}
        self.refresh()

    def get(self, index: int, attempt: int) -> Rejection | None:
        return self._records.get((index, attempt))

    def add(self, rejection: Rejection) -> Rejection:
        """Record it; the record that counts is returned (another run's, if that came first)."""
        key = f"{self._prefix}{rejection.index:08d}-{rejection.attempt}.json"
        rejection = Rejection(**json.loads(claim(self._store, key, canonical(rejection.__dict__))))
        self._records[rejection.index, rejection.attempt] = rejection
        return rejection

    def refresh(self) -> set[tuple[int, int]]:
        """Read the records of other runs; those that are new here."""
        new: set[tuple[int, int]] = set()
        for key in self._store.list(self._prefix):
            index, attempt = (int(part) for part in key.rsplit("/", 1)[1].removesuffix(".json").split("-"))
            if (index, attempt) not in self._records:
                self._records[index, attempt] = Rejection(**json.loads(self._store.get(key)))
                new.add((index, attempt))
        return new
