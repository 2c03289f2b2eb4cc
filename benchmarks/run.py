"""All figures of one machine in one run: stages, the whole way, the engine's overhead, the driver, other generators.

Run: python -m benchmarks.run [--quick | --full] [--parts stages,whole] [--synthdog FOLDER]. Every part runs in a
process of its own, held to two cores (the overhead to one). The figures are printed and lie in out/bench.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import benchmarks.align
import benchmarks.camera
import benchmarks.driver
import benchmarks.labels
import benchmarks.metrics
import benchmarks.overhead
import benchmarks.rivals
import benchmarks.stages
import benchmarks.whole
from benchmarks.common import PARTS, locked, recipe
from benchmarks.show import show
from benchmarks.sizes import SIZES, Size

DRIVEN = (1_000, 100_000)
LIMIT_S = {"quick": 3600, "default": 3600, "full": 40_000}  # the full camera part renders windows of 48 pages


def child(part: str, size: Size, synthdog: Path | None) -> dict[str, Any]:
    """Measure one part in this process."""
    if part == "bake":
        with locked(recipe(12)):
            return {}
    if part.startswith("driver "):
        return benchmarks.driver.drive(int(part.split()[1]))
    if part == "align":
        return benchmarks.align.measure()
    if part == "labels":
        return benchmarks.labels.measure()
    if part == "kernels":
        return benchmarks.metrics.measure()
    if part == "peers":
        return benchmarks.rivals.measure(size, synthdog)
    works = {
        "camera": benchmarks.camera.measure,
        "stages": benchmarks.stages.measure,
        "whole": benchmarks.whole.measure,
        "overhead": benchmarks.overhead.measure,
    }
    return works[part](size)


def spawn(part: str, args: argparse.Namespace, cores: list[int]) -> dict[str, Any]:
    """The part in a process of its own on these cores. CalledProcessError if it fails; its own words are on stderr."""
    answer = args.out.with_suffix(f".{part.replace(' ', '-')}.part")
    command = [sys.executable, "-m", "benchmarks.run", "--child", part, "--size", args.size, "--out", str(answer)]
    if args.synthdog:
        command += ["--synthdog", str(args.synthdog.resolve())]
    hold = partial(os.sched_setaffinity, 0, cores)
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    subprocess.run(command, check=True, timeout=LIMIT_S[args.size], preexec_fn=hold, stdout=sys.stderr, env=environment)
    try:
        return json.loads(answer.read_text(encoding="utf-8"))
    finally:
        answer.unlink()


def main() -> None:
    args = _arguments()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    if args.child:
        figures = child(args.child, SIZES[args.size], args.synthdog)
        args.out.write_text(json.dumps(figures), encoding="utf-8")
        return
    cores = sorted(os.sched_getaffinity(0))[:2]
    figures: dict[str, Any] = {"machine": _machine(cores), "size": args.size}
    start = time.perf_counter()
    spawn("bake", args, cores)  # so that no figure holds the baking of scenes
    for part in args.parts:
        print(f"measuring {part} ({time.perf_counter() - start:.0f} s so far)", file=sys.stderr, flush=True)
        if part == "driver":
            figures[part] = [spawn(f"driver {n}", args, cores) for n in DRIVEN]
        else:
            figures[part] = spawn(part, args, cores[:1] if part in ("overhead", "align", "labels") else cores)
    figures["seconds"] = round(time.perf_counter() - start, 1)
    args.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(show(figures))
    print(f"\nThe same as JSON: {args.out}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", dest="size", action="store_const", const="quick", help="a minute or two, to try it")
    parser.add_argument("--full", dest="size", action="store_const", const="full", help="more samples")
    parser.add_argument("--size", choices=list(SIZES), help=argparse.SUPPRESS)
    parser.set_defaults(size="default")
    parser.add_argument("--parts", default=",".join(PARTS), type=lambda text: text.split(","), help=", ".join(PARTS))
    parser.add_argument("--synthdog", type=Path, help="folder of SynthDoG's own template, to run that")
    parser.add_argument("--out", type=Path, default=Path("out/bench.json"), help="where the JSON goes")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    unknown = sorted(set(args.parts) - set(PARTS))
    if unknown:
        parser.error(f"no part {unknown[0]!r}; parts: {', '.join(PARTS)}")
    return args


def _machine(cores: list[int]) -> dict[str, Any]:
    """What the figures were measured on; the load average tells of other work on it."""
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    return {"cpu": model, "cores_used": len(cores), "load_before": round(os.getloadavg()[0], 2)}


if __name__ == "__main__":
    main()
