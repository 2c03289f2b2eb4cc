"""`pageloom preview`: one sample in seconds, in this process, with its boxes over its page."""

from __future__ import annotations

import asyncio
import tempfile
import webbrowser
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import typer

from actors.inventory import take
from engine.assets import pack_all, publish
from engine.cluster import cache_folder, join, leave
from engine.kinds import Context
from engine.llm_steps import models_of
from engine.local import LocalStages, make_one
from engine.lock import draft
from engine.rows import Accepted
from engine.run import check_models
from engine.scenes import cached_scene, keep
from engine.store import open_store
from jobs.overlay import preview_html
from jobs.pilot import models_here
from schemas.document import Printed
from schemas.errors import UserError
from schemas.photographed import Photographed
from schemas.recipe import Recipe
from schemas.sample import Rejection, SampleSpec
from synth.degrade.bake import bake
from synth.degrade.bank import SceneEntry, load
from synth.degrade.camera import photograph


class PreviewCamera:
    """A camera that bakes the one scene it needs when it needs it, instead of asking a lock for all of them."""

    def __init__(self, context: Context, cache: Path) -> None:
        self.content, self.cache = context.content, cache
        inventory = take(context.content)
        self.scenes = {scene.id: scene for scene in inventory.scenes}
        self.blender = inventory.versions["blender"]

    def photograph(self, printed: Printed, spec: SampleSpec, keep: bool) -> Photographed:
        pictures, document = photograph(printed, spec, self.content, self.entry)
        return Photographed(spec.id, tuple(pictures), document, keep)

    def entry(self, scene: str) -> SceneEntry:
        path = cached_scene(self.cache, self.scenes[scene], self.blender)
        if not path.exists():
            typer.echo(f"baking scene {scene} ...", err=True)
            # A process of its own: Blender crashes in a thread that is not the first.
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as blender:
                keep(path, blender.submit(bake, self.scenes[scene]).result())
        return load(path.read_bytes(), str(path))


def make_preview(recipe: Recipe, split: str | None, index: int) -> tuple[Accepted, tuple[Rejection, ...]]:
    """One sample, made without Ray and without an output. UserError if there is no such split or index."""
    name = split if split is not None else next(n for n, s in recipe.content.splits.items() if s.samples)
    if name not in recipe.content.splits:
        raise UserError(f"no split {name!r}", "--split", f"the recipe has {', '.join(recipe.content.splits)}")
    size = recipe.content.splits[name].samples
    if not 0 <= index < size:
        fix = f"give 0 to {size - 1}" if size else "name another split"
        raise UserError(f"no index {index} in split {name}, which has {size} samples", "--index", fix)
    check_models(recipe)
    cache = cache_folder(recipe.execution)
    with tempfile.TemporaryDirectory(prefix="pageloom-preview-") as folder:
        store = open_store(folder)
        packed = pack_all(recipe.content)
        publish(store, packed)
        lock = draft(recipe.content, take(recipe.content), [asset for asset, _ in packed], [])
        context = Context(recipe.content, recipe.execution, lock, store, str(cache))
        with LocalStages(context) as stages:
            stages.use("camera", PreviewCamera(context, cache))
            return _made(stages, recipe, name, index)


def _made(stages: LocalStages, recipe: Recipe, split: str, index: int) -> tuple[Accepted, tuple[Rejection, ...]]:
    """The sample; a local Ray is started where the recipe asks models, since clients live in actors."""

    async def make() -> tuple[Accepted, tuple[Rejection, ...]]:
        async with models_here(recipe, stages.context.store) as models:
            return await make_one(stages, split, index, models)

    started = join(recipe.execution) if models_of(recipe.content) else False
    try:
        return asyncio.run(make())
    finally:
        leave(started)


def preview_sample(recipe: Recipe, split: str | None, index: int, out: Path | None, show: bool) -> None:
    """Make one sample, write its page as HTML, say where, and open it where there is a browser."""
    accepted, rejections = make_preview(recipe, split, index)
    for rejection in rejections:
        typer.echo(
            f"try {rejection.attempt} rejected by {rejection.stage}: {rejection.reason} {rejection.detail}", err=True
        )
    spec, html = accepted.spec, accepted.html
    title = f"{spec.id} · {spec.type}/{spec.language} · {html.family}"
    path = out or Path(tempfile.gettempdir()) / f"pageloom-preview-{recipe.content.name}-{spec.id}.html"
    path.write_text(
        preview_html(accepted.document, accepted.pictures, html.schema, html.values, title), encoding="utf-8"
    )
    typer.echo(f"preview: {path}")
    if show:
        webbrowser.open(path.resolve().as_uri())
