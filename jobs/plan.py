"""`pageloom plan`: what a recipe would make, and what it would cost."""

from __future__ import annotations

import time

import typer

from actors.inventory import check
from engine.cluster import wanted_cpus
from jobs.pilot import Estimate, constants, measure
from schemas.plan import Plan
from schemas.recipe import ACTOR_KINDS, Recipe


def print_plan(recipe: Recipe, pilot: int) -> None:
    """Shards, counts per cell, actors, bytes and hours. Draws nothing: ten million samples take no longer than ten.

    UserError at the end for templates or fonts that a run would refuse.
    """
    start = time.perf_counter()
    plan = Plan(recipe.content)
    typer.echo(f"{recipe.content.name} {recipe.content.version}: {plan.samples:,} documents in {len(plan):,} shards")
    for name, split in recipe.content.splits.items():
        typer.echo(f"  {name}: {split.samples:,} documents, {-(-split.samples // recipe.content.shard_size):,} shards")
    for name in plan.short_tails:
        typer.echo(f"  note: the last shard of {name} is short; a longer release will make it anew")
    typer.echo("documents by type/language:")
    counts = plan.counts()
    for cell in next(iter(counts.values())):
        typer.echo(f"  {cell:<20}" + "  ".join(f"{name} {part[cell]:,}" for name, part in counts.items()))
    execution = recipe.execution
    actors = {kind: getattr(execution.actors, kind) for kind in ACTOR_KINDS}
    typer.echo(f"actors, each of {execution.runners} runners; {wanted_cpus(execution)} CPUs in all:")
    for kind, pool in actors.items():
        typer.echo(
            f"  {kind:<8} {pool.count} x {pool.num_cpus:g} CPU, {pool.num_gpus:g} GPU, deadline {pool.deadline_s:g} s"
        )
    typer.echo("language model: none (template writer), 0 tokens, no cost")
    planned = time.perf_counter() - start
    estimate = measure(recipe, pilot) if pilot else constants(recipe)
    _print_estimate(estimate, plan, recipe)
    typer.echo(f"planned in {planned:.2f} s")
    check(recipe.content)
    typer.echo("the templates and fonts it asks for are here and can be used")


def _print_estimate(estimate: Estimate, plan: Plan, recipe: Recipe) -> None:
    size = estimate.bytes_per_document * plan.samples
    workers = recipe.execution.runners * min(
        recipe.execution.actors.browser.count, recipe.execution.actors.camera.count
    )
    hours = estimate.cpu_seconds_per_document * plan.samples / 3600
    typer.echo(f"expected ({estimate.source}):")
    typer.echo(f"  bytes  {_size(size)} ({_size(estimate.bytes_per_document)} a document)")
    typer.echo(f"  time   {hours:,.2f} CPU hours, about {hours / workers:,.2f} hours on {workers} lanes of free cores")
    if estimate.rejected is not None:
        typer.echo(f"  tries  {estimate.rejected:.0%} of the pilot's tries were rejected")


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000:
            return f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} PB"
