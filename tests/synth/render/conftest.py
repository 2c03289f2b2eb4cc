from __future__ import annotations

from collections.abc import Iterator

import pytest

from synth.render.chromium import Chromium
from synth.render.fonts import FontSet, font_set


@pytest.fixture(scope="session")
def fonts() -> FontSet:
    return font_set(["en", "zh", "bn"])


@pytest.fixture(scope="session")
def chromium(fonts: FontSet) -> Iterator[Chromium]:
    with Chromium(fonts) as browser:
        yield browser
