"""How much each size of the benchmark does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """Documents of each part. `whole` and `checked`: the whole way without and with the OCR check. `camera_width`: of
    the page, in pixels; `likeness`: scenes of each family that are held against renders of 128 samples, in windows."""

    stages: int
    read: int
    whole: int
    checked: int
    overhead: int
    synthtiger: int
    augraphy: int
    camera_width: int
    camera_pages: int
    likeness: int


SIZES = {
    "quick": Size(
        stages=12,
        read=6,
        whole=24,
        checked=12,
        overhead=12,
        synthtiger=4,
        augraphy=2,
        camera_width=620,
        camera_pages=5,
        likeness=0,
    ),
    "default": Size(
        stages=24,
        read=6,
        whole=144,
        checked=12,
        overhead=96,
        synthtiger=20,
        augraphy=6,
        camera_width=1240,
        camera_pages=20,
        likeness=0,
    ),
    "full": Size(
        stages=240,
        read=60,
        whole=600,
        checked=120,
        overhead=240,
        synthtiger=100,
        augraphy=40,
        camera_width=1240,
        camera_pages=50,
        likeness=3,
    ),
}
