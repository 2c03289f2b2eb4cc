"""Fonts and templates that cannot be used."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fontTools.ttLib import TTFont

from schemas.release import (
    MANIFEST_KEY,
    ShardManifest,
)
from synth.render.fonts import font_set
from tests.jobs.said import Pageloom, is_one_line, write


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"types": ["reciept"]}, ["content.types", "did you mean receipt?"]),
        ({"types": ["poem"]}, ["content.types", "writer.folders"]),
        ({"writer": {"folders": ["nope"]}}, ["nope", "no such folder"]),
        ({"fonts": {"folders": ["nope"]}}, ["nope", "no such folder"]),
        ({"writer": {"families": ["receipt/thermall"]}}, ["content.writer.families", "receipt/thermal"]),
        ({"splits": {f"s{i}": 1 for i in range(60)}}, ["content.writer", "cannot be parted among 60 splits"]),
        ({"languages": ["bn"], "splits": {f"s{i}": 1 for i in range(6)}}, ["cannot be parted among 6 splits"]),
    ],
)
def test_what_the_recipe_names_is_missing(
    pageloom: Pageloom, tmp_path: Path, content: dict[str, Any], words: list[str]
) -> None:
    out = tmp_path / "out"
    is_one_line(pageloom("run", write(tmp_path / "r.yaml", content), "--out", out), *words)
    assert not out.exists()


def _no_font(path: Path) -> None:
    path.write_bytes(b"not a font")


def _cut_font(path: Path) -> None:
    path.write_bytes(_any_font().read_bytes()[:5000])


def _restricted_font(path: Path) -> None:
    font = TTFont(_any_font())
    font["OS/2"].fsType = 0x0002  # pyright: ignore[reportAttributeAccessIssue]
    font.save(path)


def _linked_font(path: Path) -> None:
    path.symlink_to(_any_font())


def _any_font() -> Path:
    return next(file.path for file in font_set(["en"]).files if file.path.name == "DejaVuSans.ttf")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_no_font, "not a readable font"),
        (_cut_font, "not a readable font"),
        (_restricted_font, "forbid embedding"),
        (_linked_font, "links"),
    ],
)
def test_a_font_that_cannot_be_used(
    pageloom: Pageloom, tmp_path: Path, make: Callable[[Path], None], words: str
) -> None:
    (tmp_path / "fonts").mkdir()
    make(tmp_path / "fonts" / "mine.ttf")
    recipe, out = write(tmp_path / "r.yaml", {"fonts": {"folders": ["fonts"]}}), tmp_path / "out"
    is_one_line(pageloom("run", recipe, "--out", out), "mine.ttf", words)
    assert not out.exists()


def template(folder: Path, html: str, provider: str = "persona.name", extra: str = "") -> None:
    """A user's family `note/note` with one field."""
    folder = folder / "note"
    folder.mkdir(parents=True)
    (folder / "family.yaml").write_text(f"type: note\nlanguages: [en]\n{extra}")
    field = f'{{"type": "string", "title": "Name", "x-provider": "{provider}"}}'
    (folder / "schema.json").write_text(f'{{"type": "object", "properties": {{"name": {field}}}}}')
    (folder / "template.html").write_text(html)


GOOD = "<html><body style=\"font-family: {{ font_family }}\"><h1>Note of today</h1><p>{{ f('name') }}</p></body></html>"
ENDLESS = "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}"
NOTE: dict[str, Any] = {
    "types": ["note"],
    "writer": {"folders": ["mine"]},
    "degradation": {"scenes": ["none"]},
    "legibility": {"share": 0},
    "dpi": {"min": 72, "max": 72},
}


