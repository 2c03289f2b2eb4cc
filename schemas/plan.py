"""What a recipe would make, lazily: shards are index ranges, cells are dealt, nothing is listed (decisions 2 to 5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from schemas.draws import Dealer
from schemas.errors import UserError
from schemas.recipe import Content
from schemas.release import shard_name
from schemas.sample import SampleSpec


@dataclass(frozen=True)
class Shard:
    """Indices [start, stop) of one split. `position` counts over the whole plan, `number` within the split."""

    position: int
    split: str
    number: int
    start: int
    stop: int

    @property
    def name(self) -> str:
        return shard_name(self.split, self.number)


class Plan:
    """Shards and samples of a recipe's content. Constant memory whatever the number of samples."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self.cells = list(content.cells)
        self.dealer = Dealer(list(content.cells.values()))
        self.splits = list(content.splits)
        counts = [-(-content.splits[s].samples // content.shard_size) for s in self.splits]
        self._ends = list(accumulate(counts))

    @cached_property
    def samples(self) -> int:
        return sum(split.samples for split in self.content.splits.values())

    def __len__(self) -> int:
        return self._ends[-1]

    def shard(self, position: int) -> Shard:
        """Shard at a position of the plan; IndexError outside."""
        if not 0 <= position < len(self):
            raise IndexError(position)
        place = next(i for i, end in enumerate(self._ends) if position < end)
        number = position - (self._ends[place - 1] if place else 0)
        split = self.splits[place]
        start = number * self.content.shard_size
        stop = min(start + self.content.shard_size, self.content.splits[split].samples)
        return Shard(position, split, number, start, stop)

    def __iter__(self) -> Iterator[Shard]:
        return (self.shard(i) for i in range(len(self)))

    def spec(self, split: str, index: int) -> SampleSpec:
        """First try of the sample at `index` of `split`."""
        kind, language = self.cells[self.dealer.kind(index)]
        c = self.content
        return SampleSpec(c.seed, c.dataset, split, index, 0, kind, language, self.dealer.number(index))

    def counts(self) -> dict[str, dict[str, int]]:
        """Exact number of documents of each `type/language` cell in each split."""
        return {
            name: dict(zip((f"{t}/{lang}" for t, lang in self.cells), self.dealer.counts(split.samples), strict=True))
            for name, split in self.content.splits.items()
        }

    @property
    def short_tails(self) -> list[str]:
        """Splits whose last shard is not full: such a release is no prefix of a longer one in that shard."""
        return [n for n, s in self.content.splits.items() if s.samples % self.content.shard_size]

    def select(self, text: str | None) -> list[int] | range:
        """Positions named by `0-99`, `3`, `1,4-6` or `train-00003`; all when None. UserError when none such exists."""
        if text is None:
            return range(len(self))
        chosen: set[int] = set()
        for part in (piece.strip() for piece in text.split(",")):
            if (named := self._named(part)) is not None:
                chosen.add(named)
                continue
            numbers = re.fullmatch(r"([0-9]{1,15})(?:-([0-9]{1,15}))?", part)
            low, high = (int(numbers[1]), int(numbers[2] or numbers[1])) if numbers else (1, 0)
            if high >= len(self) or low > high:
                fix = f"give numbers from 0 to {len(self) - 1}, like 0-3 or 1,4, or a name like {self.shard(0).name}"
                raise UserError(f"no shard {part!r}", "--shards", fix)
            chosen.update(range(low, high + 1))
        return sorted(chosen)

    def _named(self, name: str) -> int | None:
        """Position of the shard of this name."""
        split, _, number = name.rpartition("-")
        if split not in self.splits or not re.fullmatch(r"[0-9]{5,15}", number):
            return None
        place = self.splits.index(split)
        position = (self._ends[place - 1] if place else 0) + int(number)
        return position if position < self._ends[place] and self.shard(position).name == name else None
