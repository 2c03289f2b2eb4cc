"""`pageloom export` as a command: what it writes once, refuses, counts and leaves behind."""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.commit import read_manifest
from engine.shard_tables import ShardTables
from engine.store import Store, open_store
from jobs import export_run
from jobs.export_read import Selection, document_rows, parts_of, samples
from schemas.errors import UserError
from schemas.plan import Shard
from schemas.release import MANIFEST_KEY, FileEntry, ReleaseManifest, sha256, shard_manifest_key
from synth.export.coco import Coco
from synth.export.formats import FORMATS
from synth.export.rows import Sample
from tests.fixtures.s3 import S3Server
from tests.jobs.export_release import sealed_release, tables
from tests.jobs.said import Pageloom, is_one_line


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sealed_release(tmp_path_factory.mktemp("export") / "my réléase 文")


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_fixture_is_a_release(pageloom: Pageloom, release: Path) -> None:
    said = pageloom("verify", release)
    assert said.code == 0, said.err


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_bytes_again_and_what_a_dry_run_says(
    pageloom: Pageloom, release: Path, tmp_path: Path, name: str
) -> None:
    would = pageloom("export", release, "--format", name, "--out", tmp_path / "one", "--dry-run")
    assert would.code == 0 and not list(tmp_path.iterdir())
    for out in ("one", "two"):
        said = pageloom("export", release, "--format", name, "--out", tmp_path / out)
        assert said.code == 0 and said.err == "", said.err
    first = digests(tmp_path / "one")
    assert first == digests(tmp_path / "two")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]  # no lock, no part
    about = json.loads((tmp_path / "one/export.json").read_text("utf-8"))
    assert about["counts"]["documents"] == 6 and about["counts"]["pages"] == 12
    size = sum((tmp_path / "one" / file).stat().st_size for file in first)
    own = (tmp_path / "one/export.json").stat().st_size
    assert (about["files_besides_this"], about["bytes_besides_this"]) == (len(first) - 1, size - own)
    # README and export.json are not in the dry run's bytes, which are rounded anyway.
    assert would.out.startswith(f"would write {said.out.split(';')[0]}; ") and "6 documents, 12 pages" in would.out
    assert f"; {len(first)} files, " in would.out and "about" not in would.out


def test_what_is_beside_the_export(pageloom: Pageloom, release: Path, tmp_path: Path) -> None:
    said = pageloom(
        "export", release, "--format", "coco", "--out", tmp_path / "x", "--split", "train", "--language", "zh,bn"
    )
    assert said.out.endswith(f"in {tmp_path / 'x'}\n")
    manifest = ReleaseManifest.model_validate_json((release / MANIFEST_KEY).read_bytes())
    about = json.loads((tmp_path / "x/export.json").read_text("utf-8"))
    assert about["release"] == {
        "name": "books", "version": "1.0.0", "license": "CC-BY-4.0", "digest": manifest.digest, "lock": manifest.lock
    }  # fmt: skip
    assert about["selection"] == {"splits": ["train"], "languages": ["zh", "bn"], "types": "all"}
    readme = (tmp_path / "x/README.md").read_text("utf-8")
    assert "CC-BY-4.0" in readme and manifest.digest in readme and "pycocotools" in readme


def test_filters(pageloom: Pageloom, release: Path, tmp_path: Path) -> None:
    args = ["--format", "docvqa", "--language", "bn", "--language", "en", "--types", "receipt", "--split", "test"]
    assert pageloom("export", release, *args, "--out", tmp_path / "x").code == 0
    rows = tables()
    wanted = {
        d["document_id"]
        for d in rows["documents"]
        if d["language"] in ("bn", "en") and d["type"] == "receipt" and d["document_id"].startswith("test")
    }
    asked = json.loads((tmp_path / "x/qas/test_v1.0_withQT.json").read_text("utf-8"))["data"]
    assert {one["ucsf_document_id"] for one in asked} == wanted and len(wanted) == 2
    pages = {p["page_id"] for p in rows["pages"] if p["document_id"] in wanted}
    assert {file.stem for file in (tmp_path / "x/documents").iterdir()} == pages
    assert not (tmp_path / "x/qas/train_v1.0_withQT.json").exists()


