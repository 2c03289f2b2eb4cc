"""The shared release, sealed once, and its exports, each made when a test first asks for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.store import open_store
from jobs.export_read import Selection
from jobs.export_run import export
from tests.jobs.export_release import Rows, sealed_release, tables

Exported = Callable[[str], Path]


@pytest.fixture(scope="session")
def rows() -> Rows:
    """All tables of the release."""
    return tables()


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """Folder of the whole release in a format."""
    base = tmp_path_factory.mktemp("export")
    release = open_store(sealed_release(base / "release"))
    made: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in made:
            export(release, name, str(base / name), Selection())
            made[name] = base / name
        return made[name]

    return folder


@pytest.fixture(scope="session")
def by_page(rows: Rows) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Rows of words, lines, layout, cells and kie by page id."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for name in ("words", "lines", "layout", "cells", "kie"):
        for page in rows["pages"]:
            found.setdefault(page["page_id"], {})[name] = [r for r in rows[name] if r["page_id"] == page["page_id"]]
    return found
