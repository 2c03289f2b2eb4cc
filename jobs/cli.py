"""The command line. Each command is a few lines over a function elsewhere; a mistake is one line and exit code 2."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.store import Store, open_store
from jobs.evaluate_cli import register as register_scores
from jobs.export import export
from jobs.faults_cli import register as register_faults
from jobs.load import load_recipe
from jobs.predict_cli import register as register_predict
from schemas.errors import UserError, user_error_of

INTERRUPTED = 130  # what typer makes of KeyboardInterrupt
UsageError: Any = typer.BadParameter.__bases__[0]  # typer carries a click of its own and exports only this child

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Makes document-understanding benchmarks.",
)
metrics_app = typer.Typer(no_args_is_help=True, help="Scoring metrics.")
app.add_typer(metrics_app, name="metrics")
register_scores(app)
app.command()(export)
register_predict(app)
register_faults(app)

RecipeArg = Annotated[Path, typer.Argument(help="The recipe, a YAML file.", show_default=False)]
ReleaseArg = Annotated[str, typer.Argument(help="Folder or s3://bucket/prefix of a release.", show_default=False)]
Out = Annotated[str, typer.Option(help="Folder or s3://bucket/prefix.", show_default=False)]


@app.command()
def plan(
    recipe: RecipeArg,
    pilot: Annotated[
        int, typer.Option(min=0, max=1000, help="Make this many samples first and estimate from them.")
    ] = 0,
) -> None:
    """Say what a recipe would make, and what it would cost."""
    from jobs.plan import print_plan

    print_plan(load_recipe(recipe), pilot)


@app.command()
def run(
    recipe: RecipeArg,
    out: Out,
    shards: Annotated[str | None, typer.Option(help="Only these, like 0-99 or train-00003.")] = None,
    address: Annotated[str | None, typer.Option(help="Ray cluster to join.")] = None,
) -> None:
    """Make the release, or go on with it: the same command again resumes."""
    from jobs.run import run_recipe

    run_recipe(load_recipe(recipe), open_store(out), shards, address)


@app.command()
def preview(
    recipe: RecipeArg,
    split: Annotated[str | None, typer.Option(help="Split; the first one if not given.")] = None,
    index: Annotated[int, typer.Option(min=0, help="Index in the split.")] = 0,
    out: Annotated[Path | None, typer.Option(help="HTML file to write.")] = None,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open it in a browser.")] = True,
) -> None:
    """Make one sample in seconds and show its page with the boxes over it."""
    from jobs.preview import preview_sample

    preview_sample(load_recipe(recipe), split, index, out, open_page)


@app.command()
def submit(
    recipe: RecipeArg,
    out: Out,
    address: Annotated[str, typer.Option(help="Ray dashboard, like http://head:8265.")],
    shards: Annotated[str | None, typer.Option(help="Only these shards.")] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Follow the job's log until it ends.")] = True,
) -> None:
    """Run a recipe as a Ray job on a cluster."""
    from jobs.submit import submit_recipe

    raise typer.Exit(submit_recipe(recipe, load_recipe(recipe), out, address, shards, wait))


@app.command()
def regenerate(
    release: ReleaseArg,
    shard: Annotated[str, typer.Option(help="Shards to make again, like 12, 0-3 or train-00003.")],
    cache: Annotated[Path | None, typer.Option(help="Cache folder.")] = None,
) -> None:
    """Make shards again, offline, and say whether the bytes are the same."""
    from engine.regenerate import default_execution
    from engine.regenerate import regenerate as make_again

    found = make_again(open_store(release), shard, default_execution(cache))
    for name, differences in found.items():
        typer.echo(f"{name}: " + ("the same bytes" if not differences else "; ".join(differences)))
    raise typer.Exit(1 if any(found.values()) else 0)


@app.command()
def verify(release: ReleaseArg) -> None:
    """Check a release: checksums, counts, ids, and that every value is among the words of its page."""
    from engine.verify import release_of
    from engine.verify import verify as check

    store = open_store(release)
    problems = check(store)
    for problem in problems[:50]:
        typer.echo(problem, err=True)
    manifest = release_of(store)
    if problems:
        typer.echo(f"{len(problems)} problems", err=True)
        raise typer.Exit(1)
    typer.echo(f"ok: {manifest.documents} documents, {manifest.pages} pages, digest {manifest.digest}")


@app.command()
def report(
    release: ReleaseArg,
    out: Annotated[Path | None, typer.Option(help="HTML file to write.")] = None,
) -> None:
    """Write one HTML file about a release that one can mail."""
    from jobs.release_report import report_release

    typer.echo(f"report: {report_release(open_store(release), release, out)}")


@app.command()
def align(
    pdf: Annotated[Path, typer.Argument(help="A PDF with text.", show_default=False)],
    html: Annotated[list[Path], typer.Argument(help="Its HTML; several files in reading order.", show_default=False)],
    out: Annotated[Path | None, typer.Option(help="JSON file to write; beside the PDF if not given.")] = None,
    overlay: Annotated[Path | None, typer.Option(help="Folder for a PNG of each page.")] = None,
    html_page: Annotated[Path | None, typer.Option(help="HTML file to look at.")] = None,
) -> None:
    """Say where each line of a PDF stands in its HTML, and what is read after what."""
    from jobs.align import align_files, summary

    out = out or pdf.with_suffix(".align.json")
    typer.echo(f"{summary(align_files(pdf, html, out, overlay, html_page))}\nwritten: {out}")


@app.command()
def audit(
    release: ReleaseArg,
    documents: Annotated[int, typer.Option(min=1, help="How many documents, spread over types and languages.")] = 200,
    out: Annotated[Path | None, typer.Option(help="JSON file for the figures.")] = None,
) -> None:
    """Print documents again and check their labels against another renderer: ink, text, containment, order.

    The figures stay beside the manifest (audit.json), where `pageloom report` shows them."""
    from jobs.audit import audit_release

    raise typer.Exit(0 if audit_release(open_store(release), documents, out) else 1)


@app.command()
def extractors(
    language: Annotated[list[str] | None, typer.Option(help="Only this language; may be given again.")] = None,
    fonts: Annotated[list[Path] | None, typer.Option(help="A folder of your own fonts; may be given again.")] = None,
    out: Annotated[Path | None, typer.Option(help="Markdown file to put the table into.")] = None,
) -> None:
    """Say what common extractors read out of a page in each script and font. Exit code 1 if a font's mapping fails."""
    from jobs.extractors import record_extractors

    raise typer.Exit(0 if record_extractors(language or (), fonts or (), out) else 1)


