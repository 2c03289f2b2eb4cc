"""A clumsy user: every mistake is one line on standard error, exit code 2, and nothing half-written."""

from __future__ import annotations

import copy
import io
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from fontTools.ttLib import TTFont

import actors.inventory
from engine.commit import Staging
from engine.store import open_store, put_same
from jobs import cli
from schemas.errors import UserError, user_error_of
from schemas.plan import Shard
from schemas.recipe import Recipe
from schemas.release import (
    LOCK_KEY,
    MANIFEST_KEY,
    FileEntry,
    Lock,
    ReleaseManifest,
    ShardManifest,
    sha256,
    shard_manifest_key,
)
from schemas.tables import COLUMNS, arrow_schema
from synth.render.fonts import font_set
from tests.fixtures.s3 import S3Server
from tests.jobs.releases import release as release_in_memory

CONTENT: dict[str, Any] = {
    "name": "t",
    "version": "1.0.0",
    "splits": {"train": 4},
    "shard_size": 2,
    "types": ["receipt"],
    "languages": ["en"],
}


@dataclass(frozen=True)
class Said:
    """How one command ended."""

    code: int
    out: str
    err: str


Pageloom = Callable[..., Said]


@pytest.fixture
def pageloom(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Pageloom]:
    """The console script, in this process."""
    before = signal.getsignal(signal.SIGTERM)

    def call(*words: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["pageloom", *map(str, words)])
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = int(end.code or 0)
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    yield call
    signal.signal(signal.SIGTERM, before)


def write(path: Path, content: dict[str, Any] | None = None, **other: Any) -> Path:
    """A recipe file: the small content with some keys changed."""
    data = {"content": {**copy.deepcopy(CONTENT), **(content or {})}, **other}
    path.write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    return path


def is_one_line(said: Said, *words: str) -> None:
    assert said.code == 2, said
    assert said.err.startswith("pageloom: ") and said.err.count("\n") == 1, said.err
    assert len(said.err) < 600, said.err
    for word in words:
        assert word in said.err, (word, said.err)


MISTAKES: list[tuple[dict[str, Any], list[str]]] = [
    ({"lanugages": ["en"]}, ["content.lanugages", "did you mean languages?"]),
    ({"shard_size": "many"}, ["content.shard_size", "whole number", "'many'"]),
    ({"shard_size": 0}, ["content.shard_size", "greater than or equal to 1"]),
    ({"seed": 1.5}, ["content.seed", "whole number"]),
    ({"seed": True}, ["content.seed", "not true or false"]),
    ({"seed": 10**400}, ["content.seed", "less than"]),
    ({"types": {"receipt": -1}}, ["content.types.receipt"]),
    ({"types": {"receipt": float("nan")}}, ["content.types.receipt", "finite"]),
    ({"types": {"receipt": float("inf")}}, ["content.types.receipt", "finite"]),
    ({"types": {"receipt": 0}}, ["content.types", "not all 0"]),
    ({"types": {"receipt": 1e300, "form": 1}}, ["content.types", "rounder"]),
    ({"types": {"receipt": 99_999, "form": 1}, "languages": {"en": 777, "zh": 1}}, ["content", "rounder"]),
    ({"types": [["receipt"]]}, ["content.types", "is not a name"]),
    ({"types": ["receipt", "receipt"]}, ["content.types", "named twice"]),
    ({"types": "receipt"}, ["content.types", "list of names"]),
    ({"types": {}}, ["content.types", "is empty"]),
    ({"languages": ["xx"]}, ["content.languages", "'xx'", "en, zh, bn"]),
    ({"languages": ["en", False]}, ["content.languages", "quotes"]),
    ({"splits": {"train": -1}}, ["content.splits.train.samples"]),
    ({"splits": {"train": True}}, ["content.splits.train.samples", "not true or false"]),
    ({"splits": {"train": 10**30}}, ["content.splits.train.samples", "less than or equal"]),
    ({"splits": {"train": 0, "test": 0}}, ["content.splits", "no split has any samples"]),
    ({"splits": {"hard-cases": 1}}, ["hard-cases", "small letters"]),
    ({"splits": {"all": 1}}, ["content.splits", "'all'"]),
    ({"splits": {"train": {"samples": 1, "share": float("inf")}}}, ["content.splits.train.share", "finite"]),
    ({"splits": {"a": {"samples": 1, "share": 3.14159265}, "b": 1}}, ["content.splits", "rounder"]),
    ({"splits": {f"s{i}": 1 for i in range(101)}}, ["content.splits", "100"]),
    ({"version": 1.0}, ["content.version", "quotes"]),
    ({"name": "../x"}, ["content.name", "small letters"]),
    ({"license": "a\nb"}, ["content.license", "one line"]),
    ({"dpi": {"min": 200, "max": 100}}, ["content.dpi", "above"]),
    ({"page_sizes": ["A3"]}, ["content.page_sizes", "A4"]),
    ({"degradation": {"scenes": ["fog"]}}, ["content.degradation.scenes", "fog"]),
    ({"writer": {"families": []}}, ["content.writer.families", "is empty"]),
]


