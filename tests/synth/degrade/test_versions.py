from __future__ import annotations

import ast
from pathlib import Path

import synth.degrade
from synth.degrade.versions import BAKES, baking_code

HERE = Path(synth.degrade.__file__).parent
OF_NO_WEIGHT = {"versions"}  # asks for Blender's version, which names a scene itself


def imported(path: Path) -> set[str]:
    """The modules of synth.degrade that one file imports."""
    names = [n.module or "" for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom)]
    return {name.split(".")[2] for name in names if name.startswith("synth.degrade.")}


def test_all_that_bakes_is_in_the_digest() -> None:
    found: set[str] = set()
    todo = {"bake"}
    while todo:
        found |= todo
        files = [p for name in todo for p in (HERE / f"{name}.py", *(HERE / name).glob("*.py")) if p.exists()]
        todo = {name for path in files for name in imported(path)} - found - OF_NO_WEIGHT
    assert found == set(BAKES)


def test_a_changed_module_is_other_code(tmp_path: Path, monkeypatch) -> None:
    was = baking_code()
    for name in ("versions.py", "bake.py", "families/base.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((HERE / name).read_bytes())
    monkeypatch.setattr("synth.degrade.versions.__file__", str(tmp_path / "versions.py"))
    seen = {was, baking_code.__wrapped__()}
    (tmp_path / "families/base.py").write_text("other")
    seen.add(baking_code.__wrapped__())
    assert len(seen) == 3
