"""Contracts: lease, service, employment, nda, sale and loan, each of parties, terms, a schedule and clauses."""

from __future__ import annotations

from typing import Any

from synth.content.data import ROOT, read_yaml
from synth.content.kit import Kit
from synth.content.models.contract_deal import Deal
from synth.content.models.contract_kinds import KINDS

_ARTICLES = "一二三四五六七八九"
# Clauses that fit every kind of contract, in the order in which they are usually printed.
_GENERAL = (
    "termination", "confidentiality", "force_majeure", "assignment", "notices",
    "amendment", "severability", "waiver", "entire", "law",
)  # fmt: skip
_HAS_OWN = {
    "employment": ("termination", "confidentiality"),
    "nda": ("confidentiality",),
    "loan": ("force_majeure", "termination"),
}


def build(kit: Kit) -> dict[str, Any]:
    """Values of one contract; helpers for layouts under `_` keys.

    `_a`, `_b`: the parties (`path`, `term`, `role`, `person`); `_clauses`: numbered, each with head and text with
    {path} slots; `_facts`: paths of the terms that a summary shows, in groups; `_schedule`: a table (`rows`, `columns`,
    `total`).
    The kind is the family's option `kind`, the number of general clauses its option `general`.
    """
    kind = str(kit.option("kind", "service"))
    prose = read_yaml(ROOT / "prose" / "contract" / f"{kit.language}.yaml")
    deal = Deal(kit, prose, kind)
    KINDS[kind](deal)
    words = prose["kinds"][kind]
    terms = kit.rng.choice(words["terms"])
    roles = kit.rng.choice(words.get("roles", [terms]))
    first, second = (
        {"path": path, "term": term, "role": role, "person": "id_number" in deal.values[path]}
        for path, term, role in zip(deal.parties, terms, roles, strict=True)
    )

    def say(text: str) -> str:
        return text.replace("{A}", terms[0]).replace("{B}", terms[1])

    names = [name for name in prose["clauses"] if name.startswith(f"{kind}.")]
    wanted = int(kit.option("general", "6"))
    general = [name for name in _GENERAL if name not in _HAS_OWN.get(kind, ())]
    # Disputes are always settled somewhere; the rest is drawn, in the usual order.
    kept = {"law", *kit.rng.sample([n for n in general if n != "law"], min(wanted, len(general)) - 1)}
    names += [f"general.{name}" for name in general if name in kept]
    clauses, used = [], set()
    for name in names:
        clause = prose["clauses"][name]
        head = kit.rng.choice([h for h in clause["heads"] if h not in used] or clause["heads"])
        used.add(head)
        clauses.append({"name": name, "head": head, "text": say(kit.rng.choice(clause["texts"]))})
    for number, clause in enumerate(clauses, 1):
        clause["number"] = kit.digits(str(number))
        clause["article"] = f"第{_chinese(number)}条" if kit.language == "zh" else kit.digits(str(number))
    letter = {name: say(kit.rng.choice(texts)) for name, texts in prose["letter"].items()}
    return {
        **deal.values,
        "_kind": kind,
        "_title": kit.rng.choice(words["titles"]),
        "_a": first,
        "_b": second,
        "_opening": kit.rng.choice(prose["openings"]),
        "_party_lines": [_party_line(kit, prose, party) for party in (first, second)],
        "_and": prose["and"],
        "_recital_head": kit.rng.choice(prose["recital_head"]),
        "_recitals": [say(text) for text in words["recitals"]],
        "_agreed": kit.rng.choice(prose["agreed"]),
        "_clauses": clauses,
        "_closing": kit.rng.choice(prose["closing"]),
        "_annex_intro": kit.rng.choice(prose["annex_intro"]),
        "_letter": letter,
        "_facts": deal.facts,
        "_schedule": deal.schedule,
        "_words": prose["words"],
    }


def _party_line(kit: Kit, prose: dict[str, Any], party: dict[str, Any]) -> str:
    text = kit.rng.choice(prose["party_line_person" if party["person"] else "party_line"])
    for slot in ("term", "role"):
        text = text.replace("{" + slot + "}", party[slot])
    for slot in ("name", "address", "representative", "position", "id_number"):
        text = text.replace("{" + slot + "}", "{" + party["path"] + "." + slot + "}")
    return text


def _chinese(number: int) -> str:
    """Numerals from 1 to 99: 三, 十, 十二, 二十一."""
    tens, ones = divmod(number, 10)
    head = "" if not tens else ("十" if tens == 1 else _ARTICLES[tens - 1] + "十")
    return head + (_ARTICLES[ones - 1] if ones else "")
