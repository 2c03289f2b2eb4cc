"""Commands about scores: `evaluate`, `compare`, `baseline`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

ReleaseArg = Annotated[str, typer.Argument(help="Folder or s3://bucket/prefix of a release.", show_default=False)]
Sample = Annotated[int | None, typer.Option(min=1, help="Only this many documents, drawn by seed.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the sample and of what is drawn.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(evaluate)
    app.command()(compare)
    app.command()(baseline)


def evaluate(
    release: ReleaseArg,
    predictions: Annotated[Path, typer.Option(help="File of predictions, a JSON object a line.", show_default=False)],
    track: Annotated[list[str] | None, typer.Option(help="Only this track; may be given again.")] = None,
    mode: Annotated[
        Literal["strict", "compat"], typer.Option(help="The papers' definitions, or their published code.")
    ] = "strict",
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
    split: Annotated[str | None, typer.Option(help="Only this split.")] = None,
    ids: Annotated[Path | None, typer.Option(help="File of document ids to score, one a line.")] = None,
    sample: Sample = None,
    seed: Seed = 0,
    resamples: Annotated[int, typer.Option(min=0, max=100_000, help="Resamples for the intervals.")] = 1000,
    gallery: Annotated[int, typer.Option(min=0, max=50, help="Errors shown for each track and kind.")] = 8,
) -> None:
    """Score predictions over a release: JSON, Markdown and a page with the errors."""
    from jobs.evaluate import Choice
    from jobs.evaluate import evaluate as score
    from jobs.evaluate_markdown import summary

    choice = Choice(tuple(track or ()), mode, split, ids, sample, seed, resamples, gallery)
    result, folder = score(release, predictions, choice, out)
    rows = summary(result)
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        typer.echo("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
    for warning in result.warnings:
        typer.echo(f"warning: {warning}", err=True)
    typer.echo(f"results: {folder / 'evaluation.html'}")


def compare(
    a: Annotated[Path, typer.Argument(help="evaluation.json of one system.", show_default=False)],
    b: Annotated[Path, typer.Argument(help="evaluation.json of another.", show_default=False)],
    resamples: Annotated[int, typer.Option(min=100, max=1_000_000, help="Permutations and resamples.")] = 10_000,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(help="JSON file to write.")] = None,
) -> None:
    """Compare two results on the same documents by a paired test."""
    from jobs.evaluate_compare import compare as test

    for line in test(a, b, resamples, seed, out):
        typer.echo(line)


def baseline(
    release: ReleaseArg,
    kind: Annotated[
        Literal["oracle", "random", "majority", "copy-ocr"], typer.Option(help="What answers.", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="Prediction file to write.", show_default=False)],
    track: Annotated[list[str] | None, typer.Option(help="Only this track; may be given again.")] = None,
    split: Annotated[str | None, typer.Option(help="Only this split.")] = None,
    ids: Annotated[Path | None, typer.Option(help="File of document ids, one a line.")] = None,
    sample: Sample = None,
    seed: Seed = 0,
    readings: Annotated[
        Path | None,
        typer.Option(help="copy-ocr: file that keeps what the OCR engine read, to go on or start again from."),
    ] = None,
    cache: Annotated[Path | None, typer.Option(help="copy-ocr: folder for OCR models.")] = None,
) -> None:
    """Write predictions that need no model, so that every track has a floor and a ceiling."""
    from jobs.baselines import Wanted, write_baseline

    wanted = Wanted(tuple(track or ()), split, ids, sample, seed, readings, cache)
    typer.echo(f"{write_baseline(release, kind, out, wanted):,} predictions: {out}")
