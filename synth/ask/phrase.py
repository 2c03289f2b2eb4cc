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

LANGUAGES = ("en", "zh", "bn")
PLAIN_SHARE = 0.5  # labels that are named without quotation marks, where that reads well
ANCHORED_SHARE = 0.6  # questions that also say which document, though their words tell already
_SLOT = re.compile(r"\{(\w+)\}")


@lru_cache(maxsize=8)
def phrases(language: str) -> Mapping[str, Any]:
    """The phrasings of a language."""
    return yaml.load((ROOT / "phrases" / f"{language}.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)


def phrase(draft: Draft, facts: Facts, rng: random.Random) -> str | None:
    """A question in words, None where they would give the answer away or name no document."""
    data = phrases(facts.language)
    wordings: Sequence[str] = data[draft.wording]
    if draft.wording.startswith("value_"):
        wordings = [*wordings, *data["value"]] if draft.wording == "value_date" else wordings
    slots = _slots(draft, facts, data)
    if slots is None:
        return None
    wording = rng.choice(wordings)
    for slot in ("label", "label2"):
        bare = slot in draft.default_labels or (slot in slots and _reads_bare(slots[slot], facts))
        if bare and (slot in draft.default_labels or rng.random() < PLAIN_SHARE):
            wording, plain = _unquote(wording, slot, facts.language, slot in draft.default_labels)
            if plain and facts.language == "en":
                slots[slot] = _lower(slots[slot])
    text = _SLOT.sub(lambda match: slots[match[1]], wording)
    anchor = _anchor(draft, facts, data, slots, rng)
    if anchor is None and not draft.specific:
        return None
    if anchor and not (draft.specific and rng.random() > ANCHORED_SHARE):
        text = _framed(text, anchor, data, rng, facts.language)
    text = text[0].upper() + text[1:]
    given_away = any(a.words and squeeze(a.text) in squeeze(text) for a in draft.answers)
    return None if given_away else text


def _slots(draft: Draft, facts: Facts, data: Mapping[str, Any]) -> dict[str, str] | None:
    slots = dict(draft.slots)
    slots |= _forms("doc", data["documents"].get(facts.type, data["documents"]["other"]))
    name = slots.pop("list", "")
    nouns = data["lists"].get(f"{facts.type}.{name}", data["lists"].get(name, data["lists"]["other"]))
    slots |= {"noun": nouns[0], "nouns": nouns[1], "noun_of": nouns[-1]}
    for slot in ("label", "label2"):
        if slots.get(slot, "").startswith("@"):
            slots[slot] = data["columns"][slots[slot][1:]]
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


def _unquote(wording: str, slot: str, language: str, always: bool) -> tuple[str, bool]:
    """The wording without quotation marks around a slot, where the language allows it there."""
    quoted = f'"{{{slot}}}"' if language == "en" else f"“{{{slot}}}”"
    place = wording.find(quoted)
    if place < 0:
        return wording, False
    if language == "en" and not always and not wording[:place].endswith(" the "):
        return wording, False
    if language == "bn" and not always and wording[place + len(quoted) :].startswith("-"):
        return wording, False
    return wording.replace(quoted, f"{{{slot}}}"), True


def _lower(label: str) -> str:
    """A label in lower case but for abbreviations: `Payment Due Date` is `payment due date`, `VAT Total` `VAT total`."""
    return " ".join(w if len(w) > 1 and w.isupper() and len(w) < 5 else w.lower() for w in label.split())


def _anchor(
    draft: Draft, facts: Facts, data: Mapping[str, Any], slots: Mapping[str, str], rng: random.Random
) -> str | None:
    """Words that say which document is meant, without a word of the answers or of the question."""
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
        return data["back"].format(question=text[:-1], anchor=anchor) + text[-1]
    first = text if re.match(r'["“]|[A-Z]{2}', text) or language != "en" else text[0].lower() + text[1:]
    return data["front"].format(anchor=anchor, question=first)
