"""`pageloom audit`: sampled documents of a release are printed again and their labels held against pdfium."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import typer
from rich.progress import track

from engine.cluster import cache_folder
from engine.commit import read_manifest
from engine.kinds import Context
from engine.llm_ledger import LlmLedger
from engine.llm_steps import Models, written
from engine.local import LocalStages
from engine.lock import check_environment
from engine.regenerate import Overlay, default_execution, released_content
from engine.shard_tables import ShardTables
from engine.store import Store, open_store
from schemas.plan import Plan
from schemas.prices import free
from schemas.release import shard_name
from schemas.sample import SampleSpec
from synth.audit.document import Findings

# What must hold (label: share of the first that the second must reach).
LIMITS = {
    "words whose ink box ends within 1 px of the ink on all sides": ("words_within_1", 0.95),
    "words whose ink box ends within 2 px of the ink on all sides": ("words_within_2", 0.995),
}
NONE = {
    "words without ink": "words_without_ink",
    "words whose text in the PDF (ActualText honoured) is not the DOM's": "words_with_other_text",
    "children outside their parent": "uncontained",
    "boxes without extent": "bad_extents",
    "words out of order": "out_of_order",
}


def audit_release(store: Store, documents: int, out: Path | None) -> bool:
    """Audit that many documents, spread evenly over types and languages; whether all limits hold.

    UserError where this machine is not the one that the lock pins, since it would print other pages.
    """
    content, lock = released_content(store)
    chosen = _chosen(store, Plan(content), documents)
    cells: dict[str, Findings] = defaultdict(Findings)
    with tempfile.TemporaryDirectory(prefix="pageloom-audit-") as folder:
        execution = default_execution(None)
        overlay = Overlay(store, open_store(folder))
        context = Context(content, execution, lock, overlay, str(cache_folder(execution)), offline=True)
        check_environment(lock, context.local_content())
        with LocalStages(context) as stages:
            for spec in track(chosen, "auditing", transient=True):
                cells[f"{spec.type}/{spec.language}"] += asyncio.run(_one(stages, overlay, spec))
    return _say(dict(sorted(cells.items())), out)


async def _one(stages: LocalStages, store: Store, spec: SampleSpec) -> Findings:
    content = stages.context.content
    if content.writer.kind == "llm":  # what the model said is in the ledger of the sample's shard
        shard = shard_name(spec.split, spec.index // content.shard_size)
        html = await written(Models(LlmLedger(store, shard, None, free)), spec, spec.id, stages.call)
    else:
        html = await stages.call("writer", spec.id, "write", spec)
    return await stages.call("browser", spec.id, "audit", html)


def _chosen(store: Store, plan: Plan, documents: int) -> list[SampleSpec]:
    """Accepted tries of released documents: shards in an order drawn by the release, from each cell in turn."""
    by_cell: dict[tuple[str, str], list[SampleSpec]] = defaultdict(list)
    shards = list(range(len(plan)))
    Random(0).shuffle(shards)
    for number in shards:
        shard = plan.shard(number)
        manifest = read_manifest(store, shard)
        if manifest is None:
            continue
        for row in ShardTables(store, manifest).table("documents", ["index", "try"]).to_pylist():
            spec = plan.spec(shard.split, row["index"])
            for _ in range(row["try"]):
                spec = spec.next_try()
            by_cell[spec.type, spec.language].append(spec)
        if sum(map(len, by_cell.values())) >= 2 * documents:
            break
    dealt = [specs[k] for k in range(max(map(len, by_cell.values()))) for specs in by_cell.values() if k < len(specs)]
    return dealt[:documents]


def _say(cells: dict[str, Findings], out: Path | None) -> bool:
    total = sum(cells.values(), Findings())
    measured = total.edges // 4
    typer.echo(f"{total.documents} documents, {total.pages} pages, {total.words} words printed again")
    failed: list[str] = []
    for what, (name, least) in LIMITS.items():
        share = getattr(total, name) / max(1, measured)
        failed += [what] if share < least else []
        typer.echo(f"  {share:8.3%}  {what} (at least {least:.1%}; {measured} words painted alone)")
    typer.echo(
        f"  {total.edges_within_1 / max(1, total.edges):8.3%}  edges within 1 px; worst {total.worst_edge:.2f} px"
    )
    for what, name in NONE.items():
        failed += [what] if getattr(total, name) else []
        typer.echo(f"  {getattr(total, name):8}  {what} (none may be)")
    for what, count in (
        ("pages with words that read otherwise in the PDF", total.pages_with_other_text),
        ("words that share a text object with another and were not measured", total.words_not_alone),
        ("pages with text that is no word's (list markers, generated text)", total.pages_with_stray_ink),
    ):
        typer.echo(f"  {count:8}  {what}")
    if out is not None:
        figures: dict[str, Any] = {"total": asdict(total), "cells": {k: asdict(v) for k, v in cells.items()}}
        out.write_text(json.dumps(figures | {"failed": failed}, indent=1) + "\n", encoding="utf-8")
    typer.echo("the labels hold" if not failed else f"not held: {'; '.join(failed)}")
    return not failed
