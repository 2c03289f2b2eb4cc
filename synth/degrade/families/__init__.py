"""Scene families: one module each, one entry here. Their names are also in `schemas.recipe.SCENE_FAMILIES`."""

from __future__ import annotations

from synth.degrade.families import (
    book_curl,
    cast_shadow,
    crumple,
    desk_perspective,
    dog_ear,
    flat_scan,
    lens_distortion,
    letter_fold,
    low_light,
    one_crease,
    shallow_focus,
    soft_curl,
    stapled_stack,
    three_creases,
    two_creases,
    window_light,
)
from synth.degrade.families.base import Family, Params, Prop

__all__ = ["FAMILIES", "Family", "Params", "Prop"]

FAMILIES: dict[str, Family] = {
    "flat_scan": flat_scan.FAMILY,
    "soft_curl": soft_curl.FAMILY,
    "one_crease": one_crease.FAMILY,
    "two_creases": two_creases.FAMILY,
    "three_creases": three_creases.FAMILY,
    "letter_fold": letter_fold.FAMILY,
    "crumple": crumple.FAMILY,
    "dog_ear": dog_ear.FAMILY,
    "book_curl": book_curl.FAMILY,
    "stapled_stack": stapled_stack.FAMILY,
    "desk_perspective": desk_perspective.FAMILY,
    "cast_shadow": cast_shadow.FAMILY,
    "window_light": window_light.FAMILY,
    "low_light": low_light.FAMILY,
    "lens_distortion": lens_distortion.FAMILY,
    "shallow_focus": shallow_focus.FAMILY,
}