@pytest.mark.parametrize(("content", "words"), MISTAKES, ids=lambda value: next(iter(value)) if value else "")
def test_a_recipe_that_cannot_be_made(
    pageloom: Pageloom, tmp_path: Path, content: dict[str, Any], words: list[str]
) -> None:
    recipe, out = write(tmp_path / "r.yaml", content), tmp_path / "out"
    is_one_line(pageloom("run", recipe, "--out", out), str(recipe), *words)
    assert not out.exists()


@pytest.mark.parametrize(
    ("execution", "words"),
    [
        ({"actrs": 1}, ["execution.actrs", "did you mean actors?"]),
        ({"actors": {"brwser": {}}}, ["execution.actors.brwser", "did you mean browser?"]),
        ({"actors": {"browser": {"cnt": 2}}}, ["execution.actors.browser.cnt", "did you mean count?"]),
        ({"actors": {"browser": {"num_cpus": float("inf")}}}, ["execution.actors.browser.num_cpus", "finite"]),
        ({"actors": {"browser": {"num_gpus": 1.5}}}, ["execution.actors.browser.num_gpus", "whole"]),
        ({"actors": {"browser": {"resources": {"x": -1}}}}, ["execution.actors.browser.resources.x"]),
        ({"cache": [1]}, ["execution.cache", "path"]),
        ({"in_flight": 0}, ["execution.in_flight"]),
    ],
)
def test_an_execution_that_cannot_be(
    pageloom: Pageloom, tmp_path: Path, execution: dict[str, Any], words: list[str]
) -> None:
    is_one_line(pageloom("plan", write(tmp_path / "r.yaml", execution=execution)), *words)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", ["empty", "content:"]),
        (b"# only words\n", ["empty"]),
        (b"- a\n", ["is a list"]),
        (b"hello", ["single value"]),
        (b"content: [a\n", ["r.yaml:2:1", "is not a YAML recipe"]),
        (b"content:\n\tname: x\n", ["r.yaml:2:1"]),
        (b"content:\n  name: a\n  name: b\n", ["r.yaml:3:3", "'name' is given twice"]),
        (b"content: \xff\xfe\n", ["is not UTF-8"]),
        ("content: {}\n".encode("utf-16"), ["is not UTF-8"]),
        (b"content: \x00\n", ["is not a YAML recipe"]),
        (b"a: 1\n---\nb: 2\n", ["another document"]),
        (b"content: {name: 2020-13-45}\n", ["month"]),
        (b'content: !!python/object/apply:os.system ["true"]\n', ["python/object"]),
        (b"content: &a\n  name: *a\n", ["content.name"]),
        (b"content: " + b"[" * 700 + b"]" * 700, ["nested too deeply"]),
        (b"content:\n", ["content", "mapping"]),
        (b"pageloom: 2\ncontent: {}\n", ["pageloom"]),
        (b"1: 2\ncontent: {}\n", ["key"]),
    ],
)
def test_a_file_that_is_no_recipe(pageloom: Pageloom, tmp_path: Path, data: bytes, words: list[str]) -> None:
    path = tmp_path / "r.yaml"
    path.write_bytes(data)
    is_one_line(pageloom("plan", path), str(path), *words)


def test_a_recipe_that_is_not_there(pageloom: Pageloom, tmp_path: Path) -> None:
    is_one_line(pageloom("plan", tmp_path / "r.yaml"), "no such recipe")
    is_one_line(pageloom("plan", tmp_path), "is a folder")
    (tmp_path / "file").write_text("")
    is_one_line(pageloom("plan", tmp_path / "file" / "r.yaml"), "cannot be read")
    is_one_line(pageloom("plan", tmp_path / ("x" * 300)), "cannot be read")


