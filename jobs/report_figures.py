"""The figures of a report: counts, rejections, legibility, as plain rows and one inline SVG."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from statistics import median
from typing import Any

from markupsafe import Markup

from jobs.marks import Row
from schemas.release import AuditRecord, ReleaseManifest

_BINS = 20


def cell_of(row: Row) -> str:
    return f"{row['type']}/{row['language']}"


def split_of(document_id: str) -> str:
    return document_id.rsplit("-", 1)[0]


def cells(documents: Sequence[Row]) -> dict[str, Any]:
    """Documents by cell and split: `splits`, `rows` of (type, language, counts by split, sum), `totals`."""
    counts = Counter((row["type"], row["language"], split_of(row["document_id"])) for row in documents)
    splits = sorted({split for _, _, split in counts})
    kinds = sorted({(kind, language) for kind, language, _ in counts})
    rows = [(kind, language, [counts[kind, language, split] for split in splits]) for kind, language in kinds]
    return {
        "splits": splits,
        "rows": [(kind, language, numbers, sum(numbers)) for kind, language, numbers in rows],
        "totals": [sum(numbers[i] for _, _, numbers in rows) for i in range(len(splits))],
        "sum": len(documents),
    }


def questions(kept: Sequence[Row], refused: Sequence[Row]) -> dict[str, Any]:
    """Questions by kind (kept, refused), how many are distinct by text, which stand twice, and why some were refused.

    A text counts once for all spellings of white space and capitals. `refused` rows carry the judges' `reasons`.
    """
    texts = Counter("".join(row["question"].lower().split()) for row in kept)
    first = {"".join(row["question"].lower().split()): row["question"] for row in reversed(kept)}
    by_kind = Counter(row["kind"] for row in kept)
    lost = Counter(row["kind"] for row in refused)
    reasons = Counter(criterion for row in refused for criterion in {reason.split(":")[0] for reason in row["reasons"]})
    return {
        "total": len(kept),
        "refused": len(refused),
        "distinct": len(texts) / max(1, len(kept)),
        "several": sum(row["cardinality"] > 1 for row in kept) / max(1, len(kept)),
        "kinds": [(kind, by_kind[kind], lost[kind]) for kind in sorted(by_kind | lost)],
        "reasons": sorted(reasons.items(), key=lambda item: (-item[1], item[0])),
        "repeated": [(first[text], count) for text, count in texts.most_common(10) if count > 1],
    }


def rejections(manifest: ReleaseManifest, rejected: Sequence[Row]) -> dict[str, Any]:
    """Rejected tries by cell (tries, rejected, share, reasons) and by stage and reason, most first."""
    by_cell: dict[str, Counter[str]] = defaultdict(Counter)
    by_reason: Counter[tuple[str, str]] = Counter()
    for row in rejected:
        by_cell[cell_of(row)][row["reason"]] += 1
        by_reason[row["stage"], row["reason"]] += 1
    names = sorted(set(manifest.cells) | set(by_cell))
    return {
        "cells": [
            {
                "cell": name,
                "tries": manifest.tries.get(name, 0),
                "rejected": by_cell[name].total(),
                "share": by_cell[name].total() / max(1, manifest.tries.get(name, 0)),
                "reasons": by_cell[name].most_common(),
            }
            for name in names
        ],
        "reasons": sorted(by_reason.items(), key=lambda item: (-item[1], item[0])),
        "quarantined": sum(1 for row in rejected if row["quarantined"]),
    }


def legibility_by_cell(pages: Sequence[Row], documents: Mapping[str, Row]) -> list[dict[str, Any]]:
    """Per cell: pages, pages read, pooled error rate (edits over characters), median and worst page."""
    by_cell: dict[str, list[Row]] = defaultdict(list)
    for page in pages:
        by_cell[cell_of(documents[page["document_id"]])].append(page)
    return [_legibility(cell, by_cell[cell]) for cell in sorted(by_cell)]


def _legibility(cell: str, pages: Sequence[Row]) -> dict[str, Any]:
    read = [page for page in pages if page["cer"] is not None]
    characters = sum(page["ocr_characters"] for page in read)
    rates = [page["cer"] for page in read]
    return {
        "cell": cell,
        "pages": len(pages),
        "read": len(read),
        "pooled": sum(page["ocr_edits"] for page in read) / characters if characters else None,
        "median": median(rates) if rates else None,
        "worst": max(rates, default=None),
    }


def used(counts: Mapping[str, int]) -> list[tuple[str, int, float]]:
    """Pages by scene or fault, most first, with the share of the most used one."""
    most = max(counts.values(), default=1)
    return [(name, n, n / most) for name, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


_CHECKS = (
    ("Words", "words", False),
    ("Words that the PDF reads otherwise than the page", "other_text", True),
    ("Children outside their parent", "uncontained", True),
    ("Boxes without extent", "bad_extents", True),
    ("Words out of order", "out_of_order", True),
    ("Words that the PDF's tags bind as the probe print does", "tags_agree", False),
    ("Words that they bind to another text", "tags_disagree", True),
    ("Words without tags", "tags_silent", False),
    ("Words that only the tags could place", "tags_only", False),
)
_AUDITED = (
    ("Words printed again", "words", False),
    ("Ink box within 1 px of the ink on all sides", "words_within_1", False),
    ("Ink box within 2 px", "words_within_2", False),
    ("Words without ink", "words_without_ink", True),
    ("Words that another reader reads otherwise", "words_with_other_text", True),
)


def label_checks(checks: Mapping[str, int], audit: AuditRecord | None) -> list[tuple[str, int, float | None, bool]]:
    """What was checked of the labels, in every document and in those audited: name, count, share of words, fault."""
    rows: list[tuple[str, int, float | None, bool]] = []
    for found, listed in ((checks, _CHECKS), (audit.total if audit else {}, _AUDITED)):
        words = found.get("words", 0)
        for said, name, fault in listed:
            if name in found:
                count = int(found[name])
                rows.append((said, count, count / words if words and name != "words" else None, fault and count > 0))
    return rows


def histogram(rates: Sequence[float], limit: float | None) -> Markup:
    """Pages by character error rate as an SVG: `_BINS` bars up to the limit or the worst page, the limit as a line."""
    top = max([*rates, limit or 0, 0.02])
    width = _nice(top / _BINS)
    counts = Counter(min(int(rate / width), _BINS - 1) for rate in rates)
    most = max(counts.values(), default=1)
    left, bottom, bar, high = 44, 170, 30, 140
    parts = []
    for level in sorted({0, most // 2, most} if most > 1 else {0, 1}):
        y = bottom - high * level / most
        parts.append(f'<line class="grid" x1="{left}" x2="{left + _BINS * bar}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{level}</text>')
    for i in range(_BINS):
        tall = high * counts[i] / most
        said = f"CER {i * width:.3g} to {(i + 1) * width:.3g}: {counts[i]} pages"
        parts.append(
            f'<rect class="bar" x="{left + i * bar + 2}" y="{bottom - tall:.1f}" width="{bar - 4}" height="{tall:.1f}" '
            f'rx="2"><title>{escape(said)}</title></rect>'
        )
    for i in range(0, _BINS + 1, 4):
        x = left + i * bar
        parts.append(f'<text class="tick" x="{x}" y="{bottom + 18}" text-anchor="middle">{i * width:.3g}</text>')
    if limit is not None:
        x = left + min(limit / width, _BINS) * bar
        parts.append(f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="14" y2="{bottom}"/>')
        parts.append(f'<text class="limit" x="{x - 5:.1f}" y="22" text-anchor="end">limit {limit:g}</text>')
    middle = left + _BINS * bar / 2
    parts.append(
        f'<text class="axis" x="{middle}" y="{bottom + 38}" text-anchor="middle">character error rate of a page</text>'
    )
    said = f"Histogram of the character error rate of {len(rates)} pages"
    size = f"0 0 {left + _BINS * bar + 12} {bottom + 46}"
    return Markup(f'<svg class="histogram" viewBox="{size}" role="img" aria-label="{said}">{"".join(parts)}</svg>')


def _nice(width: float) -> float:
    """The next of 1, 2, 2.5, 5 times a power of ten that is at least this wide."""
    power = 1e-6
    while True:
        for step in (1, 2, 2.5, 5):
            if step * power >= width * (1 - 1e-9):
                return step * power
        power *= 10
