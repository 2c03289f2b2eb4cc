from __future__ import annotations

from collections.abc import Iterator

import pytest

from synth.render.chromium import Chromium
from synth.render.fonts import font_set


@pytest.fixture(scope="package")
def chromium() -> Iterator[Chromium]:
    with Chromium(font_set(["en", "zh", "bn"])) as browser:
        yield browser
