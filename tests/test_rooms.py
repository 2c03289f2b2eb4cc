"""The house: which room may import which, how long a file may be, and what no tracked file may say."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = {
    "schemas": {"schemas"},
    "synth": {"schemas", "synth"},
    "actors": {"schemas", "synth", "actors"},
    "engine": {"schemas", "actors", "engine"},
    "jobs": {"schemas", "synth", "actors", "engine", "jobs"},
}
OURS = {*ROOMS, "tests", "benchmarks"}
WITHOUT_RAY = {"schemas", "synth"}
LONGEST = 400
# Written in pieces, so that this file does not break its own rule.
FORBIDDEN = {
    "a package registry": "|".join(
        ["pypi" + r"\.org", "files.python" + "hosted", "registry" + r"\.npmjs", "/opt/" + "pypi"]
    ),
    "a path of one machine": r"(?<![\w.])/(?:" + "|".join(["work", "root", "farm"]) + r")/[\w.]",
    "a key": r"AKIA[0-9A-Z]{16}",
}


def _tracked(*patterns: str) -> list[Path]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listing.split("\0") if name and (ROOT / name).is_file()]


def _imports(room: str, text: str) -> list[tuple[int, str]]:
    """Top-level name and line of every import, also those inside functions and those by name at run time."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name.split(".")[0]) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            name = (node.module or "").split(".")[0] if not node.level else room
            found.append((node.lineno, name))
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = ast.unparse(node.func)
            if called in ("import_module", "importlib.import_module", "__import__"):
                found.append((node.lineno, str(node.args[0].value).split(".")[0]))
    return found


def _broken(room: str, text: str) -> list[str]:
    return [
        f"line {line} imports {name}"
        for line, name in _imports(room, text)
        if (name in OURS and name not in ROOMS[room]) or (name == "ray" and room in WITHOUT_RAY)
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_only_what_they_may(room: str) -> None:
    files = _tracked(f"{room}/*.py")
    assert files
    broken = {path.relative_to(ROOT): _broken(room, path.read_text(encoding="utf-8")) for path in files}
    assert {path: bad for path, bad in broken.items() if bad} == {}


@pytest.mark.parametrize(
    ("room", "text", "breaks"),
    [
        ("schemas", "def f():\n    from synth import truth", True),
        ("synth", "import ray.util", True),
        ("synth", "import importlib\nimportlib.import_module('engine.pool')", True),
        ("actors", "from engine.pool import Pool", True),
        ("engine", "from synth.truth import labels", True),
        ("engine", "import ray\nfrom actors import host\nfrom schemas.errors import UserError", False),
        ("jobs", "from synth import content\nimport tests", True),
        ("synth", "from . import render\nimport rayon", False),
    ],
)
def test_the_rule_itself(room: str, text: str, breaks: bool) -> None:
    assert bool(_broken(room, text)) is breaks


def test_no_python_file_is_too_long() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in _tracked("*.py")}
    assert {str(p.relative_to(ROOT)): n for p, n in lengths.items() if n > LONGEST} == {}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_tracked_file_names(what: str) -> None:
    pattern = re.compile(FORBIDDEN[what])
    found = []
    for path in _tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in pattern.finditer(text)]
    assert found == []


def test_every_import_is_a_declared_dependency() -> None:
    """What the rooms import comes with the package itself, not by luck through another package."""
    from importlib.metadata import packages_distributions

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for name, lines in project["optional-dependencies"].items() if name != "dev" for line in lines]
    declared = {
        re.split(r"[\[<>=!; ]", line, maxsplit=1)[0].lower().replace("_", "-")
        for line in [*project["dependencies"], *extras]
    }
    # botocore is half of boto3, which pins it; yaml and others are named differently from their package.
    declared |= {"botocore"}
    owners = packages_distributions()
    missing: dict[str, str] = {}
    for room, path in [(name, path) for name in ROOMS for path in _tracked(f"{name}/*.py")]:
        for _, name in _imports(room, path.read_text(encoding="utf-8")):
            packages = {p.lower().replace("_", "-") for p in owners.get(name, [])}
            if name not in OURS and packages and not packages & declared:
                missing[name] = str(path.relative_to(ROOT))
    assert missing == {}


def test_debian_packages_of_all_allowed_fonts_are_installed_by_make() -> None:
    from synth.render.font_list import ALLOWED

    listed = set((ROOT / "debian-packages.txt").read_text().split())
    assert {font.package for font in ALLOWED} - listed == set()


def test_the_image_installs_the_same_debian_packages() -> None:
    assert "debian-packages.txt" in (ROOT / "Dockerfile").read_text()
    assert "debian-packages.txt" in (ROOT / "Makefile").read_text()
