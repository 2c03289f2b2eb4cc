"""What a scene family is: draws, the shape of its sheet, and what else stands in the scene.

Lengths are millimetres; the sheet lies in the plane z = 0 with its centre at the origin, x to the right, y up, z to the
camera. `u` runs from 0 to 1 along the width, `v` from 0 to 1 from the top edge to the bottom edge. Both run beyond
0..1 when the map is baked: a shape goes on smoothly there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Params = dict[str, float]
Grid = np.ndarray
Points = tuple[Grid, Grid, Grid]
Shape = Callable[[Params, float, float, Grid, Grid], Points]
"""Sheet points of u, v (arrays of one shape) to x, y, z in mm; given parameters, width and height of the sheet."""


@dataclass(frozen=True)
class Prop:
    """Something in the scene besides the printed sheet: a smooth grid of points, rows x columns x 3, mm.

    `seen`: "beside" is seen where the sheet is not, "over" hides part of the sheet, "shadow" is outside the picture and
    only throws its shadow. `colour`: linear albedo, RGB.
    """

    points: Grid
    colour: tuple[float, float, float]
    seen: Literal["beside", "over", "shadow"]


def no_props(_params: Params, _width: float, _height: float) -> Sequence[Prop]:
    return ()


@dataclass(frozen=True)
class Family:
    """One family. `draw`: named parameters of one scene; `shape`: the front of the sheet, as a smooth function.

    `folded`: the true sheet where a part of it is turned over and lies on the front (a dog-ear): what is turned away
    stays in `shape`, where the map needs it, and is hidden by the bake's cover. `fine`: light changes within a
    millimetre or two and is baked at every cell. `bound`: the sheet ends against something at one of its sides.
    `perspective`: a camera above, else a scanner's straight view. `revision`: raised when this family's draws, shape or
    looks change, so that its scenes alone are baked anew.
    """

    draw: Callable[[random.Random, float, float], Params]
    shape: Shape
    perspective: bool = True
    fine: bool = False
    bound: bool = False
    folded: Shape | None = None
    props: Callable[[Params, float, float], Sequence[Prop]] = no_props
    revision: int = 0
