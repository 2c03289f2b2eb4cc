"""What a release says of itself: the lock, shard manifests, the release manifest. Canonical JSON where hashed."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

LAYOUT_VERSION = 1
LOCK_KEY = "recipe.lock.json"
MANIFEST_KEY = "manifest.json"
CARD_KEY = "README.md"
LABELS_KEY = "labels.json"
AUDIT_KEY = "audit.json"


def canonical(value: Any) -> bytes:
    """The one JSON spelling that is hashed: sorted keys, no blanks, UTF-8."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    def to_bytes(self) -> bytes:
        return canonical(self.model_dump(mode="json"))


class Asset(Frozen):
    """A folder of the user's (templates or fonts), packed as a tar that lies in the store at `key`."""

    kind: str
    position: int
    key: str
    sha256: str


class SceneLock(Frozen):
    id: str
    sha256: str


class Lock(Frozen):
    """Everything a sample's bytes depend on. `digest` is the resume key; sample numbers are not part of it."""

    layout: int
    content: dict[str, Any]
    versions: dict[str, str]
    templates: dict[str, str]
    fonts: dict[str, str]
    models: dict[str, str]
    assets: list[Asset]
    scenes: list[SceneLock]

    @property
    def digest(self) -> str:
        return sha256(self.to_bytes())

    def differences(self, other: Lock) -> list[str]:
        """Dotted names of what differs, with both values."""
        found: list[str] = []
        _differ(self.model_dump(mode="json"), other.model_dump(mode="json"), "", found)
        return found


def _differ(a: Any, b: Any, path: str, found: list[str]) -> None:
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            _differ(a.get(key), b.get(key), f"{path}.{key}" if path else key, found)
    elif a != b:
        found.append(f"{path}: {_short(a)} != {_short(b)}")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


class FileEntry(Frozen):
    key: str = Field(pattern=r"^[a-z_]+/[a-z0-9][a-z0-9._-]*$")
    sha256: str
    bytes: int
    rows: int


class _Manifest(Frozen):
    faults: dict[str, int] = Field(default_factory=dict)
    """Pages that have each fault: by its name in a shard, by `split/name` in a release."""

    def to_bytes(self) -> bytes:
        data = self.model_dump(mode="json")
        if not self.faults:
            del data["faults"]  # what was made before they were counted keeps its digest
        return canonical(data)


class ShardManifest(_Manifest):
    """One committed shard: indices [start, stop) of a split. Written after its files, create-once."""

    layout: int
    lock: str
    split: str
    number: int
    start: int
    stop: int
    files: list[FileEntry]
    documents: int
    pages: int
    cells: dict[str, int]
    tries: dict[str, int]
    rejected: dict[str, int]
    scenes: dict[str, int]
    checks: dict[str, int] = Field(default_factory=dict)
    """See `schemas.checks.LabelChecks`: sums over the shard's documents."""
    fingerprints: list[str]

    @property
    def name(self) -> str:
        return shard_name(self.split, self.number)

    @property
    def document_ids(self) -> list[str]:
        """Ids of its documents, in order."""
        return [f"{self.split}-{index:08d}" for index in range(self.start, self.stop)]


class ReleaseManifest(_Manifest):
    """The whole release, written last. `digest` names its content: equal digests, equal bytes."""

    layout: int
    name: str
    version: str
    license: str
    lock: str
    shards: dict[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*-[0-9]{5,}$")], str] = Field(min_length=1)
    splits: dict[str, int]
    documents: int
    pages: int
    cells: dict[str, int]
    tries: dict[str, int]
    rejected: dict[str, int]
    scenes: dict[str, int]
    checks: dict[str, int] = Field(default_factory=dict)
    """Sums of the shards'."""
    duplicates: list[list[str]]
    files: int
    bytes: int

    @property
    def digest(self) -> str:
        return sha256(self.to_bytes())


class AuditRecord(Frozen):
    """What `pageloom audit` found in a release. Beside the manifest and under no digest: it is made after the seal.

    `release`: digest of the manifest that was audited. `total` and `cells`: sums by name, see
    `synth.audit.document.Findings`. `failed`: what did not hold. `extractors`: what common extractors make of the first
    pages, by script and extractor, see `synth.extract.readings.Reading`; no fault, since users choose theirs.
    """

    release: str
    total: dict[str, float]
    cells: dict[str, dict[str, float]]
    failed: list[str]
    extractors: dict[str, dict[str, dict[str, int]]] = {}


def shard_name(split: str, number: int) -> str:
    return f"{split}-{number:05d}"


def shard_manifest_key(split: str, number: int) -> str:
    return f"manifests/{shard_name(split, number)}.json"