def test_a_byte_order_mark_and_fine_weights_are_no_mistakes(pageloom: Pageloom, tmp_path: Path) -> None:
    """0.1 * 0.7 is not 0.07 in binary; it is dealt all the same."""
    path = write(tmp_path / "r.yaml", {"types": {"receipt": 0.1, "form": 0.9}, "languages": {"en": 0.7, "zh": 0.3}})
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert pageloom("plan", path).code == 0


def test_a_huge_recipe_is_planned(pageloom: Pageloom, tmp_path: Path) -> None:
    said = pageloom("plan", write(tmp_path / "r.yaml", {"splits": {"train": 10**12}, "shard_size": 1}))
    assert said.code == 0 and "1,000,000,000,000 documents" in said.out


def test_shards_that_are_not_there(pageloom: Pageloom, tmp_path: Path) -> None:
    recipe, out = write(tmp_path / "r.yaml"), tmp_path / "out"
    odd = ("x", "-1", "2", "1-0", "0-", "", "0,,1", "train-00009", "train-0", "test-00000", "٣", "0-99999999999")
    for text in (*odd, "9" * 30):
        is_one_line(pageloom("run", recipe, "--out", out, f"--shards={text}"), "--shards", "0 to 1", "train-00000")
    assert not out.exists()


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


def test_an_output_that_cannot_be_written(pageloom: Pageloom, tmp_path: Path) -> None:
    recipe, file = write(tmp_path / "r.yaml"), tmp_path / "file"
    file.write_text("mine")
    is_one_line(pageloom("run", recipe, "--out", file), "is a file")
    is_one_line(pageloom("run", recipe, "--out", file / "below"), "is a file")
    is_one_line(pageloom("run", recipe, "--out", "/proc/pageloom"), "/proc/pageloom")
    is_one_line(pageloom("run", recipe, "--out", ""), "--out")
    is_one_line(pageloom("run", recipe, "--out", "a\0b"), "--out")
    is_one_line(pageloom("run", recipe, "--out", "ftp://x/y"), "ftp://", "s3://bucket/prefix")
    is_one_line(pageloom("run", recipe, "--out", "s3://"), "no bucket")
    is_one_line(pageloom("run", recipe, "--out", "s3://bucket/../x"), "--out", "'..'")
    is_one_line(pageloom("run", recipe, "--out", "s3://key:secret@bucket/x"), "credentials")
    assert file.read_text() == "mine"


def test_a_store_that_cannot_be_used(
    pageloom: Pageloom, tmp_path: Path, moto: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = write(tmp_path / "r.yaml")
    moto.use(monkeypatch)
    is_one_line(pageloom("run", recipe, "--out", "s3://no-such-bucket/x"), "no bucket no-such-bucket")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "nonsense")
    is_one_line(pageloom("run", recipe, "--out", "s3://bucket/x"), "AWS_ENDPOINT_URL", "nonsense")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    is_one_line(pageloom("run", recipe, "--out", "s3://bucket/x"), "cannot reach the store")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    is_one_line(pageloom("run", recipe, "--out", "s3://bucket/x"), "no S3 credentials")


def test_a_machine_that_lacks_something(pageloom: Pageloom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe, bangla = write(tmp_path / "r.yaml"), write(tmp_path / "b.yaml", {"languages": ["bn"]})
    out = tmp_path / "out"
    for program, words in (("/nonexistent", "is not a program"), ("/bin/false", "does not tell its version")):
        actors.inventory.versions.cache_clear()
        monkeypatch.setenv("PAGELOOM_CHROMIUM", program)
        is_one_line(pageloom("run", recipe, "--out", out), program, words)
    monkeypatch.delenv("PAGELOOM_CHROMIUM")
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(tmp_path))
    is_one_line(pageloom("run", recipe, "--out", out), "Chromium", "apt-get install chromium-headless-shell")
    monkeypatch.setenv("PATH", path)
    actors.inventory.versions.cache_clear()
    monkeypatch.setenv("PAGELOOM_TESSERACT", "/nonexistent")
    is_one_line(pageloom("run", bangla, "--out", out), "Tesseract", "apt-get install")
    monkeypatch.setattr("synth.render.fonts.FONT_ROOTS", (tmp_path,))
    monkeypatch.setattr(font_set, "__defaults__", ((), (tmp_path,)))
    is_one_line(pageloom("run", recipe, "--out", out), "fonts for en are not installed", "apt-get install")
    assert not out.exists()


