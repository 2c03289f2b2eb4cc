"""Augraphy's default pipeline over one page, again and again; prints the seconds of each, and how many failed, as JSON.

Run by benchmarks.rivals: age.py PAGE.png COUNT SECONDS
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import json
import random
import sys
import time

import cv2
import matplotlib.font_manager  # noqa: F401  Augraphy uses it without importing it
import numpy as np
from augraphy import default_augraphy_pipeline


def main(page: str, count: int, limit: float) -> None:
    random.seed(0)
    np.random.seed(0)
    image = cv2.imread(page)
    pipeline = default_augraphy_pipeline()
    seconds: list[float] = []
    failed = 0
    began = time.perf_counter()
    while len(seconds) < count and time.perf_counter() - began < limit:
        start = time.perf_counter()
        try:
            cv2.imencode(".jpg", pipeline(image), [cv2.IMWRITE_JPEG_QUALITY, 90])
        except (IndexError, ValueError, TypeError):  # some of its draws do not go together
            failed += 1
            continue
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": seconds, "failed": failed}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
