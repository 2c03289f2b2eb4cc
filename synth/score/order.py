"""Tracks `line_order` and `block_order`: the reading order of a page, from ids or from texts.

MosaicDoc's successor pairs (section "Reading Order Prediction", tables 5 and 11) and OmniDocBench's position distance.
The truth is local (MosaicDoc, appendix A.3): chains of successors with no order between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
Parts = Sequence[TextPart]


class Order:
    """The answer is a list of ids or of texts in reading order, or a list of such lists, one for each chain.

    A single list has to join chains somewhere: where it goes from the end of one to the start of another says nothing,
    and is not counted. In a list of lists such a pair is wrong.
    """

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
        chains = [[part.id for part in chain] for chain in _chains(unit.truth)]
        return chains if len(chains) > 1 else chains[0]

    def score(self, unit: Unit, value: Chains | None, mode: Mode) -> UnitScore:
        gold = _chains(unit.truth)
        pairs = pair_score([[part.id for part in chain] for chain in gold], _said(unit.truth, gold, value or ()))
        distance = position_distance(_matches(gold, value or (), mode))
        sums = float(pairs.n_common), float(pairs.n_pred), float(pairs.n_gold), distance.edit if distance else 0.0, 1.0
        return UnitScore(sums)

    def faults(self, unit: Unit, value: Chains | None, mode: Mode) -> Iterator[Fault]:
        """layout: an element that is followed by another than in the truth; omission: one that is not there, though
        another follows it."""
        parts = {part.id: part for part in unit.truth}
        said: dict[Any, Any] = {}
        for chain in _said(unit.truth, _chains(unit.truth), value or ()):
            for one, two in zip(chain, (*chain[1:], None), strict=True):
                said.setdefault(one, two)
        for part in unit.truth:
            after = None if part.next is None else parts[part.next]
            wanted = f"then {after.text if after else 'nothing'}"
            if part.id not in said:
                if after:
                    yield Fault("omission", part.text, wanted, "", unit.id, (part.box,), ())
            elif said[part.id] != part.next:
                other = parts.get(said[part.id])
                after_it = other.text if other else "nothing" if said[part.id] is None else "something else"
                true = (part.box, after.box) if after else (part.box,)
                boxes = (other.box,) if other else ()
                yield Fault("layout", part.text, wanted, f"then {after_it}", unit.id, true, boxes)


def _are_texts(chains: Chains) -> bool:
    return any(isinstance(item, str) for chain in chains for item in chain)


def _chains(parts: Parts) -> list[list[TextPart]]:
    """The chains of a page's elements, by where they start in reading order."""
    by_id, led = {part.id: part for part in parts}, {part.next for part in parts}
    chains: list[list[TextPart]] = []
    for part in parts:
        if part.id not in led:
            chain = [part]
            while chain[-1].next is not None:
                chain.append(by_id[chain[-1].next])
            chains.append(chain)
    return chains


def _said(parts: Parts, gold: Sequence[Parts], chains: Chains) -> list[list[Any]]:
    """Predicted chains of ids; a single one is cut where it goes from the end of a true chain to another's start."""
    said = _as_ids(parts, chains)
    if len(said) != 1 or len(gold) == 1:
        return said
    starts = {chain[0].id: at for at, chain in enumerate(gold)}
    ends = {chain[-1].id: at for at, chain in enumerate(gold)}
    pieces: list[list[Any]] = [[]]
    for item in said[0]:
        before = pieces[-1][-1] if pieces[-1] else None
        if before in ends and item in starts and ends[before] != starts[item]:
            pieces.append([])
        pieces[-1].append(item)
    return pieces


def _as_ids(parts: Parts, chains: Chains) -> list[list[Any]]:
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


def _matches(gold: Sequence[Parts], chains: Chains, mode: Mode) -> list[Matched]:
    """True positions, from 1, with where they are predicted; texts are matched as OmniDocBench does.

    That distance knows one order of a page: true chains, which have none among them, stand as they are predicted, by
    the first of their elements that is found.
    """
    parts, flat = [part for chain in gold for part in chain], [item for chain in chains for item in chain]
    if _are_texts(chains):
        found = block_match.one_to_one([part.text for part in parts], flat, mode)
        places: dict[Any, Any] = {parts[at - 1].id: match.pred for match in found for at in match.gold}
    else:  # of one named twice the first place
        places = dict(zip(reversed(flat), range(len(flat) - 1, -1, -1), strict=True))

    def first(chain: Parts) -> int:
        found = [places.get(part.id, "") for part in chain]
        return min((place for place in found if place != ""), default=len(flat))

    placed = [part for chain in sorted(gold, key=first) for part in chain]
    return [Matched([at], places.get(part.id, "")) for at, part in enumerate(placed, 1)]
