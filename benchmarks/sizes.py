"""How much each size of the benchmark does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """Documents of each part. `whole` and `checked`: the whole way without and with the OCR check."""

    stages: int
    read: int
    whole: int
    checked: int
    overhead: int
    synthtiger: int
    augraphy: int


SIZES = {
    "quick": Size(stages=12, read=6, whole=24, checked=12, overhead=12, synthtiger=4, augraphy=2),
    "default": Size(stages=24, read=6, whole=144, checked=12, overhead=96, synthtiger=20, augraphy=6),
    "full": Size(stages=240, read=60, whole=600, checked=120, overhead=240, synthtiger=100, augraphy=40),
}
