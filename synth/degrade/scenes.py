"""Which scenes a recipe needs, and which scene a page is taken through."""

from __future__ import annotations

import hashlib
import json
import math
import random
from dataclasses import asdict, dataclass, field
from functools import lru_cache

from schemas.draws import Dealer, deal_item
from schemas.recipe import PAPERS, SCENE_FAMILIES, Content
from schemas.sample import SampleSpec
from synth.degrade.families import FAMILIES

CODE_VERSION = 2
"""Raise when the bake of all families changes: the scenes' ids, and so the lock, change with it. What changes one
family only raises its `revision`."""

SHEET_BUCKETS = (1.0, 1.2, 1.414)
ROLL_BUCKETS = (1.75, 2.35, 3.15, 4.2, 5.6)
ROLL_TYPES = ("receipt",)
SHEET_WIDTH_MM, ROLL_WIDTH_MM = 210.0, 80.0


@dataclass(frozen=True)
class SceneSpec:
    """One scene before it is baked. `aspect`: height over width of the sheet; `params`: in the units of families.py."""

    id: str
    family: str
    split: str
    variant: int
    aspect: float
    seed: int
    params: dict[str, float] = field(hash=False)
    code: int = CODE_VERSION

    @property
    def width_mm(self) -> float:
        return SHEET_WIDTH_MM if self.aspect < 1.6 else ROLL_WIDTH_MM

    @property
    def height_mm(self) -> float:
        return self.width_mm * self.aspect

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


def nearest(aspect: float, buckets: tuple[float, ...]) -> float:
    """Bucket whose ratio to `aspect` is nearest to one; the smaller of two that are equally near."""
    return min(buckets, key=lambda b: (abs(math.log(aspect / b)), b))


def buckets_of(content: Content) -> tuple[float, ...]:
    """Aspects (height over width) to bake: those of the recipe's paper, and rolls where a type is printed on rolls."""
    papers = [PAPERS[name] for name, weight in content.page_sizes.items() if weight > 0]
    chosen = {nearest(p.height_mm / p.width_mm, SHEET_BUCKETS) for p in papers if p.height_mm}
    if any(content.types.get(kind, 0) > 0 for kind in ROLL_TYPES):
        chosen.update(ROLL_BUCKETS)
    return tuple(sorted(chosen))


@lru_cache(maxsize=4096)
def scene_spec(seed: int, dataset: str, split: str, family: str, variant: int, aspect: float) -> SceneSpec:
    """The one scene of these names. Splits share none, since the split is part of the seed."""
    code = CODE_VERSION + FAMILIES[family].revision
    key = json.dumps([seed, dataset, "scene", code, split, family, variant, aspect]).encode()
    number = int.from_bytes(hashlib.sha256(key).digest()[:8], "big")
    width = SHEET_WIDTH_MM if aspect < 1.6 else ROLL_WIDTH_MM
    params = FAMILIES[family].draw(random.Random(number), width, width * aspect)
    name = f"{family}-{split}-{variant:03d}-{round(aspect * 100):03d}-{number:016x}"
    return SceneSpec(name, family, split, variant, aspect, number % (1 << 31), params, code)


def _weights(content: Content) -> dict[str, float]:
    given = content.degradation.scenes
    return {name: given[name] for name in (*SCENE_FAMILIES, "none") if given.get(name, 0) > 0}


def plan_scenes(content: Content) -> list[SceneSpec]:
    """Every scene that a run of this recipe may ask for: families x splits x variants x aspect buckets."""
    return [
        scene_spec(content.seed, content.dataset, split, family, variant, aspect)
        for family in _weights(content)
        if family != "none"
        for split in content.splits
        for variant in range(content.degradation.per_split)
        for aspect in buckets_of(content)
    ]


@lru_cache(maxsize=64)
def _dealer(weights: tuple[float, ...]) -> Dealer:
    return Dealer(weights)


def family_of(spec: SampleSpec, content: Content) -> tuple[str, int]:
    """Scene family of a sample, or "none", and how many samples of its cell had it before.

    Dealt by the sample's number in its cell, so a try that is drawn again keeps it; cells start at different places.
    """
    weights = _weights(content)
    start = hashlib.sha256(
        json.dumps([spec.seed, spec.dataset, spec.split, spec.type, spec.language]).encode()
    ).digest()
    dealer = _dealer(tuple(weights.values()))
    place = spec.cell_number + int.from_bytes(start[:4], "big") % len(dealer.order)
    return list(weights)[dealer.kind(place)], dealer.number(place)


def scene_for(spec: SampleSpec, aspect: float, content: Content, page: int = 0) -> str:
    """Scene id for one page of a sample, or "none" for a clean raster.

    The variant changes with the try and the page. `aspect` is height over width.
    """
    family, before = family_of(spec, content)
    if family == "none":
        return "none"
    number = before + spec.attempt + page
    variant = deal_item(range(content.degradation.per_split), number, spec.seed)
    bucket = nearest(aspect, buckets_of(content))
    return scene_spec(content.seed, content.dataset, spec.split, family, variant, bucket).id
