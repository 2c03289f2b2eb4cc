"""Takes the pictures: holds the baked scenes it has used lately."""

from __future__ import annotations

import resource
from collections import OrderedDict
from collections.abc import Callable, Mapping

import ray

from schemas.document import Printed
from schemas.errors import EnvironmentMismatch
from schemas.photographed import Photographed
from schemas.recipe import Content
from schemas.sample import SampleSpec
from synth.degrade.bank import SceneEntry, digest, load
from synth.degrade.camera import photograph
from synth.degrade.versions import camera_versions
from synth.truth.structure import structure

CACHE_BYTES = 256 * 1024 * 1024


class Camera:
    """`entries`: digest of every scene by id, as the lock pins them; `fetch`: bytes of an entry by digest."""

    def __init__(
        self,
        content: Content,
        entries: Mapping[str, str],
        fetch: Callable[[str], bytes],
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._content, self._entries, self._fetch, self._limit = content, dict(entries), fetch, cache_bytes
        self._held: OrderedDict[str, SceneEntry] = OrderedDict()

    def ready(self) -> dict[str, str]:
        """Versions that pictures depend on."""
        return camera_versions()

    def photograph(self, printed: Printed, spec: SampleSpec, keep: bool = True, turn: float = 1.0) -> Photographed:
        """See `synth.degrade.camera.photograph`. EnvironmentMismatch if a scene is not the one the lock pins.

        `keep`: the caller will look at the document too, not only at its rows.
        """
        pictures, document = photograph(printed, spec, self._content, self._entry, turn)
        return Photographed(spec.id, tuple(pictures), document, keep, printed.checks + structure(document))

    def rss_mb(self) -> int:
        """Most memory this process has held, in MiB."""
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    def _entry(self, scene: str) -> SceneEntry:
        if scene in self._held:
            self._held.move_to_end(scene)
            return self._held[scene]
        pinned = self._entries.get(scene)
        if pinned is None:
            raise EnvironmentMismatch("the lock pins no such scene", f"scene {scene}", "lock the recipe anew")
        data = self._fetch(pinned)
        if digest(data) != pinned:
            raise EnvironmentMismatch(
                f"its bytes have the digest {digest(data)[:16]}, the lock pins {pinned[:16]}",
                f"scene {scene}",
                "put the file of the release back, or bake a new bank: `pageloom run RECIPE --out ANOTHER`",
            )
        entry = load(data, f"scene {scene}")
        if entry.scene != scene:
            raise EnvironmentMismatch(f"the entry is of scene {entry.scene}", f"scene {scene}", "lock the recipe anew")
        self._held[scene] = entry
        while sum(e.nbytes for e in self._held.values()) > self._limit and len(self._held) > 1:
            self._held.popitem(last=False)
        return entry


CameraActor = ray.remote(Camera)
