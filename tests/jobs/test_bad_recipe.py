"""A clumsy user: recipes that cannot be made. One line, exit code 2, nothing half-written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.jobs.said import Pageloom, is_one_line, write

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
    ({"questions": {"per_document": 0}}, ["content.questions.per_document", "greater than or equal to 1"]),
    ({"questions": {"per_document": True}}, ["content.questions.per_document", "not true or false"]),
    ({"questions": {"judge": "rules"}}, ["content.questions.judge", "did you mean judges?"]),
    ({"questions": {"judges": "llm"}}, ["content.questions", "llm needs a model"]),
    ({"questions": True}, ["content.questions"]),
    ({"questions": 12}, ["content.questions"]),
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
    ("words", "said"),
    [
        (["frobnicate"], ["No such command 'frobnicate'", "`pageloom --help`"]),
        (["plan"], ["Missing argument 'recipe'", "`pageloom plan --help`"]),
        (["run", "r.yaml"], ["Missing option '--out'", "`pageloom run --help`"]),
        (["run", "r.yaml", "--ouch", "x"], ["No such option: --ouch", "`pageloom run --help`"]),
        (["plan", "r.yaml", "--pilot", "many"], ["--pilot", "integer"]),
        (["plan", "r.yaml", "--pilot", "-3"], ["--pilot"]),
    ],
)
def test_a_command_that_is_not_there_or_not_whole(pageloom: Pageloom, words: list[str], said: list[str]) -> None:
    is_one_line(pageloom(*words), *said)


def test_no_command_at_all_shows_the_help(pageloom: Pageloom) -> None:
    shown = pageloom()
    assert shown.code == 2 and "regenerate" in shown.out


def test_a_plan_names_what_a_run_would_refuse(pageloom: Pageloom, tmp_path: Path) -> None:
    said = pageloom("plan", write(tmp_path / "r.yaml", {"types": ["reciept"]}))
    is_one_line(said, "did you mean receipt?")
    assert "4 documents in 2 shards" in said.out