@app.command()
def gc(
    release: ReleaseArg,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> None:
    """Remove files that no manifest names. Not while a run writes there."""
    from engine.gc import collect, garbage

    store: Store = open_store(release)
    keys = garbage(store) if dry_run else collect(store)
    for key in keys:
        typer.echo(key)
    typer.echo(f"{len(keys)} files {'would go' if dry_run else 'removed'}")


@app.command()
def doctor(out: Annotated[str | None, typer.Option(help="Also check that this output can be written.")] = None) -> None:
    """Say what this machine lacks, and the command that brings it."""
    from jobs.doctor import main as examine

    raise typer.Exit(examine(out))


@metrics_app.command("check")
def metrics_check(file: Annotated[Path, typer.Argument(help="File of reference cases.", show_default=False)]) -> None:
    """Run a file of reference cases and print passed, failed and the first differences."""
    from jobs.metrics_check import main as check

    raise typer.Exit(check(file))


def main() -> None:
    """Console script: exit code 2 with one line for what the user can mend, 130 when interrupted, 143 when ended."""
    received: list[int] = []

    def end(number: int, frame: object) -> None:
        """SIGTERM is taken as Ctrl-C, which asyncio unwinds cleanly, so that actors and scratch folders go."""
        received.append(number)
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # started in the background by a script, or with nohup
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGTERM, end)
    try:
        code = app(standalone_mode=False, prog_name="pageloom")
    except UsageError as error:
        _misused(error)
    except UserError as error:
        _fail(str(error))
    except OSError as error:
        mistake = user_error_of(error)
        if mistake is None:
            raise
        _fail(str(mistake))
    else:
        if code != INTERRUPTED:
            sys.exit(code if isinstance(code, int) else 0)
        said = "told to end" if received else "interrupted"
        print(f"pageloom: {said}; the same command again goes on where this one stopped", file=sys.stderr)
        sys.exit(128 + received[0] if received else INTERRUPTED)


def _misused(error: Any) -> None:
    """One line for a command, option or argument that is not there or not right; the help where none was given."""
    context = error.ctx
    if context is not None and not sys.argv[1:]:
        print(context.get_help(), file=sys.stderr)
        sys.exit(2)
    command = context.command_path if context is not None else "pageloom"
    message = " ".join(error.format_message().split()).rstrip(".")
    _fail(f"{message}: run `{command} --help`")


def _fail(line: str) -> None:
    print(f"pageloom: {line}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
