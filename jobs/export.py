"""`pageloom export RELEASE --format F --out FOLDER`: a release for others' harnesses."""

from __future__ import annotations

from typing import Annotated

import typer


def export(
    release: Annotated[str, typer.Argument(help="Folder or s3://bucket/prefix of a release.", show_default=False)],
    format: Annotated[
        str,
        typer.Option(
            help="coco, docvqa, funsd, lmms-eval, omnidocbench, unikie-constrained, unikie-open, vlmevalkit or "
            "webdataset.",
            show_default=False,
        ),
    ],
    out: Annotated[str, typer.Option(help="Folder to make; it must not exist, or be empty.", show_default=False)],
    split: Annotated[list[str] | None, typer.Option(help="Only these splits; again, or with commas.")] = None,
    language: Annotated[list[str] | None, typer.Option(help="Only these languages, like zh,bn.")] = None,
    types: Annotated[list[str] | None, typer.Option(help="Only these document types, like receipt,form.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be written, and how much.")] = False,
) -> None:
    """Write a release in the format of another benchmark's harness."""
    from engine.store import open_store
    from jobs import export_run
    from jobs.export_read import Selection

    selection = Selection(_names(split), _names(language), _names(types))
    if dry_run:
        typer.echo(f"would write {export_run.dry_run(open_store(release), format, out, selection)}")
        return
    typer.echo(f"{export_run.export(open_store(release), format, out, selection)} in {out}")


def _names(given: list[str] | None) -> tuple[str, ...]:
    """Names given by commas or by repeating the option, each once."""
    names = (name.strip() for text in given or () for name in text.split(","))
    return tuple(dict.fromkeys(name for name in names if name))
