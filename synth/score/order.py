"""Tracks `line_order` and `block_order`: the reading order of a page, from ids or from texts.

MosaicDoc's successor pairs (section "Reading Order Prediction", tables 5 and 11) and OmniDocBench's position distance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal

from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist
from scipy.optimize import linear_sum_assignment

from synth.metrics import Mode, bafco, block_match, unikie
from synth.metrics.reading_order import Matched, pair_score, position_distance
from synth.score.answer import Unusable
from synth.score.metric import Metric, f1_of, mean_of
from synth.score.tally import UnitScore
from synth.score.track import MAX_REPLY, Fault, Unit
from synth.score.truth import DocumentTruth, TextPart

MAX_ELEMENTS = 20_000  # of one answer with ids
MAX_TEXTS = 2_000  # of one answer with texts
NEAR = 0.5  # a predicted text this near (distance over the longer length, at most) is the element it is assigned to
Chains = tuple[tuple[Any, ...], ...]


class Order:
    """The answer is a list of ids or of texts in reading order, or a list of such lists; ids are page ids."""

    columns = ("common", "said", "true", "edit", "pages")
    headline = "f1"

    def __init__(self, level: Literal["line", "block"]) -> None:
        self.level = level
        self.name: Literal["line_order", "block_order"] = "line_order" if level == "line" else "block_order"
        self.title = "Reading order of lines" if level == "line" else "Reading order of paragraphs"

    def metrics(self, mode: Mode) -> tuple[Metric, ...]:
        return (
            f1_of("f1", "common", "said", "true"),
            mean_of("precision", "common", "said"),
            mean_of("recall", "common", "true"),
            mean_of("position_distance", "edit", "pages", better="lower"),
        )

    def units(self, document: DocumentTruth) -> Iterator[Unit]:
        for page in document.pages:
            parts = page.lines if self.level == "line" else page.blocks
            if parts:
                yield Unit(page.id, document, page, parts)

    def reply(self, text: str) -> Any:
        if len(text) > MAX_REPLY:
            raise Unusable(f"the reply is longer than {MAX_REPLY} characters")
        found = bafco.parse_reply(text)
        if not found:
            raise Unusable("no JSON list in the reply")
        return found

    def read(self, payload: Any) -> Chains | None:
        if not isinstance(payload, list):
            raise Unusable("no list of ids or texts")
        nested = bool(payload) and all(isinstance(item, list) for item in payload)
        chains = [list(chain) for chain in payload] if nested else [payload]
        items = [item for chain in chains for item in chain]
        texts = all(isinstance(item, str) for item in items)
        if not texts and not all(isinstance(item, int) and not isinstance(item, bool) for item in items):
            raise Unusable("elements are neither all ids (whole numbers) nor all texts")
        if len(items) > (MAX_TEXTS if texts else MAX_ELEMENTS):
            raise Unusable(f"more than {MAX_TEXTS if texts else MAX_ELEMENTS} elements")
        kept = (tuple(item for item in chain if item != "") for chain in chains)
        return tuple(chain for chain in kept if chain) or None

    def oracle(self, unit: Unit) -> Any:
        return [part.id for part in unit.truth]

    def score(self, unit: Unit, value: Chains | None, mode: Mode) -> UnitScore:
        gold = [part.id for part in unit.truth]
        chains = _as_ids(unit.truth, value or ())
        pairs = pair_score([gold], chains)
        distance = position_distance(_matches(unit.truth, value or (), mode))
        sums = float(pairs.n_common), float(pairs.n_pred), float(pairs.n_gold), distance.edit if distance else 0.0, 1.0
        return UnitScore(sums)

    def faults(self, unit: Unit, value: Chains | None, mode: Mode) -> Iterator[Fault]:
        """layout: an element that is followed by another than in the truth; omission: one that is not there."""
        if value is not None and [item for chain in value for item in chain] == [part.id for part in unit.truth]:
            return
        parts = {part.id: part for part in unit.truth}
        said: dict[Any, Any] = {}
        for chain in _as_ids(unit.truth, value or ()):
            for one, two in zip(chain, (*chain[1:], None), strict=True):
                said.setdefault(one, two)
        gold = list(unit.truth)
        for part, after in pairwise(gold):
            if part.id not in said:
                yield Fault("omission", part.text, f"then {after.text}", "", unit.id, (part.box,), ())
            elif said[part.id] != after.id:
                other = parts.get(said[part.id])
                after_it = other.text if other else "nothing" if said[part.id] is None else "something else"
                wanted, found = f"then {after.text}", f"then {after_it}"
                boxes = (other.box,) if other else ()
                yield Fault("layout", part.text, wanted, found, unit.id, (part.box, after.box), boxes)


def _are_texts(chains: Chains) -> bool:
    return any(isinstance(item, str) for chain in chains for item in chain)


def _as_ids(parts: Sequence[TextPart], chains: Chains) -> list[list[Any]]:
    """Chains of ids; a text becomes the id of the element that it is assigned to, or stays for one that is none."""
    if not _are_texts(chains):
        return [list(chain) for chain in chains]
    said = [unikie.normalize(text, "strict") for chain in chains for text in chain]
    names: list[Any] = [("no element", at) for at in range(len(said))]
    cost = cdist(
        [unikie.normalize(part.text, "strict") for part in parts], said, scorer=Levenshtein.normalized_distance
    )
    for row, column in zip(*linear_sum_assignment(cost), strict=True):
        if cost[row, column] <= NEAR:
            names[column] = parts[row].id
    flat = iter(names)
    return [[next(flat) for _ in chain] for chain in chains]


def _matches(parts: Sequence[TextPart], chains: Chains, mode: Mode) -> list[Matched]:
    """True positions, from 1, with where they are predicted; texts are matched as OmniDocBench does."""
    if _are_texts(chains):
        texts = [text for chain in chains for text in chain]
        return block_match.one_to_one([part.text for part in parts], texts, mode)
    flat = [item for chain in chains for item in chain]
    place = dict(zip(reversed(flat), range(len(flat) - 1, -1, -1), strict=True))  # of one named twice the first place
    return [Matched([at], place.get(part.id, "")) for at, part in enumerate(parts, 1)]
