"""Keeps Blender loaded in a process of its own and bakes scenes."""

from __future__ import annotations

import resource

import ray

from synth.degrade.bake import bake
from synth.degrade.scenes import SceneSpec
from synth.degrade.versions import blender_version


class Baker:
    """Bakes one scene at a time. Blender's memory grows from bake to bake: recycle by count and by `rss_mb`."""

    def ready(self) -> dict[str, str]:
        """Load Blender; what `versions` says."""
        import bpy  # noqa: F401  the load is the point

        return self.versions()

    def bake(self, scene: SceneSpec) -> bytes:
        """Bytes of the scene's bank entry; name them by `synth.degrade.bank.digest`."""
        return bake(scene)

    def rss_mb(self) -> int:
        """Most memory this process has held, in MiB."""
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    def versions(self) -> dict[str, str]:
        return {"blender": blender_version()}


BakerActor = ray.remote(Baker)
