"""`pageloom baseline`, `evaluate` and `compare` over whole releases, in a folder and on S3."""

from __future__ import annotations

import io
import json
import re
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.shard_tables import ShardTables
from engine.store import open_store
from engine.verify import release_of, shard_manifests
from jobs.evaluate import Choice, evaluate
from schemas.errors import UserError
from schemas.release import MANIFEST_KEY, FileEntry, sha256, shard_manifest_key
from synth.score.evaluate import TRACKS
from synth.score.result import Evaluation
from tests.fixtures.s3 import moto_server
from tests.fixtures.small_release import write_release
from tests.jobs.export_release import sealed_release
from tests.jobs.said import Pageloom, is_one_line

DOCUMENTS = 12


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One page and one question a document."""
    return write_release(tmp_path_factory.mktemp("release"), DOCUMENTS, shard_size=5, questions=True)


@pytest.fixture(scope="module")
def languages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three languages, two splits, two pages a document, no questions."""
    return sealed_release(tmp_path_factory.mktemp("languages") / "out")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def result(folder: Path) -> Evaluation:
    return Evaluation.model_validate_json((folder / "evaluation.json").read_bytes())


def headlines(evaluation: Evaluation) -> dict[str, float]:
    found = {name: track.overall.metrics[track.headline].value for name, track in evaluation.tracks.items()}
    return {name: value for name, value in found.items() if value is not None}


def baseline(pageloom: Pageloom, release: Path | str, kind: str, out: Path, *more: object) -> Path:
    said = pageloom("baseline", release, "--kind", kind, "--out", out, *more)
    assert said.code == 0, said.err
    return out


def test_the_oracle_is_perfect_and_others_are_not(pageloom: Pageloom, release: Path, tmp_path: Path) -> None:
    scores = {}
    for kind in ("oracle", "random", "majority"):
        file = baseline(pageloom, release, kind, tmp_path / f"{kind}.jsonl")
        assert pageloom("evaluate", release, "--predictions", file, "--resamples", 50, "--gallery", 2).code == 0
        scores[kind] = headlines(result(tmp_path / f"{kind}-scores"))
    assert scores["oracle"] == dict.fromkeys(TRACKS, 1.0)
    assert all(scores["random"][name] < 1.0 for name in ("kie", "layout", "line_order", "qa"))
    assert scores["majority"]["kie"] < 1.0
    assert scores["random"] != scores["majority"]


def test_a_baseline_is_the_same_for_the_same_seed(pageloom: Pageloom, languages: Path, tmp_path: Path) -> None:
    one, two, three = (
        baseline(pageloom, languages, "random", tmp_path / f"{name}.jsonl", "--seed", seed).read_bytes()
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert one == two != three
    ids = {(row["track"], row["id"]) for row in lines(tmp_path / "a.jsonl")}
    assert len(ids) == len(lines(tmp_path / "a.jsonl"))


def test_groups_counts_and_files(pageloom: Pageloom, languages: Path, tmp_path: Path) -> None:
    file = baseline(pageloom, languages, "oracle", tmp_path / "o.jsonl")
    rows = lines(file)
    kie = [row for row in rows if row["track"] == "kie"]
    kie[0] |= {"prediction": 5}
    kie[1] = {"track": "kie", "id": kie[1]["id"], "refused": True}
    kie[2] = {"track": "kie", "id": kie[2]["id"], "prediction": {}}
    kie[3] = {"track": "kie", "id": kie[3]["id"], "failed": "timeout"}
    strange = {"track": "kie", "id": "train-00000999", "prediction": {}}
    file.write_text("\n".join(json.dumps(row) for row in [*kie[:-1], strange]), "utf-8")
    said = pageloom("evaluate", languages, "--predictions", file, "--out", tmp_path / "out", "--resamples", 100)
    assert said.code == 0
    found = result(tmp_path / "out")
    track = found.tracks["kie"]
    assert list(found.tracks) == ["kie"]
    assert track.answers == {"answered": 1, "missing": 1, "failed": 1, "refused": 1, "unparsable": 1, "empty": 1}
    assert track.unknown_ids == 1 and track.overall.documents == 6
    assert track.overall.metrics["field_f1"].value == pytest.approx(1 / (1 + 5 / 2))
    assert {name: group.documents for name, group in track.groups["language"].items()} == {"bn": 2, "en": 2, "zh": 2}
    assert "train-00000999" in said.err and "line 6" in said.err and "unparsable" in said.err
    assert "kie" in said.out and "28.6 [" in said.out
    markdown = (tmp_path / "out" / "evaluation.md").read_text("utf-8")
    assert "| kie | field F1 | 28.6 [" in markdown and "### By language" in markdown and "| bn | 2 |" in markdown
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "evaluation.html", "evaluation.json", "evaluation.md",
    ]  # fmt: skip
    assert found.scorer and found.mode == "strict" and re.fullmatch("[0-9a-f]{64}", found.predictions_sha256)


