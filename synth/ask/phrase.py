"""Drafts in words: many phrasings of each kind in the language of the document, from data files."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import yaml

from synth.ask.draft import Draft
from synth.ask.facts import ROOT, Facts, squeeze
from synth.ask.values import number

LANGUAGES = ("en", "zh", "bn")
PLAIN_SHARE = 0.5  # labels that are named without quotation marks, where that reads well
ANCHORED_SHARE = 0.6  # questions that also say which document, though their words tell already
_OF_CELLS = ("cell", "cell_by", "row_values", "highest_cell", "lowest_cell")
_SLOT = re.compile(r"\{(\w+)\}")


@lru_cache(maxsize=8)
def phrases(language: str) -> Mapping[str, Any]:
    """The phrasings of a language."""
    return yaml.load((ROOT / "phrases" / f"{language}.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)


def phrase(draft: Draft, facts: Facts, rng: random.Random) -> str | None:
    """A question in words, None where they would give the answer away or name no document."""
    data = phrases(facts.language)
    slots = _slots(draft, facts, data)
    if slots is None:
        return None
    labels = [slot for slot in ("label", "label2") if slot in slots]
    wording = rng.choice(_wordings(draft, data))
    if draft.default_labels or (all(_reads_bare(slots[s], facts) for s in labels) and rng.random() < PLAIN_SHARE):
        bare = _unquoted(wording, labels, facts.language, forced=bool(draft.default_labels))
        if bare is not None:
            wording = bare
            if facts.language == "en":
                slots |= {slot: _lower(slots[slot]) for slot in labels}
    if draft.wording in _OF_CELLS and number(draft.answers[0].text) is None:
        for amount, other in data.get("asks_of_no_amount", {}).items():
            wording = wording.replace(amount, other)
    text = _SLOT.sub(lambda match: slots[match[1]], wording)
    anchor = _anchor(draft, facts, data, slots, rng)
    if anchor is None and not draft.specific:
        return None
    if anchor and not (draft.specific and rng.random() > ANCHORED_SHARE):
        text = _framed(text, anchor, data, rng, facts.language)
    text = text[0].upper() + text[1:]
    given_away = any(a.words and squeeze(a.text) in squeeze(text) for a in draft.answers)
    return None if given_away else text


def _wordings(draft: Draft, data: Mapping[str, Any]) -> Sequence[str]:
    """Phrasings that fit: none that speaks of a column where the table has no heads."""
    found = data[draft.wording]
    if draft.wording == "value_date":
        found = [*found, *data["value"]]
    return [w for w in found if not any(word in w for word in data["of_heads"])] if draft.default_labels else found


def _slots(draft: Draft, facts: Facts, data: Mapping[str, Any]) -> dict[str, str] | None:
    slots = dict(draft.slots)
    slots |= _forms("doc", data["documents"].get(facts.type, data["documents"]["other"]))
    name = slots.pop("list", "")
    nouns = data["lists"].get(f"{facts.type}.{name}", data["lists"].get(name, data["lists"]["other"]))
    slots |= {"noun": nouns[0], "nouns": nouns[1], "noun_of": nouns[-1]}
    for slot in ("label", "label2"):
        if slots.get(slot, "").startswith("@"):
            slots |= _forms(slot, data["columns"][slots[slot][1:]])
    for slot in ("row", "row2"):
        if slot in slots:
            form = "numbered" if slots[slot].startswith("#") else "row"
            slots[slot] = data[form].replace("{value}", slots[slot].lstrip("#"))
    if draft.wording == "prose":
        [path] = draft.paths
        if path not in data["prose_labels"]:
            return None
        slots["label"] = data["prose_labels"][path]
    return slots


def _forms(slot: str, value: str | list[str]) -> dict[str, str]:
    """A noun and, where the language has them, its genitive and locative."""
    forms = [value] if isinstance(value, str) else value
    return {slot: forms[0], f"{slot}_of": forms[min(1, len(forms) - 1)], f"{slot}_in": forms[-1]}


def _reads_bare(label: str, facts: Facts) -> bool:
    """Letters only, and no part of another label."""
    if not re.fullmatch(r"[^\W\d_]+( [^\W\d_]+)*", label) and facts.language == "en":
        return False
    if any(c in label for c in "()（）/.,#&%-"):
        return False
    inside = squeeze(label)
    heads = [c.label for t in facts.tables for c in t.columns] + [f.label for f in facts.labelled]
    return len(inside) > 3 and not any(inside in squeeze(h) and inside != squeeze(h) for h in heads)


def _unquoted(wording: str, slots: Sequence[str], language: str, forced: bool) -> str | None:
    """The wording without quotation marks around these slots; None where it needs them. `forced`: it must do."""
    if "”“" in wording and not forced:
        return None
    for slot in slots:
        quoted = f'"{{{slot}}}"' if language == "en" else f"“{{{slot}}}”"
        place = wording.find(quoted)
        if place < 0:
            continue
        if language == "en" and not forced and not wording[:place].endswith((" the ", "highest ", "largest ")):
            return None
        if language == "bn":
            if forced:
                wording = wording.replace(f"{quoted}-এর", f"{{{slot}_of}}")
            elif wording[place + len(quoted) :].startswith("-"):
                return None
        wording = wording.replace(quoted, f"{{{slot}}}")
    return wording


def _lower(label: str) -> str:
    """A label in lower case but for abbreviations: `VAT Total` is `VAT total`."""
    return " ".join(w if len(w) > 1 and w.isupper() and len(w) < 5 else w.lower() for w in label.split())


def _anchor(
    draft: Draft, facts: Facts, data: Mapping[str, Any], slots: Mapping[str, str], rng: random.Random
) -> str | None:
    """Words that say which document is meant, without a word of the answers or of the question."""
    if draft.wording in ("issuer", "parties"):
        return None
    taken = [squeeze(a.text) for a in draft.answers] + [squeeze(draft.slots.get(s, "")) for s in ("name", "number")]
    fit = []
    for kind, field in sorted(facts.anchors.items()):
        value = squeeze(field.value)
        if field.path not in draft.paths and not any(t and (t in value or value in t) for t in taken):
            fit.append((kind, field.value))
    if not fit:
        return None
    kind, value = rng.choice(fit)
    wording = rng.choice(data["anchors"][kind])
    return _SLOT.sub(lambda match: {**slots, "value": " ".join(value.split())}[match[1]], wording)


def _framed(text: str, anchor: str, data: Mapping[str, Any], rng: random.Random, language: str) -> str:
    if "back" in data and not re.search(r"[.?;] ", text) and rng.random() < 0.6:
        return data["back"].format(question=text[:-1], anchor=anchor).removesuffix(".") + text[-1]
    first = text if re.match(r'["“]|[A-Z]{2}', text) or language != "en" else text[0].lower() + text[1:]
    return data["front"].format(anchor=anchor, question=first)
