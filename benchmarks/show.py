"""The figures as plain text, beside what they should be."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from benchmarks.common import table
from synth.degrade.similarity import least

AIMS = {"jpeg, no OCR": 4.0, "webp, no OCR": 3.0}  # pages a second, at least
OVERHEAD_AIM = 0.10  # at most
ALIGN_AIM = 40.0  # ms a page of 500 lines against 200 blocks, at most
LABELS_AIM = 120.0  # CPU ms that the labels of a page of 500 words cost beyond its plain print, at most
FRESH_AIM, BANKED_AIM, PAGES_AIM = 8.0, 100.0, 5.0  # times faster than direct; pages a second on one core
MEMORY_AIM = 1.05  # driver's peak, 100,000 samples over 1,000: flat


def show(figures: dict[str, Any]) -> str:
    """Tables of every part that was measured."""
    m = figures["machine"]
    head = f"{m['cpu']}, {m['cores_used']} cores used, load average before {m['load_before']}; size {figures['size']}"
    shown = {"stages": _stages, "whole": _whole, "overhead": _overhead, "driver": _driver}
    shown |= {"align": aligned, "labels": labels, "kernels": _kernels, "camera": _camera, "peers": _peers}
    parts = [work(figures[part]) for part, work in shown.items() if part in figures]
    return "\n".join([head, *parts, f"\nmeasured in {figures['seconds']:.0f} s"])


def _aim(value: float, aim: float, least: bool = True) -> str:
    good = value >= aim if least else value <= aim
    return f"{value / aim:.2f} of aim {aim:g}, {'met' if good else 'missed'}"


def _stages(part: dict[str, Any]) -> str:
    rows = [
        (
            name,
            f"{f['pages']:.0f}",
            f"{f['pages_per_second']:.2f}",
            f"{f['megapixels_per_second']:.2f}",
            f"{1000 * f['seconds_per_page']:.0f}",
            f"{1000 * f['cpu_seconds_per_page']:.0f}",
            f"{f.get('kilobytes_per_page', 0):.0f}" if "kilobytes_per_page" in f else "",
        )
        for name, f in part.items()
    ]
    head = ("stage", "pages", "pages/s", "megapixels/s", "ms/page", "CPU ms/page", "kB/page")
    return table("Each stage alone, one process, scenes baked", head, rows)


def _whole(part: dict[str, Any]) -> str:
    rows = [
        (
            name,
            f"{f['pages_per_second']:.2f}",
            f"{f['megapixels_per_second']:.2f}",
            f"{1000 * f['cpu_seconds_per_page']:.0f}",
            f"{f['documents']:.0f}",
            f"{f['seconds']:.1f}",
            f"{f['total_seconds']:.1f}",
            f"{f['rejected']}",
            _aim(f["pages_per_second"], AIMS[name]) if name in AIMS else "",
        )
        for name, f in part.items()
    ]
    head = ("run", "pages/s", "megapixels/s", "CPU ms/page", "documents", "s", "s with start", "rejected", "")
    text = table("Whole way on 2 cores, steady state", head, rows)
    f = part["jpeg, no OCR"]
    return (
        f"{text}\ndriver calls per 1,000 samples, shards of {f['shard_size']}: {f['driver_calls_per_1000']:g} "
        "(one a shard, and one in two seconds to each runner)"
    )


def _overhead(part: dict[str, Any]) -> str:
    if "not_available" in part:
        return f"\nEngine overhead: not available: {part['not_available']}"
    rows = [
        (
            name,
            f"{1000 * part[f'bare_{key}']:.0f}",
            f"{1000 * part[f'engine_{key}']:.0f}",
            f"{100 * part[f'overhead_{short}']:+.1f}%",
            _aim(part[f"overhead_{short}"], OVERHEAD_AIM, least=False),
        )
        for name, key, short in (("wall", "seconds", "seconds"), ("CPU, all processes", "cpu_seconds", "cpu"))
    ]
    title = f"Engine overhead a sample, one core, {part['documents']} samples"
    roles = ", ".join(f"{role} {1000 * spent:.0f}" for role, spent in part["engine_cpu_by_role"].items())
    return (
        f"{table(title, ('', 'bare ms', 'engine ms', 'overhead', ''), rows)}\nengine's CPU ms a sample by role: {roles}"
    )


def _driver(part: list[dict[str, Any]]) -> str:
    rows = [(f"{f['samples']:,}", f"{f['shards']:,}", f"{f['peak_mib']:.0f}", f"{f['seconds']:.1f}") for f in part]
    ratio = part[-1]["peak_mib"] / part[0]["peak_mib"]
    text = table("Driver, with a runner that only says done", ("samples", "shards", "peak MiB", "s"), rows)
    return f"{text}\npeak ratio {_aim(ratio, MEMORY_AIM, least=False)}"


def _kernels(part: dict[str, Any]) -> str:
    rows = [
        (name, f"{row['fast']:.1f}", f"{row['plain']:.0f}", f"{row['plain'] / row['fast']:.0f}")
        for name, row in part.items()
    ]
    return table("Kernels of the metrics, one core", ("kernel", "ms", "plain Python, ms", "ratio"), rows)


def _camera(part: dict[str, Any]) -> str:
    direct = next(f for name, f in part["ways"].items() if name.startswith("direct"))
    aims = {"compose, fresh scene": FRESH_AIM, "compose, banked scene": BANKED_AIM}
    rows = [
        (
            name,
            f"{f['seconds']:.2f}",
            f"{f['cpu_seconds']:.2f}",
            f"{direct['cpu_seconds'] / f['cpu_seconds']:.0f}",
            _aim(direct["cpu_seconds"] / f["cpu_seconds"], aims[name]) if name in aims else "",
        )
        for name, f in part["ways"].items()
    ]
    banked = 1 / part["ways"]["compose, banked scene"]["cpu_seconds"]
    notes = [f"banked scene: {banked:.1f} pages/s on one core, {_aim(banked, PAGES_AIM)}"]
    rival = part["augraphy"]
    if "not_available" in rival:
        notes.append(f"Augraphy: not available: {rival['not_available']}")
    else:
        middle = rival["median_seconds_per_page"]
        rows.append(("Augraphy default pipeline, median", f"{middle:.2f}", "", "", ""))
    title = f"A photograph of one page of {part['width']} x {part['height']} pixels, without labels and encoding"
    head = ("", "s", "CPU s", "times faster than direct", "")
    alike = [similarity(part["similarity"])] if part["similarity"] else []
    return "\n".join([table(title, head, rows), *notes, *alike])


def similarity(part: dict[str, list[list[dict[str, float]]]]) -> str:
    """`part`: by family, scene and window the mean SSIM, `still` without the noise of the reference, and `plain`."""
    rows = []
    for family, scenes in part.items():
        still, plain = ([fmean(w[kind] for w in windows) for windows in scenes] for kind in ("still", "plain"))
        worst = min(window["still"] for windows in scenes for window in windows)
        figures = (f"{value:.4f}" for value in (min(still), fmean(still), worst, min(plain), fmean(plain)))
        rows.append((family, *figures, _aim(min(still), least(family))))
    head = ("", "least scene", "mean", "least window", "least scene, noise and all", "mean, noise and all", "")
    return table("SSIM of composed pictures to direct renders of 128 samples, in windows", head, rows)


def aligned(part: dict[str, Any]) -> str:
    rows = [
        (name, f"{f['ms']:.1f}", f"{f['plain_ms']:.0f}", f"{f['ratio']:.0f}", _aim(f["ms"], ALIGN_AIM, least=False))
        for name, f in part.items()
    ]
    head = ("page", "CPU ms", "plain Algorithm 1, ms", "ratio", "")
    return table("Alignment of 500 lines with 200 blocks, one core", head, rows)


def labels(part: dict[str, float]) -> str:
    cost = part["print"] + part["label"] - part["plain"]
    rows = [
        ("plain print (set_content, pdf)", f"{part['plain']:.0f}", ""),
        ("print for labels: DOM, fonts, both prints", f"{part['print']:.0f}", ""),
        ("labels of it", f"{part['label']:.0f}", ""),
        ("labels beyond the plain print", f"{cost:.0f}", _aim(cost, LABELS_AIM, least=False)),
    ]
    return table("A page of 500 words, one core, all processes", ("", "CPU ms", ""), rows)


def _peers(part: dict[str, Any]) -> str:
    rows, notes = [], []
    for name, f in part.items():
        if "not_available" in f:
            notes.append(f"{name}: not available: {f['not_available']}")
        else:
            rates = (f["pages_per_second"], f["megapixels_per_second"], f["seconds"])
            rows.append((name, f"{f['pages']}", *(f"{rate:.2f}" for rate in rates)))
    notes.append(
        "SynthDoG's template is not on PyPI: without --synthdog, our own template in its manner runs on its library."
    )
    text = table("Other generators on the same cores", ("", "pages", "pages/s", "megapixels/s", "s"), rows)
    return "\n".join([text, *notes])
