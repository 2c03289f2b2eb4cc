"""Whole runs with real engines: the same release whatever happens on the way."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import ray
from ray.util import list_named_actors

import engine.run
from engine.gc import collect, garbage
from engine.progress import Silent
from engine.regenerate import regenerate
from engine.run import run
from engine.seal import read_release
from engine.store import open_store
from engine.verify import verify
from jobs.audit import audit_release
from schemas.errors import UserError
from schemas.execution import Execution
from schemas.recipe import Recipe
from schemas.release import AUDIT_KEY, MANIFEST_KEY
from tests.engine.faults import FaultyContext, HopelessContext
from tests.fixtures.recipes import small_recipe, write_recipe
from tests.fixtures.swift import SwiftServer


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scenes baked once for all runs of this module."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def recipe(cache: Path) -> Recipe:
    return small_recipe(cache)


@pytest.fixture(scope="module")
def baseline(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An undisturbed release: one actor of each kind, into a folder."""
    out = tmp_path_factory.mktemp("baseline")
    result = run(recipe, open_store(out), Silent())
    assert result.release is not None
    return out


def digest_of(out: Path | str) -> bytes:
    return open_store(out).get(MANIFEST_KEY)


def test_the_release_is_whole(baseline: Path, recipe: Recipe) -> None:
    assert verify(open_store(baseline)) == []
    documents = pq.read_table(baseline / "documents").to_pylist()
    assert [d["document_id"] for d in documents] == [f"train-{i:08d}" for i in range(4)]
    assert sorted((d["type"], d["language"]) for d in documents) == sorted(
        [("receipt", "en"), ("receipt", "zh"), ("invoice", "en"), ("invoice", "zh")]
    )


def test_its_labels_pass_the_audit(baseline: Path, tmp_path: Path) -> None:
    release = tmp_path / "release"
    shutil.copytree(baseline, release)
    assert audit_release(open_store(release), 4, tmp_path / "audit.json")
    assert (release / AUDIT_KEY).read_bytes() == (tmp_path / "audit.json").read_bytes()
    assert verify(open_store(release)) == [] and garbage(open_store(release)) == []
    checks = read_release(open_store(release)).checks  # type: ignore[union-attr]
    assert checks["words"] == checks["tags_agree"] > 100
    assert not any(checks[name] for name in ("other_text", "uncontained", "bad_extents", "out_of_order"))
    found = json.loads((tmp_path / "audit.json").read_text())
    assert found["failed"] == [] and found["total"]["documents"] == 4
    assert sorted(found["cells"]) == ["invoice/en", "invoice/zh", "receipt/en", "receipt/zh"]
    assert set(found["extractors"]) == {"Latin", "Han", "digits and marks"}
    assert all(set(by) == {"PyMuPDF", "pdfium", "pdfminer.six"} for by in found["extractors"].values())
    assert all(by[name]["lost"] == 0 for by in found["extractors"].values() for name in ("PyMuPDF", "pdfium"))


def test_running_again_is_a_resume_that_makes_nothing(baseline: Path, recipe: Recipe) -> None:
    before = {p: p.stat().st_mtime_ns for p in baseline.rglob("*") if p.is_file()}
    result = run(recipe, open_store(baseline), Silent())
    assert (result.done, result.skipped) == (0, 2)
    assert before == {p: p.stat().st_mtime_ns for p in baseline.rglob("*") if p.is_file()}


def test_another_recipe_on_the_same_output_is_refused_by_name(baseline: Path, recipe: Recipe) -> None:
    other = recipe.model_copy(update={"content": recipe.content.model_copy(update={"seed": 1})})
    with pytest.raises(UserError, match=r"another lock: .*content\.seed: 0 != 1"):
        run(other, open_store(baseline), Silent())


