"""Fixtures that several rooms share. Keep it small: what one room needs belongs beside its tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.fixtures import swift as swift_fixture
from tests.fixtures.s3 import S3Server, moto_server

# How fast a machine draws examples says nothing of the code.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.fixture(scope="session")
def moto() -> Iterator[S3Server]:
    """A quick S3 server inside this process; keeps all in memory."""
    with moto_server() as server:
        yield server


@pytest.fixture(scope="session")
def swift(tmp_path_factory: pytest.TempPathFactory) -> Iterator[swift_fixture.SwiftServer]:
    """A real S3 server on loopback; `swift.s3.use(monkeypatch)` points the usual environment at it."""
    if not swift_fixture.installed():
        pytest.skip("no Swift here: run `make .venv-swift` (make test does)")
    with swift_fixture.swift_server(tmp_path_factory.mktemp("swift")) as server:
        yield server