@pytest.mark.parametrize(
    ("html", "provider", "words"),
    [
        ("<p>{{ f('name') </p>", "persona.name", ["template.html:1", "does not parse"]),
        (GOOD.replace("'name'", "'nmae'"), "persona.name", ["template.html:1", "schema.json"]),
        (GOOD, "persona.nmae", ["schema.json"]),
        ("<p>no field</p>", "persona.name", ["template.html", "shows no field"]),
        (GOOD + "<script>1</script>", "persona.name", ["template.html:1", "script"]),
    ],
)
def test_a_template_that_is_wrong(
    pageloom: Pageloom, tmp_path: Path, html: str, provider: str, words: list[str]
) -> None:
    template(tmp_path / "mine", html, provider)
    recipe, out = write(tmp_path / "r.yaml", NOTE), tmp_path / "out"
    is_one_line(pageloom("run", recipe, "--out", out), *words)
    is_one_line(pageloom("preview", recipe, "--no-open"), *words)
    assert not out.exists()


def test_a_template_that_always_fails_in_a_preview(
    pageloom: Pageloom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    template(tmp_path / "mine", GOOD + "{{ 1 // 0 }}")
    recipe = write(tmp_path / "r.yaml", NOTE)
    is_one_line(pageloom("preview", recipe, "--no-open"), "note/en", "tries rejected", "ZeroDivisionError")
    assert list(scratch.iterdir()) == []


def test_an_endless_template_in_a_preview(pageloom: Pageloom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    template(tmp_path / "mine", GOOD + ENDLESS)
    limit = {"actors": {"writer": {"deadline_s": 1.5}}}
    start = time.monotonic()
    said = pageloom("preview", write(tmp_path / "r.yaml", NOTE, execution=limit), "--no-open")
    is_one_line(said, "longer than 1.5 s", "loop without end")
    assert time.monotonic() - start < 60 and list(scratch.iterdir()) == []


def test_a_preview_of_what_is_not_there(pageloom: Pageloom, tmp_path: Path) -> None:
    recipe = write(tmp_path / "r.yaml", {"splits": {"empty": 0, "train": 4}})
    is_one_line(pageloom("preview", recipe, "--split", "x"), "--split", "empty, train")
    is_one_line(pageloom("preview", recipe, "--index", 4), "--index", "split train", "0 to 3")
    is_one_line(pageloom("preview", recipe, "--split", "empty"), "--index", "another split")
    assert pageloom("preview", recipe, "--index", -1).code == 2
    assert pageloom("plan", recipe, "--pilot", -3).code == 2


def test_an_endless_template_in_a_run(pageloom: Pageloom, tmp_path: Path) -> None:
    """What hangs now and then is replaced by its next try; what always hangs ends the run with one line."""
    trap = "options: {trap: [0, 0, 1]}\n"
    template(tmp_path / "mine", GOOD + "{% if opt.trap %}" + ENDLESS + "{% endif %}", extra=trap)
    one = {"count": 1}
    writer = {"count": 2, "deadline_s": 5}
    quick = {"blame_after": 1, "actors": {"writer": writer, "browser": one, "camera": one}}
    recipe, out = write(tmp_path / "r.yaml", {**NOTE, "shard_size": 4}, execution=quick), tmp_path / "out"
    said = pageloom("run", recipe, "--out", out)
    assert said.code == 0, said.err[-2000:]
    shard = ShardManifest.model_validate_json((out / "manifests" / "train-00000.json").read_bytes())
    assert shard.documents == 4 and shard.rejected.keys() == {"note/en: writer: timeout"}
    assert pageloom("verify", out).code == 0

    always = {**NOTE, "splits": {"train": 1}, "shard_size": 1, "max_tries": 1}
    shutil.rmtree(tmp_path / "mine")
    template(tmp_path / "mine", GOOD + ENDLESS)
    said = pageloom("run", write(tmp_path / "r.yaml", always, execution=quick), "--out", tmp_path / "never")
    assert said.code == 2
    line = said.err.splitlines()[-1]
    assert line.startswith("pageloom: shard train-00000: ") and "writer: timeout" in line
    assert not (tmp_path / "never" / MANIFEST_KEY).exists()
