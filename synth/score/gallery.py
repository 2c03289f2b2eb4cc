"""A bounded choice of faults to look at: the same ones whatever the order they come in, spread over documents."""

from __future__ import annotations

import hashlib
from bisect import insort
from collections import defaultdict
from dataclasses import dataclass, field

from synth.score.track import KINDS, Fault


@dataclass(frozen=True)
class Shown:
    """A fault with the unit it is in; `rank` is a hash of both, the lowest are shown first."""

    rank: int
    track: str
    unit: str
    document: str
    type: str
    language: str
    fault: Fault


@dataclass
class Gallery:
    """Keeps up to `room` faults of each (track, kind) from the documents that a hash puts first, in turn.

    A document that can no longer be among the first `room` is refused by `wants`, so most faults cost nothing.
    """

    room: int
    _kept: dict[tuple[str, str], dict[str, list[Shown]]] = field(default_factory=lambda: defaultdict(dict))
    _last: dict[tuple[str, str], int] = field(default_factory=dict)

    def wants(self, track: str, kind: str, document_rank: int) -> bool:
        """Whether a fault of a document of this rank (`rank_of` its id) may still be shown."""
        return self.room > 0 and document_rank <= self._last.get((track, kind), document_rank)

    def offer(self, shown: Shown) -> None:
        """Consider a fault."""
        key = shown.track, shown.fault.kind
        of_kind = self._kept[key]
        mine = of_kind.setdefault(shown.document, [])
        insort(mine, shown, key=lambda item: item.rank)
        del mine[self.room :]
        if len(mine) == 1 and len(of_kind) >= self.room:
            ranked = sorted(of_kind, key=rank_of)
            for name in ranked[self.room :]:
                del of_kind[name]
            self._last[key] = rank_of(ranked[self.room - 1])

    def chosen(self) -> list[Shown]:
        """By track as they came, kind in the order of the papers, then documents in turn."""
        result: list[Shown] = []
        tracks = list(dict.fromkeys(track for track, _ in self._kept))
        for track in tracks:
            for kind in KINDS:
                of_kind = self._kept.get((track, kind), {})
                queues = [of_kind[name] for name in sorted(of_kind, key=rank_of)]
                turns = [queue[turn] for turn in range(self.room) for queue in queues if turn < len(queue)]
                result += turns[: self.room]
        return result


def rank_of(*names: str) -> int:
    """A number that depends on the names alone."""
    return int.from_bytes(hashlib.sha256("\0".join(names).encode("utf-8", "replace")).digest()[:8], "big")
