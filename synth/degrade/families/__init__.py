"""Scene families: one module each, one entry here. Their names are also in `schemas.recipe.SCENE_FAMILIES`."""

from __future__ import annotations

from synth.degrade.families import flat_scan, one_crease, soft_curl
from synth.degrade.families.base import Family, Params, Prop

__all__ = ["FAMILIES", "Family", "Params", "Prop"]

FAMILIES: dict[str, Family] = {
    "flat_scan": flat_scan.FAMILY,
    "soft_curl": soft_curl.FAMILY,
    "one_crease": one_crease.FAMILY,
}
