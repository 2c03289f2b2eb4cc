"""Checks of a finished release against its manifests, and of its tables against each other."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any

from engine.commit import read_manifest
from engine.lock import stored_lock
from engine.seal import check_files, read_release
from engine.shard_tables import ShardTables, Tables, readable
from engine.store import Store
from schemas.errors import UserError
from schemas.plan import Shard
from schemas.release import ReleaseManifest, ShardManifest, sha256
from schemas.tables import COLUMNS, arrow_schema

MOST_ENDING = 4  # letters of a word that may follow an answer, where words have endings or no spaces


def release_of(store: Store) -> ReleaseManifest:
    """The manifest of a sealed release; UserError where there is none."""
    manifest = read_release(store)
    if manifest is None:
        raise UserError("no sealed release there", store.url, "finish it with `pageloom run RECIPE --out ...`")
    return manifest


def shard_manifests(store: Store, release: ReleaseManifest) -> Iterator[ShardManifest]:
    """Manifests of all shards in the release's order; UserError where one is missing."""
    for name in release.shards:
        split, number = name.rsplit("-", 1)
        manifest = read_manifest(store, Shard(0, split, int(number), 0, 0))
        if manifest is None:
            raise UserError(f"the manifest of shard {name} is missing", store.url, "restore it")
        yield manifest


def verify(store: Store) -> list[str]:
    """Everything that is wrong with a release, one line each; empty when it is whole and consistent."""
    release = release_of(store)
    lock = stored_lock(store)
    problems: list[str] = []
    if lock is None or lock.digest != release.lock:
        problems.append("the lock is missing or not the one the manifest names")
    documents = 0
    checks: Counter[str] = Counter()
    for manifest in shard_manifests(store, release):
        if sha256(manifest.to_bytes()) != release.shards[manifest.name]:
            problems.append(f"shard {manifest.name}: its manifest is not the one the release names")
        if manifest.lock != release.lock:
            problems.append(f"shard {manifest.name}: belongs to another lock")
        wrong = check_files(store, manifest.files)
        problems.extend(wrong)
        if not wrong:
            problems.extend(f"shard {manifest.name}: {p}" for p in _check_shard(store, manifest))
        documents += manifest.documents
        checks.update(manifest.checks)
    if documents != release.documents or documents != sum(release.splits.values()):
        problems.append(f"{documents} documents are there, the manifest says {release.documents}")
    if dict(checks) != release.checks:
        problems.append("the label checks in the manifest are not the sums of the shards'")
    return problems


def _check_shard(store: Store, manifest: ShardManifest) -> list[str]:
    with readable(store, manifest.name):
        tables = ShardTables(store, manifest).all_rows()
    lacking = [config for config in COLUMNS if config not in tables]
    if lacking:
        return [f"no table {config}" for config in lacking]
    try:
        return list(_check_tables(tables, manifest))
    except (KeyError, TypeError, ValueError) as error:  # a table that points into nothing
        return [f"its tables do not fit together ({type(error).__name__}: {error})"]


def _check_tables(tables: Tables, manifest: ShardManifest) -> Iterator[str]:
    ids = [row["document_id"] for row in tables["documents"]]
    expected = manifest.document_ids
    if ids != expected:
        yield f"documents are not {expected[0]} to {expected[-1]} in order"
    pages = {row["page_id"] for row in tables["pages"]}
    words: dict[str, dict[int, dict]] = {i: {} for i in ids}
    for config in COLUMNS:
        missing = set(arrow_schema(config).names) - set(
            tables[config][0] if tables[config] else arrow_schema(config).names
        )
        if missing:
            yield f"{config}: no column {sorted(missing)[0]}"
        for row in tables[config]:
            if row["document_id"] not in words and config != "rejections":
                yield f"{config}: unknown document {row['document_id']}"
            elif config not in ("pages", "rejections") and row.get("page_id") not in pages | {None}:
                yield f"{config}: unknown page {row['page_id']}"
    for row in tables["words"]:
        words.get(row["document_id"], {})[row["word_id"]] = row
    yield from _check_values(tables, words)
    yield from _check_questions(tables, words)


def _check_values(tables: Tables, words: dict[str, dict[int, dict]]) -> Iterator[str]:
    """Every leaf of every document's values is shown by a field whose words spell it."""
    shown: dict[str, dict[str, str]] = {}
    for row in tables["kie"]:
        text = "".join(words[row["document_id"]][i]["text"] for i in row["word_ids"])
        if squeeze(text) != squeeze(row["value"]):
            yield f"{row['document_id']}: {row['path']} is {row['value']!r}, its words spell {text!r}"
        shown.setdefault(row["document_id"], {})[row["path"]] = row["value"]
    for document in tables["documents"]:
        found = shown.get(document["document_id"], {})
        for path, value in leaves(json.loads(document["values"])):
            if found.get(path) is None or squeeze(found[path]) != squeeze(value):
                yield f"{document['document_id']}: value {path} is not among the fields"


def _check_questions(tables: Tables, words: dict[str, dict[int, dict]]) -> Iterator[str]:
    """Every printed answer is spelled by its words, and no question stands twice in a document."""
    seen: set[tuple[str, str]] = set()
    for row in tables.get("qa", ()):
        document = row["document_id"]
        if (document, squeeze(row["question"])) in seen:
            yield f"{row['question_id']}: the question stands twice"
        seen.add((document, squeeze(row["question"])))
        for answer, ids in zip(row["answers"], row["answer_word_ids"], strict=True):
            text = "".join(words[document][i]["text"] for i in ids)
            if ids and not _spelled(squeeze(text), squeeze(answer)):
                yield f"{row['question_id']}: the answer is {answer!r}, its words spell {text!r}"


def _spelled(words: str, answer: str) -> bool:
    """Whether words spell an answer: whole, or with what a page sets against it (a comma, a bracket, a case ending)."""
    before, found, after = words.partition(answer)
    rest = before + after
    letters = sum(c.isalnum() for c in rest)
    return bool(found) and (
        letters == 0 or (letters <= MOST_ENDING and not any(c.isascii() and c.isalnum() for c in rest))
    )


def squeeze(text: str) -> str:
    """NFC without white space: how values and words are compared."""
    return "".join(unicodedata.normalize("NFC", text).split())


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, text) of every leaf, paths like `items[0].price`."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield from leaves(child, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for i, child in enumerate(value):
            yield from leaves(child, f"{path}[{i}]")
    else:
        yield path, value
