"""All faults by name, in the order in which they act on one page."""

from __future__ import annotations

from schemas.recipe import FAULTS as NAMES
from synth.degrade.faults.behind import BLEED
from synth.degrade.faults.bends import ELASTIC, PERSPECTIVE
from synth.degrade.faults.blur import DEFOCUS, GAUSS, MOTION
from synth.degrade.faults.codecs import JPEG, WEBP
from synth.degrade.faults.contract import Fault
from synth.degrade.faults.ink import BROKEN, COLOUR, FADED
from synth.degrade.faults.machine import BANDS, SPECKLE, STREAKS
from synth.degrade.faults.objects import BARS, NOTES_ON
from synth.degrade.faults.punches import HOLES
from synth.degrade.faults.screens import FAX, HALFTONE, MOIRE
from synth.degrade.faults.stamps import STAMPS

_ALL: tuple[Fault, ...] = (
    *(COLOUR, HALFTONE, FADED, BROKEN, STREAKS, BANDS, SPECKLE),
    *(BLEED, BARS, STAMPS, NOTES_ON, HOLES),
    *(ELASTIC, PERSPECTIVE),
    *(DEFOCUS, MOTION, GAUSS),
    *(MOIRE, FAX),
    *(JPEG, WEBP),
)
FAULTS: dict[str, Fault] = {fault.name: fault for fault in _ALL}

assert set(FAULTS) == set(NAMES)  # what a recipe may name
