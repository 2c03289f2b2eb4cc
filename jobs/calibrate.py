"""`pageloom calibrate`: measure anew what each fault does to each script, and write the calibration file."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

import typer

from engine.cluster import cache_folder
from schemas.errors import UserError
from schemas.execution import Execution
from schemas.recipe import FAULTS
from synth.degrade.measure.sheets import SIZES
from synth.degrade.measure.trial import Bench, Trial, try_fault
from synth.degrade.severity import BY_ENGINE, FORMAT, SCRIPTS, file_bytes, fit, read
from synth.degrade.versions import camera_versions
from synth.read.engines import ENGINES, versions
from synth.read.recogniser import LineReaders

READ = tuple(language for language in SCRIPTS if language in ENGINES)
UNREAD = tuple(language for language in SCRIPTS if language not in ENGINES)
STAND_IN = "stroke_loss"


@lru_cache(maxsize=8)
def _bench(language: str, sheets: int, lines: int, cache: str) -> tuple[Bench, tuple[float, ...]]:
    """A bench stays warm in its process, with the rates of its clean sheets."""
    bench = Bench(language, sheets, lines, LineReaders(Path(cache)) if language in ENGINES else None)
    return bench, bench.clean


def _measure(fault: str, sheets: int, lines: int, cache: str) -> dict[str, tuple[tuple[float, ...], Trial]]:
    """Base rates and trial of one fault in every language; scripts without an engine at the amounts of English."""
    found: dict[str, tuple[tuple[float, ...], Trial]] = {}
    for language in READ:
        bench, base = _bench(language, sheets, lines, cache)
        found[language] = base, try_fault(bench, fault, base)
    for language in UNREAD:
        bench, base = _bench(language, sheets, lines, cache)
        found[language] = base, try_fault(bench, fault, base, found[READ[0]][1].amounts)
    return found


def equivalent(losses: Sequence[Sequence[float]], known: Sequence[Trial]) -> list[list[float]]:
    """Error rates that lines with these stroke losses (sizes x amounts) have in the scripts that engines read.

    For each size apart: their losses and rates at all amounts, sorted by loss, made to rise, and read off in straight
    lines. It is a stand-in, since no engine reads the script.
    """
    out: list[list[float]] = []
    for row, wanted in enumerate(losses):
        pairs = sorted(
            (loss, rate - trial.rates[row][0])
            for trial in known
            for loss, rate in zip(trial.losses[row], trial.rates[row], strict=True)
        )
        at, rates = [loss for loss, _ in pairs], fit([rate for _, rate in pairs])
        out.append([round(_between(at, rates, loss), 5) for loss in wanted])
    return out


def _between(at: Sequence[float], rates: Sequence[float], loss: float) -> float:
    for k in range(1, len(at)):
        if loss <= at[k]:
            share = (loss - at[k - 1]) / (at[k] - at[k - 1]) if at[k] > at[k - 1] else 1.0
            return rates[k - 1] + (rates[k] - rates[k - 1]) * min(1.0, max(0.0, share))
    return rates[-1]


def _scripts(
    found: dict[str, dict[str, tuple[tuple[float, ...], Trial]]], held: dict[str, Any], lines: int
) -> dict[str, Any]:
    """The file's part for every script; faults not measured now keep what `held` says of them."""
    scripts: dict[str, Any] = {}
    for language, script in SCRIPTS.items():
        engine = ENGINES.get(language)
        base = next(iter(found.values()))[language][0]
        faults = dict(held.get(script, {}).get("faults", {}))
        for fault, trials in found.items():
            trial = trials[language][1]
            rates = trial.rates if engine else equivalent(trial.losses, [trials[known][1] for known in READ])
            faults[fault] = {"lines": lines, "amounts": trial.amounts, "rates": rates, "losses": trial.losses}
        scripts[script] = {
            "measure": BY_ENGINE if engine else STAND_IN,
            "engine": engine,
            "base": base,
            "faults": {name: faults[name] for name in FAULTS if name in faults},
        }
    return scripts


def calibrate_faults(
    out: Path, only: Sequence[str] = (), sheets: int = 1, lines: int = 9, workers: int = 2, cache: Path | None = None
) -> float:
    """Measure all faults (or `only` these, the others kept) and write the file; seconds it took.

    `lines` of each type size on each of `sheets`. UserError for an unknown fault or an engine that is not there.
    """
    unknown = sorted(set(only) - set(FAULTS))
    if unknown:
        raise UserError(f"unknown fault {unknown[0]!r}", "--only", f"known: {', '.join(FAULTS)}")
    start, folder = time.monotonic(), str(cache or cache_folder(Execution()))
    made_with = versions(READ) | camera_versions()
    held: dict[str, Any] = json.loads(file_bytes())["scripts"] if only else {}
    todo = [fault for fault in FAULTS if not only or fault in only]
    found: dict[str, dict[str, tuple[tuple[float, ...], Trial]]] = {}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(todo)), mp_context=context) as pool:
        tasks = {fault: pool.submit(_measure, fault, sheets, lines, folder) for fault in todo}
        for number, (fault, task) in enumerate(tasks.items(), 1):
            found[fault] = task.result()
            typer.echo(f"{number}/{len(todo)} {fault}: {_told(found[fault])}", err=True)
            _write(out, made_with, _scripts(found, held, sheets * lines))
    return time.monotonic() - start


def _told(trials: dict[str, tuple[tuple[float, ...], Trial]]) -> str:
    """How bad each script gets at amount 1, at the middle size."""
    return ", ".join(
        f"{SCRIPTS[language]} {(trial.rates if language in ENGINES else trial.losses)[1][-1]:.2f}"
        for language, (_, trial) in trials.items()
    )


def _write(out: Path, made_with: dict[str, str], scripts: dict[str, Any]) -> None:
    body = {"format": FORMAT, "made_with": made_with, "sizes": SIZES, "scripts": scripts}
    data = json.dumps(body, indent=None, separators=(",", ":")).replace('"amounts"', '\n"amounts"') + "\n"
    read(data.encode())
    scratch = out.with_name(f"{out.name}.new")
    scratch.write_text(data, encoding="utf-8")
    scratch.replace(out)
