"""One local Ray for the engine's tests."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
import ray


@pytest.fixture
def local_ray() -> Iterator[None]:
    """A Ray that other tests may have ended in between is started again."""
    if not ray.is_initialized():
        ray.init(address="local", num_cpus=8, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    yield


@pytest.fixture(scope="session", autouse=True)
def ray_ends() -> Iterator[None]:
    yield
    ray.shutdown()
