"""Makes synth/ask/llm/examples/documents.jsonl: questions whose answers are known, with the lines around them.

.venv/bin/python scripts/qa_examples.py --documents 96 --seed 77
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from schemas.document import Document
from schemas.question_settings import Questions
from schemas.questions import Question
from synth.ask.llm import examples
from synth.ask.llm.ground import calculated, located
from synth.ask.llm.units import Unit, units_of
from synth.ask.service import ask_about
from synth.render.chromium import Chromium
from synth.render.fonts import font_set
from tests.synth.ask.conftest import printed

SHOWN = 8  # lines of an example
OF_EACH = 6  # examples of a kind and language
LONGEST = 600  # characters of an example's lines


def example(document: Document, units: tuple[Unit, ...], language: str, question: Question) -> dict[str, Any] | None:
    """The question as an example, None where its words are spread too far or its answer is computed."""
    wanted = set(question.evidence)
    for unit in units:
        uses = [n for n, piece in enumerate(unit.pieces) if wanted.intersection(piece.words)]
        if not wanted <= set(unit.words) or not uses or uses[-1] - uses[0] >= SHOWN:
            continue
        start = max(0, min(uses[0] - 1, len(unit.pieces) - SHOWN))
        start = start if uses[-1] < start + SHOWN else uses[0]
        shown = unit.pieces[start : start + SHOWN]
        if sum(len(piece.text) for piece in shown) > LONGEST:
            continue
        pieces = [unit.pieces[n] for n in uses]
        row = {
            "kind": question.kind,
            "language": language,
            "lines": [piece.text for piece in shown],
            "question": question.text,
            "uses": [n - start + 1 for n in uses],
            "answers": [a.text for a in question.answers],
        }
        if all(located(document, pieces, a.text) for a in question.answers):
            return row
        terms = [shown[n - start].text.rsplit(" ", 1)[-1].strip(" $£¥৳元") for n in uses]
        for sign in "-+":
            expression = f" {sign} ".join(terms)
            value = calculated(expression, pieces, document) if len(terms) == 2 else None
            if value is not None and question.answers[0].normal == f"{value.normalize():f}":
                says = [{"says": shown[n - start].text, "lines": [n - start + 1]} for n in uses]
                return row | {"steps": says, "calculation": expression}
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=96)
    parser.add_argument("--seed", type=int, default=77)
    arguments = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    rows: list[dict[str, Any]] = []
    with Chromium(font_set(["en", "zh", "bn"])) as browser:
        for p in printed(browser, arguments.documents, arguments.seed):
            units = units_of(p.document)
            mine: set[str] = set()
            for question in ask_about(p.spec, p.document, Questions()).kept:
                row = example(p.document, units, p.spec.language, question)
                key = question.kind, p.spec.language
                if row is None or question.kind in mine or counts[key] >= OF_EACH:
                    continue
                mine.add(question.kind)  # one of a kind from one document
                counts[key] += 1
                rows.append(row)
    rows.sort(key=lambda row: (row["kind"], row["language"]))
    path = Path(examples.__file__).parent / "examples" / "documents.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    print(dict(counts))


if __name__ == "__main__":
    main()