def test_bad_input_is_one_line(pageloom: Pageloom, release: Path, tmp_path: Path) -> None:
    out = tmp_path / "x"

    def asked(*words: object, of: object = release, format: str = "coco", to: object = out):
        return pageloom("export", of, "--format", format, "--out", to, *words)

    is_one_line(asked(format="cocoa"), "'cocoa'", "did you mean coco?")
    is_one_line(asked(format="x"), "unknown format", "unikie-open", "webdataset")
    for place in (tmp_path, tmp_path / "absent"):
        is_one_line(asked(of=place), str(place), "no sealed release")
    is_one_line(asked("--types", "menu"), "--types", "'menu'", "form, receipt")
    is_one_line(asked("--language", "en,fr"), "--language", "'fr'", "bn, en, zh")
    is_one_line(asked("--split", "dev"), "--split", "'dev'", "train")
    is_one_line(asked("--types", "form", "--language", "en"), "no document of the release matches")
    is_one_line(asked(to="s3://bucket/x"), "--out", "folder")
    is_one_line(asked(to=release), "inside the release")
    is_one_line(asked(to=release / "exports/coco"), "inside the release")
    (tmp_path / "link").symlink_to(release)
    is_one_line(asked(to=tmp_path / "link/coco"), "inside the release")
    (tmp_path / "file").write_text("")
    is_one_line(asked(to=tmp_path / "file"), "is no folder")
    is_one_line(asked("--dry-run", to=tmp_path / "file"), "is no folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "link"]
    assert not any("export" in path.name for path in release.iterdir())


def test_an_unsealed_release_is_refused(pageloom: Pageloom, release: Path, tmp_path: Path) -> None:
    shutil.copytree(release, tmp_path / "r")
    (tmp_path / "r" / MANIFEST_KEY).unlink()
    is_one_line(pageloom("export", tmp_path / "r", "--format", "coco", "--out", tmp_path / "x"), "no sealed release")


def test_a_folder_that_holds_something_stays_as_it_is(pageloom: Pageloom, release: Path, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    assert pageloom("export", release, "--format", "coco", "--out", tmp_path / "x").code == 0  # empty is fine
    before = digests(tmp_path / "x")
    is_one_line(pageloom("export", release, "--format", "funsd", "--out", tmp_path / "x"), "not empty")
    assert digests(tmp_path / "x") == before


DAMAGES: dict[str, Callable[[Path], object]] = {
    "gone": lambda path: path.unlink(),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "no parquet": lambda path: path.write_bytes(b"nothing"),
    "empty": lambda path: pq.write_table(pq.read_table(path).slice(0, 0), path),
    "shuffled": lambda path: pq.write_table(pq.read_table(path).sort_by([("document_id", "descending")]), path),
}


@pytest.mark.parametrize(
    ("table", "damage"),
    [("documents", "gone"), ("pages", "cut"), ("words", "no parquet"), ("words", "empty"), ("pages", "shuffled")],
)
def test_a_damaged_release_leaves_nothing(
    pageloom: Pageloom, release: Path, tmp_path: Path, table: str, damage: str
) -> None:
    shutil.copytree(release, tmp_path / "r")
    DAMAGES[damage](tmp_path / "r" / table / "train-00000.parquet")
    said = pageloom("export", tmp_path / "r", "--format", "omnidocbench", "--out", tmp_path / "x")
    is_one_line(said, "train-00000", "pageloom verify")
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_an_export_that_ends_in_the_middle_leaves_nothing(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = Coco.add

    def interrupted(self: Coco, sample: Sample) -> None:
        add(self, sample)
        if self.counts["documents"] == 2:
            assert not (tmp_path / "x").exists() and any((tmp_path / ".x.partial").rglob("*.jpg"))
            raise KeyboardInterrupt

    monkeypatch.setattr(Coco, "add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        export_run.export(open_store(release), "coco", str(tmp_path / "x"), Selection())
    assert not list(tmp_path.iterdir())


def test_what_a_killed_export_left_goes(pageloom: Pageloom, release: Path, tmp_path: Path) -> None:
    (tmp_path / ".x.partial/images").mkdir(parents=True)
    (tmp_path / ".x.partial/images/half.jpg").write_bytes(b"half")
    (tmp_path / ".x.lock").touch()
    assert pageloom("export", release, "--format", "coco", "--out", tmp_path / "x").code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["x"] and not (tmp_path / "x/images/half.jpg").exists()


def test_two_exports_to_one_place(pageloom: Pageloom, release: Path, tmp_path: Path) -> None:
    (tmp_path / ".x.partial").mkdir()
    with (tmp_path / ".x.lock").open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        is_one_line(pageloom("export", release, "--format", "coco", "--out", tmp_path / "x"), "another export")
    assert (tmp_path / ".x.partial").exists() and not (tmp_path / "x").exists()


def test_what_appears_there_meanwhile_is_not_overwritten(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def occupied(self: Coco) -> None:
        (tmp_path / "x").mkdir()
        (tmp_path / "x/mine").write_text("mine")

    monkeypatch.setattr(Coco, "close", occupied)
    with pytest.raises(UserError, match="something was put there"):
        export_run.export(open_store(release), "coco", str(tmp_path / "x"), Selection())
    assert [path.name for path in tmp_path.rglob("*")] == ["x", "mine"]


def test_a_dry_run_of_many_shards_measures_some(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_run, "_MEASURED", 2)
    store = open_store(release)
    found = export_run.dry_run(store, "coco", str(tmp_path / "x"), Selection())
    assert not found.exact and str(found).count("about") == 4
    exact = export_run.export(store, "coco", str(tmp_path / "x"), Selection())
    assert found.counts["documents"] == exact.counts["documents"]
    assert 0.5 < found.bytes / exact.bytes < 2


def test_only_row_groups_at_a_time_are_in_memory(release: Path, tmp_path: Path) -> None:
    """The picture bytes that Arrow holds stay at a few row groups, however long the shard is."""
    store = open_store(sealed_release(tmp_path / "r", per_cell=5, pages=2))
    _, parts = parts_of(store, Selection())
    whole = sum(f.bytes for part in parts for f in part.manifest.files if f.key.startswith("pages/"))
    group = max(
        pq.ParquetFile(file).metadata.row_group(g).total_byte_size
        for file in (tmp_path / "r/pages").iterdir()
        for g in range(pq.ParquetFile(file).metadata.num_row_groups)
    )
    before, most, seen = pa.total_allocated_bytes(), 0, 0
    for part in parts:
        for _ in samples(store, part, Selection(), ()):
            most, seen = max(most, pa.total_allocated_bytes() - before), seen + 1
    assert seen == 15 and most < 3 * group < whole / 3


def test_columns_and_documents_that_nobody_asked_for_are_not_read(release: Path) -> None:
    store = open_store(release)
    _, (part, *_) = parts_of(store, Selection(languages=("zh",)))
    (row,) = document_rows(store, part, Selection(languages=("zh",)))
    assert row["language"] == "zh" and "pdf" not in row
    (one,) = samples(store, part, Selection(languages=("zh",)), ("words",))
    assert [p.number for p in one.pages] == [0, 1] and one.pages[0].words and not one.pages[0].layout


def test_from_s3_the_same_bytes(release: Path, tmp_path: Path, moto: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    moto.use(monkeypatch)
    moto.create_bucket("export-release")
    store = open_store("s3://export-release/r")
    for path in release.rglob("*"):
        if path.is_file():
            store.put_new(str(path.relative_to(release)), path.read_bytes())
    export_run.export(store, "webdataset", str(tmp_path / "s3"), Selection())
    export_run.export(open_store(release), "webdataset", str(tmp_path / "folder"), Selection())
    assert digests(tmp_path / "s3") == digests(tmp_path / "folder")


def test_a_release_in_tars_exports_the_same(release: Path, tmp_path: Path) -> None:
    _as_tars(open_store(release), open_store(tmp_path / "tars"))
    for place, out in ((release, "a"), (tmp_path / "tars", "b")):
        export_run.export(open_store(place), "omnidocbench", str(tmp_path / out), Selection(types=("form",)))
    a, b = digests(tmp_path / "a"), digests(tmp_path / "b")
    assert set(a) == set(b) and {key for key in a if a[key] != b[key]} == {"README.md", "export.json"}  # the digest


def _as_tars(store: Store, out: Store) -> None:
    """The release again, as `content.format: webdataset` stores it."""
    release = ReleaseManifest.model_validate_json(store.get(MANIFEST_KEY))
    for name in release.shards:
        split, number = name.rsplit("-", 1)
        manifest = read_manifest(store, Shard(0, split, int(number), 0, 0))
        assert manifest
        rows, buffer = ShardTables(store, manifest).all_rows(), io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            for document in rows["documents"]:
                mine = {t: [r for r in some if r["document_id"] == document["document_id"]] for t, some in rows.items()}
                files = {"pdf": document.pop("pdf")}
                for page in mine["pages"]:
                    files[f"{page['page']}.jpg"] = page.pop("image")["bytes"]
                    page["image"] = f"{page['page']}.jpg"
                files["json"] = json.dumps(mine).encode()
                for suffix, data in files.items():
                    info = tarfile.TarInfo(f"{document['document_id']}.{suffix}")
                    info.size = len(data)
                    tar.addfile(info, io.BytesIO(data))
        data = buffer.getvalue()
        entry = FileEntry(key=f"data/{name}.tar", sha256=sha256(data), bytes=len(data), rows=manifest.documents)
        made = manifest.model_copy(update={"files": [entry]})
        out.put_new(entry.key, data)
        out.put_new(shard_manifest_key(split, int(number)), made.to_bytes())
        release.shards[name] = sha256(made.to_bytes())
    out.put_new(MANIFEST_KEY, release.to_bytes())