def test_a_full_disk_or_a_missing_right_is_a_mistake_and_a_broken_pipe_is_not(tmp_path: Path) -> None:
    for number, words in ((28, "no space left"), (13, "permission denied"), (21, "is a directory"), (24, "ulimit")):
        found = user_error_of(OSError(number, os.strerror(number), str(tmp_path)))
        assert found is not None and words in str(found) and str(tmp_path) in str(found)
    assert user_error_of(BrokenPipeError(32, "Broken pipe")) is None
    assert user_error_of(ConnectionResetError(104, "reset")) is None


def test_an_unforeseen_oserror_is_one_line(pageloom: Pageloom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "/somewhere")

    monkeypatch.setattr("jobs.plan.print_plan", full)
    is_one_line(pageloom("plan", write(tmp_path / "r.yaml")), "/somewhere", "no space left")


def test_scratch_of_a_shard_has_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends a runner, nothing of its scratch file stays."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    staging = Staging(Shard(0, "train", 0, 0, 2))
    assert list(tmp_path.iterdir()) == []
    staging.close()


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """A whole release of one document, in a folder with an awkward name."""
    out = tmp_path / "my réléase 文"
    store, data = open_store(out), release_in_memory([("receipt", "en")], per_cell=1)
    content = Recipe.model_validate({"content": {**CONTENT, "splits": {"train": 1}}}).content.model_dump(mode="json")
    content["splits"] = [{"name": "train", "share": 1.0}]
    lock = Lock(layout=1, content=content, versions={}, templates={}, fonts={}, models={}, assets=[], scenes=[])
    entries = []
    for config in COLUMNS:
        empty = arrow_schema(config).empty_table()
        table = empty if config == "relations" else data.load(config, ["train-00000000"])
        buffer = io.BytesIO()
        pq.write_table(table, buffer)
        key = f"{config}/train-00000.parquet"
        put_same(store, key, buffer.getvalue())
        entries.append(
            FileEntry(key=key, sha256=sha256(buffer.getvalue()), bytes=len(buffer.getvalue()), rows=table.num_rows)
        )
    facts: dict[str, Any] = {"documents": 1, "pages": 1, "cells": {"receipt/en": 1}, "tries": {"receipt/en": 1}}
    facts |= {"rejected": {}, "scenes": {}}
    shard = ShardManifest(
        layout=1, lock=lock.digest, split="train", number=0, start=0, stop=1, files=entries, fingerprints=["x"], **facts
    )
    manifest = ReleaseManifest(
        layout=1, name="t", version="1.0.0", license="x", lock=lock.digest, splits={"train": 1}, duplicates=[], files=9,
        bytes=1, shards={"train-00000": sha256(shard.to_bytes())}, **facts,
    )  # fmt: skip
    put_same(store, LOCK_KEY, lock.to_bytes())
    put_same(store, shard_manifest_key("train", 0), shard.to_bytes())
    put_same(store, MANIFEST_KEY, manifest.to_bytes())
    return out


def test_the_whole_release_passes(pageloom: Pageloom, sealed: Path) -> None:
    assert pageloom("verify", sealed).code == 0
    assert pageloom("report", sealed).code == 0 and (sealed / "report.html").exists()
    assert "0 files removed" in pageloom("gc", sealed).out


def test_what_is_no_release(pageloom: Pageloom, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path, tmp_path / "absent", tmp_path / "file"):
        for command in (["verify"], ["report"], ["gc"], ["regenerate", "--shard", "0"]):
            is_one_line(pageloom(command[0], place, *command[1:]), str(place), "there")
    assert not (tmp_path / "absent").exists() and not (tmp_path / "report.html").exists()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:50]),
    "noise": lambda path: path.write_bytes(bytes(range(256))),
    "list": lambda path: path.write_bytes(b"[]"),
    "object": lambda path: path.write_bytes(b"{}"),
    "folder": lambda path: (path.unlink(), path.mkdir()),
}
DAMAGED = (MANIFEST_KEY, LOCK_KEY, shard_manifest_key("train", 0), "words/train-00000.parquet")


@pytest.mark.parametrize("key", DAMAGED)
def test_a_damaged_release(pageloom: Pageloom, sealed: Path, tmp_path: Path, key: str) -> None:
    """Each command ends with one line or a list of problems, and never removes what the release still names."""
    for name, damage in DAMAGES.items():
        out = tmp_path / name
        shutil.copytree(sealed, out)
        damage(out / key)
        said = pageloom("verify", out)
        assert said.code in (1, 2) and "Traceback" not in said.err, (name, said)
        if said.code == 2:
            is_one_line(said, str(out))
        for words in (["report", out], ["gc", out], ["regenerate", out, "--shard", "5"]):
            said = pageloom(*words)
            if said.code:
                is_one_line(said)
        assert (out / "pages" / "train-00000.parquet").exists(), name


