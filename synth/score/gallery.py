"""A bounded choice of faults to look at: the same ones whatever the order they come in, spread over documents."""

from __future__ import annotations

import hashlib
import heapq
from collections import defaultdict
from dataclasses import dataclass, field

from synth.score.track import KINDS, Fault


@dataclass(frozen=True, order=True)
class Shown:
    """A fault with the unit it is in, ordered by a hash of both."""

    rank: int
    track: str = field(compare=False)
    unit: str = field(compare=False)
    document: str = field(compare=False)
    type: str = field(compare=False)
    language: str = field(compare=False)
    fault: Fault = field(compare=False)


@dataclass
class Gallery:
    """Keeps `room` faults of each (track, kind); of one document one each until all documents had their turn."""

    room: int
    _kept: dict[tuple[str, str], dict[str, list[Shown]]] = field(default_factory=lambda: defaultdict(dict))

    def offer(self, shown: Shown) -> None:
        """Consider a fault."""
        if not self.room:
            return
        mine = self._kept[shown.track, shown.fault.kind].setdefault(shown.document, [])
        mine.append(shown)
        if len(mine) > self.room:
            mine.remove(max(mine))
        of_kind = self._kept[shown.track, shown.fault.kind]
        if len(of_kind) > 4 * self.room:  # forget the documents that come last
            best = heapq.nsmallest(self.room, of_kind, key=lambda name: rank_of("document", name))
            self._kept[shown.track, shown.fault.kind] = {name: of_kind[name] for name in best}

    def chosen(self) -> list[Shown]:
        """By track as they came, kind in the order of the papers, then documents in turn."""
        result: list[Shown] = []
        tracks = list(dict.fromkeys(track for track, _ in self._kept))
        for track in tracks:
            for kind in KINDS:
                of_kind = self._kept.get((track, kind), {})
                queues = [sorted(of_kind[name]) for name in sorted(of_kind, key=lambda name: rank_of("document", name))]
                turns = [queue[turn] for turn in range(self.room) for queue in queues if turn < len(queue)]
                result += turns[: self.room]
        return result


def rank_of(*names: str) -> int:
    """A number that depends on the names alone."""
    return int.from_bytes(hashlib.sha256("\0".join(names).encode("utf-8", "replace")).digest()[:8], "big")
