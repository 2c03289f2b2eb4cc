"""What a worker needs to start an engine of each kind, wherever it is placed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from actors import builders
from engine.assets import local_folders
from engine.store import Store
from schemas.execution import Execution
from schemas.recipe import Content
from schemas.release import Lock


@dataclass(frozen=True)
class Context:
    """All that decides a run, sent to every worker. `content` names the recipe's own folders; see `local_content`."""

    content: Content
    execution: Execution
    lock: Lock
    store: Store
    cache: str
    offline: bool = False
    desk: Any = None
    """Handle of the actor that asks models (engine.llm_desk); None where the recipe needs none."""

    def builder(self, kind: str) -> Callable[[], Any]:
        """A function that, called inside the actor, makes the engine of this kind and checks it against the lock."""
        return partial(_BUILD[kind], self)

    def local_content(self) -> Content:
        """The content with the user's folders replaced by local copies of what the lock pins."""
        cache = Path(self.cache)
        kinds = ("templates", "fonts", "examples", "personas")
        return with_folders(
            self.content, **{kind: local_folders(self.store, self.lock.assets, kind, cache) for kind in kinds}
        )


def with_folders(
    content: Content,
    templates: tuple[Path, ...],
    fonts: tuple[Path, ...],
    examples: tuple[Path, ...] = (),
    personas: tuple[Path, ...] = (),
) -> Content:
    """The content with other folders in place of the user's own."""
    own = {"folders": templates, "examples": next(iter(examples), None), "personas": next(iter(personas), None)}
    writer = content.writer.model_copy(update=own)
    return content.model_copy(update={"writer": writer, "fonts": content.fonts.model_copy(update={"folders": fonts})})


def scene_key(digest: str) -> str:
    """Where a scene bank entry lies in the store."""
    return f"bank/{digest}.scene"


def _writer(context: Context) -> Any:
    return builders.writer(context.local_content(), context.lock.templates)


def _browser(context: Context) -> Any:
    lock, sandbox = context.lock, context.execution.sandbox
    if sandbox == "auto" and context.content.writer.kind == "llm":
        sandbox = "require"  # what a model writes is hostile (DESIGN decision 14)
    return builders.browser(context.local_content(), lock.fonts, lock.versions["chromium"], sandbox)


def _camera(context: Context) -> Any:
    entries = {scene.id: scene.sha256 for scene in context.lock.scenes}
    calibration = context.lock.versions.get("calibration")
    return builders.camera(context.content, entries, partial(_fetch_scene, context.store), calibration)


def _fetch_scene(store: Store, digest: str) -> bytes:
    return store.get(scene_key(digest))


def _reader(context: Context) -> Any:
    return builders.reader(Path(context.cache), context.lock.models)


_BUILD = {"writer": _writer, "browser": _browser, "camera": _camera, "reader": _reader}
