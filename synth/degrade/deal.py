"""Which faults a page gets, and how severe."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache

from schemas.draws import Dealer
from schemas.recipe import FAULTS, Content
from schemas.sample import SampleSpec
from synth.degrade.scenes import family_of

STAGE_VERSION = 1


def fault_weights(content: Content) -> dict[str, float]:
    """The recipe's faults, `none` among them, in the order in which they act."""
    given = content.degradation.faults
    return {name: given[name] for name in (*FAULTS, "none") if given.get(name, 0) > 0}


@lru_cache(maxsize=256)
def _dealer(weights: tuple[float, ...]) -> Dealer:
    return Dealer(weights)


def _place(spec: SampleSpec, dealer: Dealer, number: int, *names: str) -> int:
    """The `number`-th place of a deal that starts elsewhere for each cell and each of `names`."""
    key = json.dumps([spec.seed, spec.dataset, spec.split, spec.type, spec.language, *names]).encode()
    return number + int.from_bytes(hashlib.sha256(key).digest()[:4], "big") % len(dealer.order)


def faults_for(spec: SampleSpec, content: Content) -> tuple[tuple[str, float], ...]:
    """Names and severities of the faults of a sample's pages, in the order in which they act; a new try keeps them.

    Faults are dealt within each scene family, severities within each fault, so that every combination comes as often
    as its weights say. With a target instead of a severity, the severity given here is 5: the most that may be used.
    """
    weights = fault_weights(content)
    if not weights:
        return ()
    family, number = family_of(spec, content)
    dealer = _dealer(tuple(weights.values()))
    names, chosen = list(weights), dict[str, float]()
    first = _place(spec, dealer, number * content.degradation.faults_per_page, "faults", family)
    for place in range(first, first + content.degradation.faults_per_page):
        name = names[dealer.kind(place)]
        while name in chosen and name != "none":  # two of a kind in one page's hand: the next kind instead
            name = names[(names.index(name) + 1) % len(names)]
        if name == "none":
            continue
        chosen[name] = _severity(spec, content, name, family, dealer.number(place))
    return tuple((name, chosen[name]) for name in FAULTS if name in chosen)


def _severity(spec: SampleSpec, content: Content, name: str, family: str, number: int) -> float:
    mix = {severity: weight for severity, weight in sorted(content.degradation.severities.items()) if weight > 0}
    dealer = _dealer(tuple(mix.values()))
    return list(mix)[dealer.kind(_place(spec, dealer, number, "severity", family, name))]