def test_garbage_is_not_collected_from_a_release_with_a_missing_shard_manifest(
    pageloom: Pageloom, sealed: Path
) -> None:
    (sealed / shard_manifest_key("train", 0)).unlink()
    is_one_line(pageloom("gc", sealed), "train-00000", "missing")
    assert (sealed / "words" / "train-00000.parquet").exists()


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        (MANIFEST_KEY, b'"train-00000"', b'"../../etc-00000"'),
        (MANIFEST_KEY, b'"train-00000"', b'"oddname"'),
        (shard_manifest_key("train", 0), b'"words/train-00000.parquet"', b'"../words.parquet"'),
        (shard_manifest_key("train", 0), b'"words/train-00000.parquet"', b'"bank/train-00000.parquet"'),
        (LOCK_KEY, b'"legibility"', b'"legibilitee"'),
    ],
)
def test_a_tampered_release(pageloom: Pageloom, sealed: Path, key: str, old: bytes, new: bytes) -> None:
    path = sealed / key
    assert old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new))
    for words in (["verify", sealed], ["gc", sealed], ["regenerate", sealed, "--shard", "5"]):
        said = pageloom(*words)
        assert "Traceback" not in said.err and (said.code in (1, 2) or words[0] == "gc"), said
    assert (sealed / "words" / "train-00000.parquet").exists()


def test_a_report_that_cannot_be_written(pageloom: Pageloom, sealed: Path, tmp_path: Path) -> None:
    is_one_line(pageloom("report", sealed, "--out", tmp_path), "cannot write the report")
    is_one_line(pageloom("report", sealed, "--out", "/proc/x.html"), "cannot write the report")


@pytest.mark.parametrize("data", [b"", b"[" * 100_000, b"\xff", b"[]", b"{}", b'{"vectors": [{"id": 1}]}'])
def test_a_file_of_cases_that_is_none(pageloom: Pageloom, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "cases.json"
    path.write_bytes(data)
    said = pageloom("metrics", "check", path)
    assert said.code == 2 and said.err.count("\n") == 1 and str(path) in said.err
    assert pageloom("metrics", "check", tmp_path).code == 2


def test_a_dashboard_that_does_not_answer(pageloom: Pageloom, tmp_path: Path) -> None:
    recipe = write(tmp_path / "r.yaml")
    for address in ("http://127.0.0.1:9", "nonsense"):
        is_one_line(pageloom("submit", recipe, "--out", tmp_path / "out", "--address", address), address)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_cluster_that_is_not_there(pageloom: Pageloom, tmp_path: Path) -> None:
    recipe = write(tmp_path / "r.yaml", {"degradation": {"scenes": ["none"]}})
    for address in ("127.0.0.1:9", "nonsense"):
        said = pageloom("run", recipe, "--out", tmp_path / "out", "--address", address)
        assert said.code == 2 and "cannot join Ray" in said.err.splitlines()[-1]


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


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_told_to_end(tmp_path: Path, number: signal.Signals, code: int) -> None:
    scratch, out = tmp_path / "tmp", tmp_path / "out"
    scratch.mkdir()
    recipe = write(
        tmp_path / "r.yaml", {"degradation": {"scenes": ["none"]}, "legibility": {"share": 0}, "shard_size": 1}
    )
    command = [sys.executable, "-m", "jobs.cli", "run", str(recipe), "--out", str(out)]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": str(scratch)})
    deadline = time.monotonic() + 200
    while not (out / "manifests").is_dir() and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)
    run.send_signal(number)
    _, said = run.communicate(timeout=120)
    assert run.returncode == code, said[-2000:]
    assert "Traceback" not in said and "the same command again goes on" in said.splitlines()[-1]
    assert [p.name for p in scratch.iterdir() if not p.name.startswith(("pageloom-browser-", "ray"))] == []
    again = subprocess.run(command, capture_output=True, text=True, timeout=400)
    assert again.returncode == 0, again.stderr[-2000:]


def test_every_user_error_is_one_line() -> None:
    assert str(UserError("a\nb", "c\n", "d\n\ne")) == "c : a b -> d e"