def test_modes_differ_where_the_papers_code_does(pageloom: Pageloom, release: Path, tmp_path: Path) -> None:
    rows = [
        {"track": "kie", "id": f"train-{at:08d}", "prediction": {"total": f" ${at}.00.", "date": "20261130"}}
        for at in range(DOCUMENTS)
    ]
    file = tmp_path / "p.jsonl"
    broken = "{\n" + json.dumps(rows[0] | {"prediction": {}}) + "\n"
    file.write_text(broken + "\n".join(map(json.dumps, rows)), "utf-8")
    is_one_line(pageloom("evaluate", release, "--predictions", file), f"{file}:1", "JSON")
    said = pageloom("evaluate", release, "--predictions", file, "--mode", "compat", "--resamples", 0)
    assert said.code == 0 and "1 broken lines" in said.err and "1 duplicates" in said.err
    loose = result(tmp_path / "p-scores")
    assert loose.mode == "compat" and headlines(loose)["kie"] == pytest.approx(1.0, abs=1e-6)
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert pageloom("evaluate", release, "--predictions", file, "--resamples", 0).code == 0
    assert headlines(result(tmp_path / "p-scores"))["kie"] == 0.0


def test_a_part_of_a_release(pageloom: Pageloom, languages: Path, tmp_path: Path) -> None:
    file = baseline(pageloom, languages, "oracle", tmp_path / "o.jsonl")
    options = ("--predictions", file, "--resamples", 0, "--gallery", 0)
    assert pageloom("evaluate", languages, *options, "--split", "test", "--track", "kie").code == 0
    found = result(tmp_path / "o-scores")
    assert found.documents == 3 and found.of_documents == 6 and found.warnings == []
    assert set(found.tracks["kie"].groups["split"]) == {"test"}
    chosen = []
    for seed in (0, 0, 1, 2, 3):
        assert pageloom("evaluate", languages, *options, "--sample", 2, "--seed", seed, "--track", "text").code == 0
        part = result(tmp_path / "o-scores")
        assert part.documents == 2 and part.tracks["text"].answers["answered"] == 4
        assert part.tracks["text"].unknown_ids == 0
        chosen.append(tuple(part.tracks["text"].per_document.documents))
    assert chosen[0] == chosen[1] and len(set(chosen)) > 1
    (tmp_path / "ids").write_text("test-00000001\n\ntrain-00000000\n")
    assert pageloom("evaluate", languages, *options, "--ids", tmp_path / "ids").code == 0
    assert result(tmp_path / "o-scores").tracks["kie"].per_document.documents == ["test-00000001", "train-00000000"]
    sample = baseline(pageloom, languages, "oracle", tmp_path / "s.jsonl", "--sample", 2, "--track", "kie")
    assert tuple(row["id"] for row in lines(sample)) == chosen[0]


