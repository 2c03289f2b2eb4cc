"""What holds for every fault: amounts, shapes, seeds, and the same bytes on every CPU."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from schemas.recipe import FAULTS as NAMES
from synth.degrade.compose import expose
from synth.degrade.faults.contract import Bend, Fault, Lay, Setting
from synth.degrade.faults.registry import FAULTS
from synth.degrade.mapping import PageMap
from synth.degrade.warp import bent, flat
from tests.synth.degrade.faults.sheets import COLUMNS, ROWS, page, setting
from tests.synth.degrade.test_camera import OLD_CPU

ROOT = Path(__file__).parents[4]


def applied(fault: Fault, amount: float, given: Setting) -> np.ndarray:
    """The test page with a fault of any form."""
    image, _ = page()
    if isinstance(fault, Lay):
        return fault.lay(image, amount, given)[0]
    if isinstance(fault, Bend):
        size = (COLUMNS * given.mm, ROWS * given.mm)
        return expose(image, PageMap.of(bent(flat(*size), [(fault, amount, given)], size), COLUMNS, ROWS))
    return fault.apply(image, amount, given)


def digests() -> list[str]:
    """A digest of every fault at three amounts; what another CPU must find too."""
    _, lines = page()
    return [
        f"{name} {amount} {hashlib.sha256(applied(fault, amount, setting(lines)).tobytes()).hexdigest()}"
        for name, fault in FAULTS.items()
        for amount in (0.07, 0.5, 1.0)
    ]


def test_every_name_of_the_recipe_is_a_fault_and_they_act_in_the_order_of_nature() -> None:
    assert tuple(FAULTS) == NAMES
    stages = [fault.stage for fault in FAULTS.values()]
    assert stages == sorted(stages)
    assert all(name == fault.name and fault.about for name, fault in FAULTS.items())


@pytest.mark.parametrize("name", NAMES)
def test_more_of_a_fault_changes_more(name: str) -> None:
    image, lines = page()
    before = image.copy()
    changes = []
    for amount in (0.02, 0.3, 0.6, 1.0):
        out = applied(FAULTS[name], amount, setting(lines))
        assert out.shape == image.shape
        assert out.dtype == np.uint8
        changes.append(float(np.abs(out.astype(int) - image.astype(int)).mean()))
    assert (image == before).all()  # the given page is left as it is
    assert changes[-1] > 1.5 * changes[0]
    assert changes[-1] > 0.5


@pytest.mark.parametrize("name", ["redaction", "stamp", "sticky_note", "hole_punch"])
def test_more_of_an_object_leaves_those_that_lie_there(name: str) -> None:
    """So that the dial of one page never uncovers what it had covered."""
    image, lines = page()
    fault = FAULTS[name]
    assert isinstance(fault, Lay)
    found = [fault.lay(image, amount, setting(lines))[1] for amount in (0.3, 0.7, 1.0)]
    centres = [[np.array(thing.quad).mean(0).round(6).tolist() for thing in things] for things in found]
    assert len(centres[0]) < len(centres[1]) < len(centres[2])
    for few, more in pairwise(centres):
        assert all(centre in more for centre in few)


@pytest.mark.parametrize("name", NAMES)
def test_draws_depend_on_the_seed_alone(name: str) -> None:
    _, lines = page()
    first, again = (applied(FAULTS[name], 0.5, setting(lines)) for _ in range(2))
    assert (first == again).all()
    if name not in ("defocus", "gaussian_blur", "jpeg_loss", "webp_loss"):  # these draw nothing
        others = [applied(FAULTS[name], 0.5, setting(lines, seed)) for seed in (2, 3, 4)]
        assert any((first != other).any() for other in others)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(8, 8), (9, 400)])
def test_pages_of_odd_shapes(name: str, shape: tuple[int, int]) -> None:
    image = np.full((*shape, 3), 255, np.uint8)
    fault, given = FAULTS[name], Setting(setting(()).rng, 300)
    if isinstance(fault, Lay):
        out = fault.lay(image, 1.0, given)[0]
    elif isinstance(fault, Bend):
        size = (shape[1] * given.mm, shape[0] * given.mm)
        out = expose(image, PageMap.of(bent(flat(*size), [(fault, 1.0, given)], size), shape[1], shape[0]))
    else:
        out = fault.apply(image, 1.0, given)
    assert out.shape == image.shape


def test_an_older_cpu_and_another_process_give_the_same_bytes() -> None:
    ask = "from tests.synth.degrade.faults.test_registry import digests; print('\\n'.join(digests()))"
    command = [sys.executable, "-W", "ignore", "-c", ask]
    done = subprocess.run(command, env=os.environ | OLD_CPU, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:-1] == digests()
