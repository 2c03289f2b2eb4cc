"""CC-OCR: field F1 and nTED, text units, documents and tables, as its released evaluators count them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from rapidfuzz.distance import Levenshtein

from synth.metrics.teds import teds
from synth.metrics.trees import canonical, count_fields, files, flatten, map_strings, tree_accuracy

EPSILON = 1e-6  # in the denominators of the KIE scores: a perfect answer stays below 1
UNIT_EPSILON = 1e-9  # the same for the OCR scores
HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_HAN, _LATIN = "[一-\u9fff]", "[a-zA-Z0-9]"
_SPACES = (
    (re.compile(rf"(?<={_HAN})\s+(?={_HAN})"), ""),
    (re.compile(rf"(?<={_HAN})\s+(?={_LATIN})"), ""),
    (re.compile(rf"(?<={_LATIN})\s+(?={_HAN})"), ""),
    (re.compile(r"(?<![0-9])\s*([,.!?:;])\s*"), r"\1 "),
    (re.compile(r"(?<=[0-9])(?=[a-zA-Z])|(?<=[a-zA-Z])(?=[0-9])"), " "),
    (re.compile(r"\s+"), " "),
)
_PREAMBLE = re.compile(
    r"\\documentclass\{.*?\}|\\usepackage(?:\[.*?\])?\{.*?\}|\\geometry\{.*?\}|\\(?:begin|end)\{document\}|\\noindent"
)


def normalize(text: Any) -> str:
    """Half width, no blanks beside Han characters, one after , . ! ? : ; and one between letters and digits."""
    result = str(text).translate(HALF_WIDTH | {0x3000: " "}).replace("、", ",")
    for pattern, replacement in _SPACES:
        result = pattern.sub(replacement, result)
    return result


def parse_reply(text: Any) -> Any:
    """The JSON value of a reply, or None. A fence that is opened and not closed fails: the code means to close it."""
    if not isinstance(text, str):
        return None
    if "```json" in text:
        fenced = re.search(r"```json(.*?)```", text, re.DOTALL)
        if fenced is None:
            return None
        text = fenced.group(1)
    try:
        return json.loads(text.strip().replace("\n", ""))
    except (ValueError, RecursionError):
        return None


def kie(pred: Mapping[str, Any], gold: Mapping[str, Any]) -> dict[str, float]:
    """Field F1 over all documents and the mean tree accuracy (`acc_nted`), both with epsilon in the denominator.

    A gold document may be JSON text. Strings that stand directly in a list are not normalized. An empty gold document
    has accuracy 0. Source: CC-OCR, section 4.2, and kie_evaluator.py.
    """
    truth = {name: json.loads(value) if isinstance(value, str) else value for name, value in gold.items()}
    pairs = [
        tuple(canonical(map_strings(side, normalize, in_lists=False), False) for side in pair)
        for pair in files(pred, truth)
    ]
    counts = count_fields((flatten(one), flatten(two)) for one, two in pairs)
    accuracies = [tree_accuracy(one, two) or 0.0 for one, two in pairs]
    return {"f1": counts.f1(EPSILON) or 0.0, "acc_nted": sum(accuracies) / (len(accuracies) + EPSILON)}


def units(text: str, word_level: bool = True, alphanum_only: bool = False, lower: bool = True) -> list[str]:
    """The words (or characters) an OCR text is compared by."""
    text = re.sub(r"\s+", " ", text.replace("###", "").replace("***", ""))
    parts = text.split(" ") if word_level else list(text.replace(" ", ""))
    if lower:
        parts = [part.lower() for part in parts]
    if alphanum_only:
        parts = [re.sub("[^A-Za-z0-9]+", "", part) for part in parts]
    return [part for part in parts if part]


def _rates(hits: int, gold: int, pred: int) -> tuple[float, float, float]:
    recall, precision = hits / (gold + UNIT_EPSILON), hits / (pred + UNIT_EPSILON)
    return recall, precision, 2 * recall * precision / (recall + precision + UNIT_EPSILON)


def ocr_f1(
    pred: Mapping[str, str],
    gold: Mapping[str, str],
    word_level: bool = True,
    alphanum_only: bool = False,
    lower: bool = True,
) -> dict[str, float]:
    """Multiset recall, precision and F1 of text units, averaged over documents and pooled (the key has its typo).

    Source: CC-OCR, section 4.2, and ocr_evaluator.py.
    """
    rows = []
    for name, truth in gold.items():
        wanted = units(str(truth), word_level, alphanum_only, lower)
        found = units(str(pred.get(name, "")), word_level, alphanum_only, lower)
        rows.append(((Counter(wanted) & Counter(found)).total(), len(wanted), len(found)))
    single = [_rates(*row) for row in rows]
    macro = [sum(rates[at] for rates in single) / (len(single) + UNIT_EPSILON) for at in range(3)]
    micro = _rates(*(sum(row[at] for row in rows) for at in range(3)))
    names = ("macro_recall", "macro_precision", "macro_f1_score", "micro_recall", "micro_precision", "mirco_f1_score")
    return dict(zip(names, (*macro, *micro), strict=True))


def _unfence(text: str, language: str) -> str:
    fenced = re.search(rf"```{language}(.+?)```", text, re.DOTALL)
    if fenced:
        return fenced.group(1)
    return text.split(f"```{language}")[1] if f"```{language}" in text else text


def document_similarity(pred: str, gold: str) -> float:
    """Edit similarity without blanks, line breaks, code fence and LaTeX preamble. ZeroDivisionError for two empties."""
    found = _unfence(_PREAMBLE.sub("", pred), "latex").replace(" ", "").replace("\n", "")
    truth = gold.replace(" ", "").replace("\n", "")
    return 1 - Levenshtein.distance(found, truth) / max(len(found), len(truth))


def _bare_tables(text: str) -> str:
    """All tables of a text joined, attributes of <table> and every blank between tags and in cells dropped."""
    if "</table>" not in text:
        text += "</table>"
    bare = []
    for table in re.findall(r"<table.*?>.*?</table>", text, re.DOTALL):
        table = re.sub(r">\s+<", "><", re.sub(r"<table.*?>", "<table>", table))
        table = re.sub(r">(.*?)<", lambda m: m.group().replace("\n", "").replace(" ", ""), table, flags=re.DOTALL)
        bare.append(table.replace("\n", "").strip())
    return "".join(bare)


def table_similarity(pred: str, gold: str) -> float:
    """TEDS of the first table of a reply, cells half-width and without blanks. Source: doc_parsing_evaluator.py."""
    found, truth = (
        f"<html><body>{_bare_tables(text).translate(HALF_WIDTH)}</body></html>"
        for text in (_unfence(pred, "html"), gold)
    )
    return teds(found, truth, nodes="elements")


def document_mean(pred: Mapping[str, str], gold: Mapping[str, str]) -> float:
    """Mean `document_similarity`; a missing document scores 0."""
    return fmean(document_similarity(pred[name], truth) if name in pred else 0.0 for name, truth in gold.items())
