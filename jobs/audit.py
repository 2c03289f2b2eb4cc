"""`pageloom audit`: sampled documents of a release are printed again and their labels held against pdfium."""

from __future__ import annotations

import asyncio
import tempfile
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from random import Random

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
from engine.verify import release_of
from schemas.plan import Plan
from schemas.prices import free
from schemas.release import AUDIT_KEY, AuditRecord, shard_name
from schemas.sample import SampleSpec
from synth.audit.document import Findings
from synth.extract.readings import Readings, summed

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

    The figures are kept beside the manifest for `pageloom report`, and written to `out` where it is given. UserError
    where this machine is not the one that the lock pins, since it would print other pages.
    """
    content, lock = released_content(store)
    chosen = _chosen(store, Plan(content), documents)
    cells: dict[str, Findings] = defaultdict(Findings)
    read: Readings = {}
    with tempfile.TemporaryDirectory(prefix="pageloom-audit-") as folder:
        execution = default_execution(None)
        overlay = Overlay(store, open_store(folder))
        context = Context(content, execution, lock, overlay, str(cache_folder(execution)), offline=True)
        check_environment(lock, context.local_content())
        with LocalStages(context) as stages:
            for spec in track(chosen, "auditing", transient=True):
                found, readings = asyncio.run(_one(stages, overlay, spec))
                cells[f"{spec.type}/{spec.language}"] += found
                read = summed(read, readings)
    total = sum(cells.values(), Findings())
    record = AuditRecord(
        release=release_of(store).digest,
        total=asdict(total),
        cells={cell: asdict(found) for cell, found in sorted(cells.items())},
        failed=_failed(total),
        extractors=_by_script(read),
    )
    data = record.model_dump_json(indent=1).encode() + b"\n"
    store.put(AUDIT_KEY, data)
    if out is not None:
        out.write_bytes(data)
    _say(total, record)
    return not record.failed


async def _one(stages: LocalStages, store: Store, spec: SampleSpec) -> tuple[Findings, Readings]:
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


def _failed(total: Findings) -> list[str]:
    """What does not hold."""
    measured = max(1, total.edges // 4)
    low = [what for what, (name, least) in LIMITS.items() if getattr(total, name) / measured < least]
    return low + [what for what, name in NONE.items() if getattr(total, name)]


def _by_script(read: Readings) -> dict[str, dict[str, dict[str, int]]]:
    found: dict[str, dict[str, dict[str, int]]] = defaultdict(dict)
    for (script, extractor), reading in read.items():
        found[script][extractor] = asdict(reading)
    return found


def _say(total: Findings, record: AuditRecord) -> None:
    measured = total.edges // 4
    typer.echo(f"{total.documents} documents, {total.pages} pages, {total.words} words printed again")
    for what, (name, least) in LIMITS.items():
        share = getattr(total, name) / max(1, measured)
        typer.echo(f"  {share:8.3%}  {what} (at least {least:.1%}; {measured} words painted alone)")
    within = total.edges_within_1 / max(1, total.edges)
    typer.echo(f"  {within:8.3%}  edges within 1 px; worst {total.worst_edge:.2f} px")
    for what, name in NONE.items():
        typer.echo(f"  {getattr(total, name):8}  {what} (none may be)")
    for what, count in (
        ("pages with words that read otherwise in the PDF", total.pages_with_other_text),
        ("words that share a text object with another and were not measured", total.words_not_alone),
        ("pages with text that is no word's", total.pages_with_stray_ink),
        ("words that the PDF's tags give to another text node than the probe print", total.tags_disagree),
        ("words without tags (generated, or hidden from screen readers)", total.tags_silent),
        ("words that only the tags could place", total.tags_only),
    ):
        typer.echo(f"  {count:8}  {what}")
    for script, extractors in record.extractors.items():
        said = (
            f"{name} {found['exact']}/{found['pages']} pages, {found['lost']} lost, {found['added']} added"
            for name, found in extractors.items()
        )
        typer.echo(f"  {script} read by {'; '.join(said)}")
    typer.echo("the labels hold" if not record.failed else f"not held: {'; '.join(record.failed)}")
