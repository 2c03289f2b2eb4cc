"""The questions of one document: kinds in fixed shares, drawn from all that the document allows, judged, none twice."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from schemas.document import Document
from schemas.draws import Dealer
from schemas.question_settings import DEFAULT_KINDS
from schemas.questions import Asked, Opinion, Question, Verdict
from synth.ask.draft import Draft
from synth.ask.facts import read, squeeze
from synth.ask.kinds import drafts
from synth.ask.phrase import LANGUAGES, phrase
from synth.ask.values import day_order

MOST_OF_WORDING = {"column": 1, "issuer": 1, "parties": 1, "prose": 3}  # of one document; all others two
COUNTS_SHARE = 0.25  # documents that may have a question for a count: its answer is the easiest to guess
_TRIES = 4  # phrasings of one draft

Judge = Callable[[Question], Verdict]


def ask(
    document: Document,
    type: str,
    language: str,
    rng: random.Random,
    most: int,
    judge: Judge | None = None,
    kinds: Mapping[str, float] = DEFAULT_KINDS,
) -> Asked:
    """At most `most` different questions about a document, in its language. None where no phrasings exist for it.

    `kinds`: weights. Charts are few and small, so they take no turn where there is none.
    """
    if language not in LANGUAGES:
        return Asked((), ())
    facts = read(document, type, language, day_order([f.value for f in document.fields]))
    waiting: dict[str, dict[str, list[Draft]]] = defaultdict(lambda: defaultdict(list))
    with_counts = rng.random() < COUNTS_SHARE
    for draft in drafts(facts):
        if draft.operation != "count" or with_counts:
            waiting[draft.kind][draft.wording].append(draft)
    for wordings in waiting.values():
        for found in wordings.values():
            rng.shuffle(found)
    kept: list[Question] = []
    rejected: list[Question] = []
    texts: set[str] = set()
    used: Counter[str] = Counter()
    named = [kind for kind in DEFAULT_KINDS if kinds.get(kind, 0) and (kind != "chart" or kind in waiting)]
    for kind in set(waiting) - set(named):
        del waiting[kind]
    if not named:
        return Asked((), ())
    dealer, turn = Dealer([kinds[kind] for kind in named]), 0
    while len(kept) < most and any(waiting.values()):
        kind = named[dealer.kind(turn)]
        turn += 1
        draft = _next(waiting[kind], used, rng)
        if draft is None:
            waiting.pop(kind)
            waiting[kind] = defaultdict(list)
            continue
        question = _worded(draft, facts, rng, texts)
        if question is None:
            continue
        verdict = judge(question) if judge else None
        opinions = (Opinion("rules", verdict.scores, verdict.reasons),) if verdict else ()
        question = replace(question, verdict=verdict, opinions=opinions)
        if verdict and not verdict.kept:
            rejected.append(question)
            continue
        kept.append(question)
        texts.add(squeeze(question.text))
        used.update(draft.paths)
        used[f"wording {draft.wording}"] += 1
    return Asked(tuple(kept), tuple(rejected))


def _next(wordings: Mapping[str, list[Draft]], used: Counter[str], rng: random.Random) -> Draft | None:
    """A draft of a wording used least so far that asks for nothing asked before, None if there is none."""
    order = sorted(wordings, key=lambda name: (used[f"wording {name}"], name))
    rng.shuffle(order)
    order.sort(key=lambda name: used[f"wording {name}"])
    for name in order:
        if used[f"wording {name}"] >= MOST_OF_WORDING.get(name, 4 if name.startswith("value") else 2):
            continue
        while wordings[name]:
            draft = wordings[name].pop()
            if not any(used[path] for path in draft.paths):
                return draft
    return None


def _worded(draft: Draft, facts: Any, rng: random.Random, texts: set[str]) -> Question | None:
    for _ in range(_TRIES):
        text = phrase(draft, facts, rng)
        if text and squeeze(text) not in texts:
            return Question(
                text,
                draft.kind,
                draft.operation,
                draft.answers,
                draft.evidence,
                draft.difficulty,
                draft.program,
            )
    return None
