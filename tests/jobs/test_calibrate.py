from __future__ import annotations

from pathlib import Path

import pytest

from jobs.calibrate import calibrate_faults, equivalent
from schemas.errors import UserError
from schemas.recipe import FAULTS
from synth.degrade.measure.trial import Trial
from synth.degrade.severity import BY_ENGINE, SCRIPTS, file_bytes, read


def test_rates_of_scripts_that_nobody_reads_are_those_of_lines_with_the_same_loss() -> None:
    one = Trial((0, 0.5, 1), ((0.02, 0.02, 0.42),) * 3, ((0.0, 0.1, 0.5),) * 3)
    other = Trial((0, 1), ((0.0, 0.2),) * 3, ((0.0, 0.3),) * 3)
    found = equivalent([[0.0, 0.1, 0.2, 0.3, 0.4, 0.9]] * 3, [one, other])
    assert found[0] == pytest.approx([0, 0, 0.1, 0.2, 0.3, 0.4])
    assert found[0] == found[2]


def test_an_unknown_fault_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"--only: unknown fault 'graffiti' -> known: ink_colour"):
        calibrate_faults(tmp_path / "c.json", ["graffiti"])
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_one_fault_is_measured_and_the_others_are_kept(tmp_path: Path) -> None:
    out = tmp_path / "c.json"
    calibrate_faults(out, ["gaussian_blur"], lines=2, workers=1)
    made, before = read(out.read_bytes()), read(file_bytes())
    assert set(made.curves) == {(fault, script) for fault in FAULTS for script in SCRIPTS.values()}
    assert made.curves["fax", "Latin"] == before.curves["fax", "Latin"]
    for script in SCRIPTS.values():
        curve = made.curves["gaussian_blur", script]
        # Strokes of a line that nobody can read any more are still about where they were.
        assert curve.added(16, 1.0) > (0.4 if made.measures[script] == BY_ENGINE else 0.05)
        assert curve.added(22, 0.01) < 0.02
