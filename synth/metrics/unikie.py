"""UniKIE-Bench: reading of replies, normalization, field F1 and faithfulness."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from json_repair import repair_json

from synth.metrics import Mode
from synth.metrics.ccocr import EPSILON, HALF_WIDTH
from synth.metrics.trees import canonical, count_fields, files, flatten, map_strings, share

_CODE = str.maketrans(
    HALF_WIDTH | {0x3000: " ", 0xFFE5: "¥", 0x2014: "", 0x2103: "°C", 0xFF0D: "", ord("、"): ",", ord("’"): "'"}
    | {ord("-"): "", ord("–"): ""}
)  # fmt: skip
_BETWEEN_HAN = re.compile(r"(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])")


def normalize(text: Any, mode: Mode = "compat") -> str:
    """A value as it is compared.

    `compat`, the released rules: half width, every hyphen and dash and every blank deleted (so `-5.00` is `5.00`),
    full stops at the very end dropped, a code fence opened. `strict`: Unicode NFKC, blanks collapsed and none between
    Han characters; every other character counts. Source: section 4, "Evaluation Metrics", and evaluate_results.py.
    """
    if mode == "strict":
        return _BETWEEN_HAN.sub("", " ".join(unicodedata.normalize("NFKC", str(text)).split()))
    result = str(text).translate(_CODE).rstrip("。.")
    fence = "```json" if "```json" in result else "```"
    fenced = re.search(rf"{fence}\s*(.*?)\s*```", result, re.DOTALL)
    return re.sub(r"\s+", "", fenced.group(1) if fenced else result)


@dataclass(frozen=True)
class Reply:
    """A model's reply read as JSON; `error` says why it could not be (the value is None then)."""

    value: Any
    error: str | None = None


def parse_reply(text: Any) -> Reply:
    """JSON out of a reply: thoughts cut, a ```json fence opened (and closed first if it is not), broken JSON repaired.

    Source: request_openai.py of the release, with json_repair at the version it was run with.
    """
    if not isinstance(text, str):
        return Reply(None, f"the reply is {type(text).__name__}, not text")
    cleaned = re.sub(r"<think>.*?</think>", "", text, flags=re.DOTALL).strip()
    if "```json" in cleaned:
        fenced = re.search(r"```json(.*?)```", cleaned if cleaned.endswith("```") else cleaned + "```", re.DOTALL)
        cleaned = fenced.group(1).strip() if fenced else cleaned
    try:
        return Reply(json.loads(cleaned))
    except json.JSONDecodeError as first:
        try:
            return Reply(json.loads(str(repair_json(cleaned))))
        except Exception as second:  # whatever the repair stumbles over, the reply is unreadable
            return Reply(None, f"{first}; repaired: {second}")
    except RecursionError as fault:
        return Reply(None, str(fault))


def load_predictions(lines: Iterable[str]) -> dict[Any, dict[str, Any]]:
    """Results of a prediction file by data set and picture. What cannot be used is left out, so its fields are missed.

    Left out: lines that are no JSON object, without `url` or `model_result`, or whose reply did not parse. The later of
    two lines for one picture wins. Source: evaluate_results.py of the release.
    """
    found: dict[Any, dict[str, Any]] = {}
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if not isinstance(row, dict):
            continue
        url, result, name = row.get("url", ""), row.get("model_result"), row.get("dataset", "unknown")
        if not url or not isinstance(url, str) or isinstance(name, list | dict):
            continue
        if not isinstance(result, dict | list | str) or "_parse_error" in result:
            continue
        found.setdefault(name, {})[url.removeprefix("images/")] = result
    return found


@dataclass(frozen=True)
class FieldScore:
    """Field F1 (None: nothing to score) with true positives and false positives + false negatives, also by path."""

    f1: float | None
    tp: int
    fp_plus_fn: int
    per_key: dict[str, dict[str, float | None]] = field(default_factory=dict)


def field_f1(pred: Mapping[str, Any], gold: Mapping[str, Any], mode: Mode = "compat") -> FieldScore:
    """Field-level F1 over documents, fields matched exactly and as a multiset by (path, value).

    `compat`: 1e-6 in the denominator (perfect is below 1, nothing is 0), null is the text "None", numbers escape the
    normalization, lists of mixed items lose their dicts. `strict`: no epsilon, null and "" are absent values, numbers
    are compared as their JSON text, nothing is lost. Source: section 4, "Evaluation Metrics".
    """
    pairs = files(pred, gold)
    if mode == "strict":
        counts = count_fields((_strict_fields(one), _strict_fields(two)) for one, two in pairs)
        epsilon = 0.0
    else:
        counts = count_fields((_compat_fields(one), _compat_fields(two)) for one, two in pairs)
        epsilon = EPSILON
    per_key: dict[str, dict[str, float | None]] = {
        name: {"tp": hits, "fp_plus_fn": misses, "f1": share(hits, misses, epsilon)}
        for name, (hits, misses) in counts.by_key.items()
    }
    return FieldScore(counts.f1(epsilon), counts.hits, counts.misses, per_key)


def _compat_fields(value: Any) -> list[tuple[str, Any]]:
    return flatten(canonical(map_strings(value, normalize, in_lists=True), False))


def _strict_fields(value: Any) -> list[tuple[str, Any]]:
    fields = ((key, _strict_value(child)) for key, child in flatten(value))
    return [(key, text) for key, text in fields if text]


def _strict_value(value: Any) -> str:
    if value is None:
        return ""
    return normalize(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), "strict")


def faithfulness(values: Iterable[Any], ocr_text: str) -> float | None:
    """Share of predicted values that occur in the OCR text, both normalized by the released rules; None for no value.

    Empty values are not counted. Source: section 5.2 (the paper gives no code; substring and micro are assumed).
    """
    text = normalize(ocr_text)
    present = [value for value in (normalize(v) for v in values if v is not None) if value]
    return sum(value in text for value in present) / len(present) if present else None
