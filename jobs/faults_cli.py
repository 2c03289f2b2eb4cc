"""The commands about faults: look at them, and measure what they do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

CALIBRATION = Path("calibration.json")


def lookbook(
    out: Annotated[Path, typer.Option(help="HTML file to write.")] = Path("lookbook.html"),
    kind: Annotated[str, typer.Option("--type", help="Document type.")] = "form",
    language: Annotated[str, typer.Option(help="Language.")] = "en",
    only: Annotated[list[str] | None, typer.Option(help="Show only these families and faults, like a,b.")] = None,
) -> None:
    """Show every scene family, and every fault at each severity, on one document in one HTML file."""
    from jobs.lookbook import make_lookbook

    pictures = make_lookbook(out, kind, language, _names(only))
    typer.echo(f"look book: {out} ({pictures} pictures)")


def calibrate(
    out: Annotated[Path, typer.Option(help="File to write.")] = CALIBRATION,
    only: Annotated[list[str] | None, typer.Option(help="Measure only these faults, like a,b.")] = None,
    sheets: Annotated[int, typer.Option(min=1, help="Different sheets a script.")] = 1,
    lines: Annotated[int, typer.Option(min=1, max=40, help="Lines of each type size on a sheet.")] = 9,
    workers: Annotated[int, typer.Option(min=1, help="Processes at a time.")] = 2,
) -> None:
    """Measure what each fault does to the reading of each script, for severities and target error rates."""
    from jobs.calibrate import calibrate_faults

    took = calibrate_faults(out, _names(only), sheets, lines, workers)
    typer.echo(f"calibration: {out} ({took / 60:.1f} min); put it at synth/degrade/calibration.json to use it")


def _names(given: list[str] | None) -> list[str]:
    return [name.strip() for part in given or () for name in part.split(",")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(lookbook)
    app.command()(calibrate)
