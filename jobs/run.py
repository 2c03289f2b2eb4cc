"""`pageloom run`: the driver with a reporter on it."""

from __future__ import annotations

import typer

from engine.progress import reporter
from engine.run import run
from engine.store import Store
from schemas.recipe import Recipe


def run_recipe(recipe: Recipe, store: Store, shards: str | None, address: str | None) -> None:
    """Make or resume a release and print how it ended."""
    watcher = reporter()
    try:
        result = run(recipe, store, watcher, shards, address)
    finally:
        watcher.close()
    if result.release is None:
        typer.echo(f"made {result.done} shards ({result.skipped} were there); run the rest to seal the release")
        return
    r = result.release
    typer.echo(
        f"{r.name} {r.version}: {r.documents} documents, {r.pages} pages in {len(r.shards)} shards at {store.url}"
    )
    typer.echo(f"digest {r.digest}")