def test_a_release_on_s3_scores_the_same(
    pageloom: Pageloom, release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with moto_server() as server:
        server.use(monkeypatch)
        server.create_bucket("scores")
        write_release("s3://scores/a release", DOCUMENTS, shard_size=5, questions=True)  # pyright: ignore[reportArgumentType]
        there = baseline(pageloom, "s3://scores/a release", "random", tmp_path / "there.jsonl")
        here = baseline(pageloom, release, "random", tmp_path / "here.jsonl")
        assert there.read_bytes() == here.read_bytes()
        choice = Choice(resamples=20, shown=1)
        one, folder = evaluate("s3://scores/a release", here, choice, tmp_path / "out")
    two, _ = evaluate(str(release), here, choice)
    assert one.tracks == two.tracks and one.release_digest == two.release_digest
    assert "<image href=" in (folder / "evaluation.html").read_text("utf-8")


def test_a_release_in_tars_scores_the_same(pageloom: Pageloom, release: Path, tmp_path: Path) -> None:
    file = baseline(pageloom, release, "random", tmp_path / "p.jsonl")
    choice = Choice(resamples=20, shown=1)
    one, _ = evaluate(str(release), file, choice, tmp_path / "one")
    two, _ = evaluate(str(as_tars(release, tmp_path / "tars")), file, choice, tmp_path / "two")
    assert one.tracks == two.tracks and "qa" in two.tracks
    pages = [(tmp_path / name / "evaluation.html").read_text("utf-8") for name in ("one", "two")]
    assert [page.count("<image") for page in pages] == [pages[0].count("<image")] * 2 != [0, 0]


def as_tars(release: Path, out: Path) -> Path:
    """The release again, as `content.format: webdataset` stores it."""
    there, store = open_store(release), open_store(out)
    manifest = release_of(there)
    for shard in shard_manifests(there, manifest):
        rows, buffer = ShardTables(there, shard).all_rows(), io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            for document in rows["documents"]:
                name = document["document_id"]
                mine = {config: [row for row in some if row["document_id"] == name] for config, some in rows.items()}
                files = {"pdf": document.pop("pdf")}
                for page in mine["pages"]:
                    files["0.jpg"], page["image"] = page["image"]["bytes"], "0.jpg"
                for suffix, data in (files | {"json": json.dumps(mine).encode()}).items():
                    info = tarfile.TarInfo(f"{name}.{suffix}")
                    info.size = len(data)
                    tar.addfile(info, io.BytesIO(data))
        data = buffer.getvalue()
        entry = FileEntry(key=f"data/{shard.name}.tar", sha256=sha256(data), bytes=len(data), rows=shard.documents)
        made = shard.model_copy(update={"files": [entry]})
        store.put_new(entry.key, data)
        store.put_new(shard_manifest_key(shard.split, shard.number), made.to_bytes())
        manifest.shards[shard.name] = sha256(made.to_bytes())
    store.put_new(MANIFEST_KEY, manifest.to_bytes())
    return out


def test_two_systems_are_compared(pageloom: Pageloom, release: Path, tmp_path: Path) -> None:
    files = []
    for kind in ("oracle", "random"):
        file = baseline(pageloom, release, kind, tmp_path / f"{kind}.jsonl", "--track", "kie", "--track", "text")
        evaluate(str(release), file, Choice(resamples=0, shown=0), tmp_path / kind)
        files.append(tmp_path / kind / "evaluation.json")
    said = pageloom("compare", *files, "--resamples", 500, "--out", tmp_path / "c.json")
    assert said.code == 0
    row = next(line for line in said.out.splitlines() if line.startswith("kie") and "field F1" in line)
    assert "100.0" in row and "-" in row and float(row.split()[-1]) < 0.05
    written = json.loads((tmp_path / "c.json").read_text())
    assert written["tracks"]["kie"]["field_f1"]["p"] < 0.05
    same = pageloom("compare", files[0], files[0], "--resamples", 100)
    assert {line.split()[-1] for line in same.out.splitlines()[4:]} <= {"1.0000", "–"}


def test_results_that_cannot_be_compared(pageloom: Pageloom, release: Path, languages: Path, tmp_path: Path) -> None:
    made = {}
    plain = Choice(resamples=0, shown=0)
    for name, place, choice in (
        ("a", release, plain),
        ("compat", release, replace(plain, mode="compat")),
        ("other", languages, plain),
        ("sample", release, replace(plain, sample=3)),
    ):
        file = baseline(pageloom, place, "oracle", tmp_path / f"{name}.jsonl", "--track", "kie")
        evaluate(str(place), file, choice, tmp_path / name)
        made[name] = tmp_path / name / "evaluation.json"
    is_one_line(pageloom("compare", made["a"], made["compat"]), "modes differ")
    is_one_line(pageloom("compare", made["a"], made["other"]), "releases differ")
    is_one_line(pageloom("compare", made["a"], made["sample"]), "other documents")
    is_one_line(pageloom("compare", made["a"], tmp_path / "absent.json"), "cannot be read")
    is_one_line(pageloom("compare", made["a"], tmp_path), "cannot be read")
    is_one_line(pageloom("compare", made["a"], tmp_path / "a.jsonl"), "no result of version 1")
    (tmp_path / "old.json").write_text(made["a"].read_text().replace('"result": 1', '"result": 2'))
    is_one_line(pageloom("compare", tmp_path / "old.json", made["a"]), "no result of version 1", "result")


def test_one_line_for_each_mistake(pageloom: Pageloom, release: Path, languages: Path, tmp_path: Path) -> None:
    file = baseline(pageloom, release, "oracle", tmp_path / "o.jsonl")
    before = sorted(path.name for path in tmp_path.iterdir())

    def said(*words: object, place: Path = release) -> Any:
        return pageloom("evaluate", place, "--predictions", file, *words)

    is_one_line(said("--track", "ocr"), "unknown track 'ocr'", "kie")
    is_one_line(said("--split", "nowhere"), "no split 'nowhere'", "train")
    is_one_line(said(place=tmp_path / "nowhere"), "no sealed release there")
    is_one_line(said("--track", "qa", place=languages), "no questions")
    is_one_line(said("--ids", tmp_path / "absent"), "cannot be read")
    (tmp_path / "ids").write_text("train-00000000\nnobody\n")
    is_one_line(said("--ids", tmp_path / "ids"), "ids:2", "'nobody' is no document")
    (tmp_path / "ids").unlink()
    is_one_line(pageloom("evaluate", release, "--predictions", tmp_path), "is a folder")
    is_one_line(pageloom("evaluate", release, "--predictions", tmp_path / "absent"), "no such prediction file")
    is_one_line(said("--out", file), "cannot write the results")
    is_one_line(pageloom("baseline", release, "--kind", "oracle", "--out", tmp_path / "no" / "x"), "cannot be written")
    is_one_line(pageloom("baseline", release, "--kind", "oracle", "--out", file, "--track", "x"), "unknown track")
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_predictions_for_another_release(pageloom: Pageloom, release: Path, languages: Path, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text('{"track": "kie", "id": "val-00000000", "prediction": {"a": "b"}}\n')
    is_one_line(pageloom("evaluate", release, "--predictions", file), "none of its ids", "val-00000000")
    questions = '{"track": "qa", "id": "train-00000000-q0", "prediction": "x"}\n'
    file.write_text(questions)
    is_one_line(pageloom("evaluate", languages, "--predictions", file), "no prediction for a track of the release")
    file.write_text(questions + '{"track": "kie", "id": "train-00000000", "prediction": {"a": "b"}}\n')
    said = pageloom("evaluate", languages, "--predictions", file, "--resamples", 0)
    assert said.code == 0 and "no questions" in said.err


def test_a_damaged_release_is_one_line(pageloom: Pageloom, release: Path, tmp_path: Path) -> None:
    broken = write_release(tmp_path / "broken", 2)
    file = baseline(pageloom, broken, "oracle", tmp_path / "o.jsonl")
    (broken / "kie" / "train-00000.parquet").write_bytes(b"PAR1 and no more")
    is_one_line(pageloom("evaluate", broken, "--predictions", file), "shard train-00000 cannot be read")
    (broken / "kie" / "train-00000.parquet").unlink()
    is_one_line(pageloom("evaluate", broken, "--predictions", file), "shard train-00000")


def test_a_track_that_is_asked_for_is_scored_without_an_answer(release: Path, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text('{"track": "kie", "id": "train-00000000", "prediction": {"total": "$0.00"}}\n')
    found, _ = evaluate(str(release), file, Choice(tracks=("kie", "text"), resamples=0, shown=0))
    assert found.tracks["text"].answers["missing"] == DOCUMENTS
    assert found.tracks["kie"].answers["missing"] == DOCUMENTS - 1
    with pytest.raises(UserError, match="unknown track"):
        evaluate(str(release), file, Choice(tracks=("x",)))
