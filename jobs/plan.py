"""`pageloom plan`: what a recipe would make, and what it would cost."""

from __future__ import annotations

import time
from decimal import Decimal

import typer

from actors.inventory import check
from engine.cluster import wanted_cpus
from engine.llm_steps import models_of
from jobs.costs import Cost
from jobs.pilot import Estimate, constants, measure
from schemas.execution import ACTOR_KINDS
from schemas.plan import Plan
from schemas.recipe import Recipe


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
    planned = time.perf_counter() - start
    estimate = measure(recipe, pilot) if pilot else constants(recipe)
    _print_estimate(estimate, plan, recipe)
    _print_models(estimate, plan, recipe)
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


def _print_models(estimate: Estimate, plan: Plan, recipe: Recipe) -> None:
    """What language models would be asked, by stage, and what that costs."""
    names, settings = models_of(recipe.content), recipe.execution.llm
    if not names:
        typer.echo("language models: none, 0 tokens, no cost")
        return
    typer.echo(f"language models: {', '.join(names)}")
    if settings is None:
        typer.echo("  execution.llm says nothing of where they are: a run would stop at once")
    if not estimate.calls:
        typer.echo("  tokens and cost are not known; --pilot N asks them about N documents")
        return
    times = plan.samples / estimate.documents
    total = Cost()
    for (stage, model), cost in sorted(estimate.calls.items()):
        typer.echo(f"  {stage:<20} {model:<24} {cost.calls * times:>12,.0f} calls {cost.tokens * times:>14,.0f} tokens")
        total.calls, total.prompt_tokens = total.calls + cost.calls, total.prompt_tokens + cost.tokens
        total.cost += cost.cost
    money = f", cost {total.cost * Decimal(str(times)):,.2f}" if settings is not None and settings.prices else ""
    typer.echo(f"  in all {total.calls * times:,.0f} calls, {total.tokens * times:,.0f} tokens{money}")
    budget = settings.budget if settings is not None else None
    if budget is not None and budget.tokens is not None and budget.tokens < total.tokens * times:
        typer.echo(f"  the budget of {budget.tokens:,} tokens will stop the run before its end")
    if budget is not None and budget.cost is not None and budget.cost < total.cost * Decimal(str(times)):
        typer.echo(f"  the budget of {budget.cost:,} will stop the run before its end")


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000:
            return f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} PB"
