"""The table of docs/questions.md: what the rule judges say of right pairs and of planted faults.

    python scripts/qa_faults.py [--documents 48] [--seed 1] [--each 50] [--show FAULT]

Prints and questions documents anew (Chromium needed), plants the faults, judges, and judges the pairs of
tests/data/qa_pairs.jsonl, which were written before the judges.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from actors.browser import Browser
from schemas.errors import SampleError
from schemas.plan import Plan
from schemas.recipe import Content
from schemas.sample import LANGUAGES, TYPES
from synth.ask.judge.page import Pages
from synth.ask.judge.rules import judge
from synth.ask.pick import ask
from synth.content.library import load_library
from synth.content.writer import write
from synth.render.fonts import font_set
from tests.fixtures.qa_faults import FAULTS, Pair, Source, page_word, page_words, right_pairs, wrong_pairs

BLIND = Path(__file__).parents[1] / "tests" / "data" / "qa_pairs.jsonl"
Counts = Counter[tuple[str, bool]]


def sources(documents: int, seed: int, kept: Path | None = None) -> list[Source]:
    """Printed documents of all types and languages with all their questions, not judged."""
    if kept and kept.exists():
        made = pickle.loads(kept.read_bytes())
    else:
        content = Content.model_validate(
            {
                "name": "qa",
                "version": "1.0.0",
                "seed": seed,
                "splits": {"train": documents},
                "shard_size": 8,
                "types": list(TYPES),
                "languages": list(LANGUAGES),
            }
        )
        plan, library = Plan(content), load_library(())
        browser = Browser(font_set(LANGUAGES, ()))
        made = []
        for index in range(documents):
            spec = plan.spec("train", index)
            while True:
                try:
                    html = write(spec, library, content)
                    made.append((spec, html, browser.print_and_label(html).document))
                    break
                except SampleError:
                    spec = spec.next_try()
        browser.close()
        if kept:
            kept.write_bytes(pickle.dumps(made))
    return [
        Source(document, html.language, ask(document, html.type, html.language, spec.rng("ask"), 14).kept)
        for spec, html, document in made
    ]


def judged(pairs: Sequence[Pair], pages: Sequence[Pages], show: str | None = None) -> Counts:
    counts: Counts = Counter()
    for pair in pairs:
        verdict = judge(pair.question, pair.answers, pages[pair.source])
        counts[pair.fault, verdict.kept] += 1
        if show is not None and pair.fault == show and verdict.kept == bool(show):
            print(f"[{pair.source}] {pair.question}\n      {' | '.join(pair.answers)}\n      {verdict}")
    return counts


def blind() -> tuple[list[Pair], list[Pages]]:
    pairs: list[Pair] = []
    pages: list[Pages] = []
    for number, line in enumerate(BLIND.read_text(encoding="utf-8").splitlines()):
        data = json.loads(line)
        pages.append(Pages([page_word(word) for word in data["words"]]))
        pairs += [Pair(number, p["question"], tuple(p["answers"]), p["fault"] or "") for p in data["pairs"]]
    return pairs, pages


def table(made: Counts, written: Counts) -> str:
    lines = ["| pairs | made: judged right | of | written blind: judged right | of |", "|---|---|---|---|---|"]
    for fault in ("", *FAULTS):
        kept = not fault
        cells = [f"{c[fault, kept]} | {c[fault, True] + c[fault, False]}" for c in (made, written)]
        lines.append(f"| {fault or 'right'} | {cells[0]} | {cells[1]} |")
    for name, wanted in (("right", True), ("wrong", False)):
        for title, counts in (("made", made), ("blind", written), ("all", made + written)):
            mine = {k: v for k, v in counts.items() if bool(k[0]) != wanted}
            total = sum(mine.values())
            good = sum(v for (_, kept), v in mine.items() if kept == wanted)
            lines.append(f"{name}, {title}: {good} of {total} = {100 * good / max(1, total):.1f}%")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=48)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=50)
    parser.add_argument("--right", type=int, default=400)
    parser.add_argument("--show", help="print the misjudged pairs of a fault, '' for right ones")
    parser.add_argument("--made", action="store_true", help="only the made pairs")
    parser.add_argument("--keep", type=Path, help="file to keep the printed documents in")
    args = parser.parse_args()
    made = sources(args.documents, args.seed, args.keep)
    pages = [Pages(page_words(source.document)) for source in made]
    pairs = right_pairs(made, args.right, args.seed) + wrong_pairs(made, args.each, args.seed)
    print(table(judged(pairs, pages, args.show), judged(*blind()) if not args.made else Counter()))


if __name__ == "__main__":
    main()