def test_two_workers_on_s3_make_the_same_release(
    baseline: Path, recipe: Recipe, swift: SwiftServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    swift.s3.use(monkeypatch)
    actors = recipe.execution.actors
    doubled = actors.model_copy(
        update={k: getattr(actors, k).model_copy(update={"count": 2}) for k in ("writer", "browser", "camera")}
    )
    twice = recipe.model_copy(update={"execution": recipe.execution.model_copy(update={"actors": doubled})})
    swift.s3.create_bucket("same-release")
    url = "s3://same-release/some prefix"
    ray.shutdown()  # workers have the environment of the Ray that started them
    run(twice, open_store(url), Silent())
    assert digest_of(url) == digest_of(baseline)
    assert verify(open_store(url)) == []


def test_a_driver_ended_by_sigkill_resumes_to_the_same_release(
    baseline: Path, recipe: Recipe, cache: Path, tmp_path: Path
) -> None:
    path, out = write_recipe(recipe, tmp_path / "recipe.yaml"), tmp_path / "out"
    command = [sys.executable, "-m", "jobs.cli", "run", str(path), "--out", str(out)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if '"event": "shard"' in line:
                process.kill()
                break
    assert process.returncode == -signal.SIGKILL and not (out / MANIFEST_KEY).exists()
    assert len(list((out / "manifests").glob("*.json"))) == 1
    again = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0, again.stderr[-2000:]
    assert digest_of(out) == digest_of(baseline)


@pytest.mark.slow
def test_another_checkout_path_makes_the_same_release(
    baseline: Path, recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = Path(engine.run.__file__).parent.parent, tmp_path / "another place — 別處"
    for room in ("schemas", "synth", "actors", "engine", "jobs"):
        shutil.copytree(here / room, there / room, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("PYTHONPATH", str(there))
    path, out = write_recipe(recipe, tmp_path / "recipe.yaml"), tmp_path / "out"
    seen = subprocess.run(
        [sys.executable, "-c", "import engine.run; print(engine.run.__file__)"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert seen.stdout.startswith(str(there))
    command = [sys.executable, "-m", "jobs.cli", "run", str(path), "--out", str(out)]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert made.returncode == 0, made.stderr[-2000:]
    assert digest_of(out) == digest_of(baseline)


def test_one_actor_of_every_kind_may_die(baseline: Path, recipe: Recipe, local_ray: None, tmp_path: Path) -> None:
    wanted = {"writer", "browser", "camera", "reader"}
    killed: set[str] = set()
    over = threading.Event()

    def kill_each_kind_once() -> None:
        while killed != wanted and not over.is_set():
            named: list[dict[str, str]] = list_named_actors(all_namespaces=True)  # type: ignore[assignment]
            for entry in named:
                kind = entry["name"].rsplit("-", 1)[0]
                if kind in wanted - killed:
                    time.sleep(0.3)
                    try:
                        ray.kill(ray.get_actor(entry["name"], namespace=entry["namespace"]))
                        killed.add(kind)
                    except ValueError:
                        continue
            time.sleep(0.05)

    killer = threading.Thread(target=kill_each_kind_once)
    killer.start()
    try:
        run(recipe, open_store(tmp_path / "out"), Silent())
    finally:
        over.set()
        killer.join()
    assert killed == wanted
    assert digest_of(tmp_path / "out") == digest_of(baseline)


def test_samples_that_crash_hang_or_raise_are_quarantined_and_replaced(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = recipe.execution.actors.writer.model_copy(update={"deadline_s": 4})
    actors = recipe.execution.actors.model_copy(update={"writer": quick})
    faulty = recipe.model_copy(update={"execution": recipe.execution.model_copy(update={"actors": actors})})
    out = tmp_path / "out"
    monkeypatch.setattr(engine.run, "Context", FaultyContext)
    result = run(faulty, open_store(out), Silent())
    assert result.release is not None and result.release.documents == 4
    rows = pq.read_table(out / "rejections").to_pylist()
    found = {(r["index"], r["try"]): (r["reason"], r["quarantined"]) for r in rows if r["stage"] == "writer"}
    assert found == {
        (0, 0): ("crash", True),
        (1, 0): ("timeout", True),
        (2, 0): ("raised", True),
        (3, 0): ("odd", False),
    }
    records = [json.loads(p.read_text()) for p in sorted((out / "quarantine").rglob("*.json"))]
    assert all("after 3 executions" in r["detail"] for r in records) and len(records) == 3

    # Without the fault a replay still obeys the record.
    monkeypatch.undo()
    wanted = result.release.shards["train-00000"]
    for path in [*out.rglob("train-00000.parquet"), out / "manifests" / "train-00000.json", out / MANIFEST_KEY]:
        path.unlink()
    again = run(faulty, open_store(out), Silent())
    assert again.release is not None and again.done == 1
    assert again.release.shards["train-00000"] == wanted


def test_a_cell_that_rejects_nearly_all_stops_the_run_and_is_named(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = recipe.content.model_copy(update={"max_tries": 100})
    execution = recipe.execution.model_copy(update={"stop_after": 5})
    monkeypatch.setattr(engine.run, "Context", HopelessContext)
    with pytest.raises(UserError, match=r"tries of invoice/zh were rejected, over execution\.stop_rejecting_above"):
        run(Recipe(content=content, execution=execution), open_store(tmp_path), Silent())
    assert not (tmp_path / MANIFEST_KEY).exists()


def test_every_shard_is_regenerated_offline(baseline: Path, cache: Path) -> None:
    assert regenerate(open_store(baseline), "0-1", Execution(cache=cache)) == {"train-00000": [], "train-00001": []}


def test_regenerating_says_what_differs_and_what_is_not_there(baseline: Path, cache: Path, tmp_path: Path) -> None:
    store = open_store(baseline)
    with pytest.raises(UserError, match="no shard '7'"):
        regenerate(store, "7", Execution(cache=cache))
    with pytest.raises(UserError, match="no sealed release there"):
        regenerate(open_store(tmp_path), "0", Execution(cache=cache))


def test_a_longer_recipe_begins_with_the_same_shards(baseline: Path, recipe: Recipe, tmp_path: Path) -> None:
    longer = {"train": recipe.content.splits["train"].model_copy(update={"samples": 8})}
    content = recipe.content.model_copy(update={"splits": longer})
    run(recipe.model_copy(update={"content": content}), open_store(tmp_path), Silent(), shards="0-1")
    for path in sorted((baseline / "manifests").iterdir()):
        assert (tmp_path / "manifests" / path.name).read_bytes() == path.read_bytes()


def test_files_that_no_manifest_names_are_garbage_and_only_they(baseline: Path, tmp_path: Path) -> None:
    stray = baseline / "words" / "train-00009.parquet"
    mine = baseline / "notes.txt"
    stray.write_bytes(b"half a shard")
    mine.write_text("the user's own")
    store = open_store(baseline)
    assert garbage(store) == ["words/train-00009.parquet"] == collect(store)
    assert mine.exists() and not stray.exists() and verify(store) == []


def test_a_damaged_file_is_found(baseline: Path, tmp_path: Path) -> None:
    path = baseline / "words" / "train-00000.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    try:
        assert any("words/train-00000.parquet: sha256" in problem for problem in verify(open_store(baseline)))
    finally:
        path.write_bytes(whole)


@pytest.mark.slow
def test_two_runs_racing_on_one_output_leave_one_release(baseline: Path, recipe: Recipe, tmp_path: Path) -> None:
    path, out = write_recipe(recipe, tmp_path / "recipe.yaml"), tmp_path / "out"
    command = [sys.executable, "-m", "jobs.cli", "run", str(path), "--out", str(out)]
    racers = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for racer in racers:
        _, said = racer.communicate(timeout=500)
        assert racer.returncode == 0, said[-2000:]
    assert digest_of(out) == digest_of(baseline)


@pytest.mark.slow
def test_a_node_lost_in_the_middle_changes_nothing(baseline: Path, recipe: Recipe, tmp_path: Path) -> None:
    from ray.cluster_utils import Cluster

    ray.shutdown()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 4})
    node = cluster.add_node(num_cpus=4)
    try:
        ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
        lost = threading.Timer(25, lambda: cluster.remove_node(node, allow_graceful=False))
        lost.start()
        run(recipe, open_store(tmp_path), Silent())
        lost.join()
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert digest_of(tmp_path) == digest_of(baseline)


def test_a_full_disk_is_one_line_and_nothing_half_written(recipe: Recipe, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(small)]).returncode:
        pytest.skip("cannot mount a small disk here")
    try:
        with pytest.raises(UserError, match="space") as caught:
            run(recipe, open_store(small / "out"), Silent())
        assert "\n" not in str(caught.value)
        assert not (small / "out" / MANIFEST_KEY).exists()
    finally:
        subprocess.run(["umount", str(small)], check=True)
