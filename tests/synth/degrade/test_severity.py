from __future__ import annotations

import json
from itertools import pairwise

import pytest

from schemas.errors import UserError
from schemas.recipe import FAULTS
from synth.degrade import severity
from synth.degrade.severity import (
    LEVELS,
    SCRIPTS,
    Curve,
    Dial,
    added_at,
    check_faults,
    dial,
    file_bytes,
    fit,
    read,
    severity_at,
)
from tests.synth.degrade.pages import content

SIZES = [(20.0, 100.0), (30.0, 20.0)]


def made(faults: dict[str, list[list[float]]], base: float = 0.01) -> Dial:
    """A calibration of three sizes at amounts 0, 1/4, 1/2 and 1; rates with the base in them."""
    held = {name: {"amounts": [0, 0.25, 0.5, 1], "rates": rates} for name, rates in faults.items()}
    script = {"measure": "cer", "base": [base] * 3, "faults": held}
    return read(json.dumps({"format": 1, "sizes": [16, 22, 32], "scripts": {"Latin": script}}).encode())


def rising(top: float) -> list[list[float]]:
    return [[0.01, 0.01, 0.01 + top / 2, 0.01 + top]] * 3


def test_levels_and_back() -> None:
    assert [added_at(s) for s in range(6)] == list(LEVELS)
    assert added_at(2.5) == pytest.approx(0.0375)
    for at in (0, 0.3, 1, 2.5, 4.9, 5):
        assert severity_at(added_at(at)) == pytest.approx(at)
    assert severity_at(0.7) == 5


def test_fit_is_the_nearest_row_that_never_falls() -> None:
    assert fit([0, 0.1, 0.2]) == (0, 0.1, 0.2)
    assert fit([0, 0.3, 0.1, 0.2]) == pytest.approx((0, 0.2, 0.2, 0.2))
    assert fit([0.5, -0.2, 0.1]) == (0, 0, 0.1)


def test_rates_between_sizes_and_amounts() -> None:
    curve = Curve((10.0, 40.0), (0.0, 1.0), ((0.0, 0.4), (0.0, 0.2)))
    assert curve.added(10, 0.5) == pytest.approx(0.2)
    assert curve.added(20, 0.5) == pytest.approx(0.15)  # half way in proportions
    assert curve.added(4, 1) == curve.added(10, 1)
    assert curve.added(99, 1) == curve.added(40, 1)
    assert curve.page([(10, 3), (40, 1)], 1.0) == pytest.approx(0.35, abs=1e-4)


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.2])
def test_the_amount_adds_the_rate_that_was_asked_for(rate: float) -> None:
    known = made({"fax": rising(0.5)})
    curve = known.curve("fax", "en")
    assert curve.page(SIZES, curve.inverse(SIZES, rate)) == pytest.approx(rate, abs=1e-4)
    applied = known.by_severity("fax", "en", SIZES, severity_at(rate))
    assert curve.page(SIZES, applied.amount) == pytest.approx(rate, abs=1e-4)


def test_a_fault_that_cannot_do_much_uses_all_of_its_dial() -> None:
    known = made({"hole_punch": rising(0.04)})
    curve = known.curve("hole_punch", "en")
    rates = [curve.page(SIZES, known.by_severity("hole_punch", "en", SIZES, s).amount) for s in range(6)]
    assert rates == pytest.approx([0, 0.002, 0.005, 0.01, 0.02, 0.04], abs=1e-4)


def test_a_target_counts_what_a_clean_page_has_and_is_shared() -> None:
    known = made({"fax": rising(0.5)}, base=0.01)
    curve = known.curve("fax", "en")
    alone = known.by_target("fax", "en", SIZES, 0.05, 1)
    assert curve.page(SIZES, alone.amount) == pytest.approx(0.04, abs=1e-4)
    shared = known.by_target("fax", "en", SIZES, 0.05, 2)
    assert curve.page(SIZES, shared.amount) == pytest.approx(0.02, abs=1e-4)
    assert curve.page(SIZES, known.by_target("fax", "en", SIZES, 0.005, 1).amount) == 0


def test_a_turn_of_the_dial_goes_from_nothing_over_the_calibrated_amount_to_all() -> None:
    known = made({"fax": rising(0.5)}, base=0.01)
    amounts = [known.by_target("fax", "en", SIZES, 0.05, 1, turn).amount for turn in (0, 0.5, 1, 1.5, 2)]
    assert amounts == pytest.approx([0, amounts[2] / 2, amounts[2], (amounts[2] + 1) / 2, 1])
    assert 0 < amounts[2] < 1
    assert known.by_target("fax", "en", SIZES, 0.05, 1, 0).severity == 0


def test_the_shipped_calibration_has_every_fault_and_script_and_its_dial_rises() -> None:
    known = dial()
    assert set(known.curves) == {(fault, script) for fault in FAULTS for script in SCRIPTS.values()}
    assert {script for script, measure in known.measures.items() if measure == "stroke_loss"} == {
        "Balinese",
        "Grantha",
        "Sundanese",
    }
    for language in SCRIPTS:
        for fault in FAULTS:
            amounts = [known.by_severity(fault, language, SIZES, s / 2).amount for s in range(11)]
            assert amounts[0] == 0
            assert all(a < b for a, b in pairwise(amounts)), (fault, language, amounts)
            rates = [known.curve(fault, language).page(SIZES, amount) for amount in amounts]
            assert all(a < b for a, b in pairwise(rates))


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"format": 2}', file_bytes()[:-40]])
def test_a_broken_file_is_said_to_be_one(data: bytes) -> None:
    with pytest.raises(UserError, match=r"not a calibration .*pageloom calibrate"):
        read(data)


def test_what_the_calibration_cannot_give_is_refused_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(severity, "dial", lambda: made({"fax": rising(0.5), "hole_punch": rising(0.03)}))
    check_faults(content())
    check_faults(content(degradation={"faults": ["fax", "hole_punch"], "severity": 5}))
    check_faults(content(degradation={"faults": ["fax"], "target_cer": 0.05}))
    with pytest.raises(UserError, match=r"hole_punch brings en to an error rate of 0.040 at most, the target is 0.05"):
        check_faults(content(degradation={"faults": ["hole_punch"], "target_cer": 0.05}))
    with pytest.raises(UserError, match="knows no moire for Latin"):
        check_faults(content(degradation={"faults": ["moire"], "severity": 5}))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("language", ["ban", "sa-Gran", "su"])
def test_a_script_that_nobody_reads_has_no_more_than_one_that_is_read(fault: str, language: str) -> None:
    """Strokes of a blurred line stay where they were: the stand-in alone would blur a palm leaf beyond anything."""
    steps = (0, 0.5, 1, 2, 3, 4, 5)
    own = [dial().by_severity(fault, language, SIZES, s).amount for s in steps]
    read = [max(dial().by_severity(fault, other, SIZES, s).amount for other in ("en", "zh", "bn")) for s in steps]
    assert all(low <= high for low, high in pairwise(own))
    assert all(amount <= most for amount, most in zip(own, read, strict=True))
    assert own[-1] > own[2] > 0
