"""Augraphy's default pipeline over one page, again and again; prints the seconds of each as JSON.

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
    began = time.perf_counter()
    while len(seconds) < count and time.perf_counter() - began < limit:
        start = time.perf_counter()
        cv2.imencode(".jpg", pipeline(image), [cv2.IMWRITE_JPEG_QUALITY, 90])
        seconds.append(time.perf_counter() - start)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
