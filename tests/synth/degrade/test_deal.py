from __future__ import annotations

from collections import Counter

import pytest

from schemas.recipe import Content
from synth.degrade.deal import faults_for
from synth.degrade.scenes import family_of
from tests.synth.degrade.pages import content, spec


def recipe(**degradation: object) -> Content:
    return content(degradation={"scenes": {"flat_scan": 1, "soft_curl": 1}, **degradation})


def test_counts_are_exact_within_every_scene_family() -> None:
    given = recipe(faults={"stamp": 1, "fax": 2, "none": 1}, severity={1: 1, 4: 1})
    dealt = Counter((family_of(spec(n), given)[0], faults_for(spec(n), given)) for n in range(160))
    by_name = Counter({(family, found[0][0] if found else "none"): 0 for family, found in dealt})
    for (family, found), count in dealt.items():
        by_name[family, found[0][0] if found else "none"] += count
    assert by_name == {
        ("flat_scan", "stamp"): 20,
        ("flat_scan", "fax"): 40,
        ("flat_scan", "none"): 20,
        ("soft_curl", "stamp"): 20,
        ("soft_curl", "fax"): 40,
        ("soft_curl", "none"): 20,
    }
    severities = Counter(severity for (_, found), count in dealt.items() for _, severity in found * count)
    assert severities == {1.0: 60, 4.0: 60}


def test_a_new_try_keeps_its_faults() -> None:
    given = recipe(faults=["stamp", "fax", "moire"], severity={0: 1, 5: 1})
    for n in range(12):
        assert faults_for(spec(n), given) == faults_for(spec(n, attempt=3), given)


def test_several_faults_are_different_ones_in_the_order_of_nature() -> None:
    given = recipe(faults={"jpeg_loss": 5, "stamp": 1, "faded_ink": 1}, faults_per_page=3)
    for n in range(20):
        assert [name for name, _ in faults_for(spec(n), given)] == ["faded_ink", "stamp", "jpeg_loss"]


def test_no_faults_no_deal() -> None:
    assert faults_for(spec(), recipe()) == ()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"faults": ["motion"]}, "did you mean motion_blur"),
        ({"faults": ["graffiti"]}, "unknown fault 'graffiti'; known: ink_colour, halftone"),
        ({"faults": ["fax"], "severity": 6}, "less than or equal to 5"),
        ({"faults": ["fax"], "severity": True}, "not true or false"),
        ({"faults": ["fax"], "severity": {}}, "at least 1"),
        ({"faults": ["fax"], "severity": 2, "target_cer": 0.1}, "not both"),
        ({"faults": ["fax"], "faults_per_page": 2}, "only 1 faults are named"),
        ({"faults": {"fax": 0}}, "not all 0"),
    ],
)
def test_what_a_recipe_may_not_say(given: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        recipe(**given)


@pytest.mark.parametrize(
    ("legibility", "said"),
    [({"share": 0.5}, "share must be 1"), ({"max_cer": 0.04}, "target_cer is 0.05, .* over 0.04")],
)
def test_a_target_needs_every_document_read_and_a_gate_above_it(legibility: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        content(degradation={"faults": ["fax"], "target_cer": 0.05}, legibility=legibility)
