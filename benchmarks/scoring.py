"""How fast a file of predictions is scored: 100,000 fields, 100,000 questions and 100,000 reading orders, from a file.

Everything that `pageloom evaluate` does from the prediction file on is timed: reading and checking of the lines, every
metric of the tracks, kinds of errors, groups, and intervals over documents. Only the truth is made in memory.

Run: python -m benchmarks.scoring [--predictions N]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.metrics import _shuffled, _spoil, _words
from synth.score.evaluate import Evaluator, score_documents
from synth.score.gallery import Gallery
from synth.score.prediction_file import open_predictions
from synth.score.truth import DocumentTruth, PageTruth, QuestionTruth, TextPart

GOAL_S, GOAL_MIB = 60.0, 2048.0
FIELDS, QUESTIONS, PAGES = 20, 20, 20  # of a document
_BOX = (0.0, 0.0, 100.0, 10.0)


def documents(number: int) -> Iterator[DocumentTruth]:
    """Documents of 20 fields (8 of them in 2 rows of a table), 20 questions and 20 pages of 20 to 40 lines."""
    for index in range(number):
        rng = random.Random(f"truth {index}")
        name = f"test-{index:08d}"
        rows = [{f"column {k}": _words(rng, 1, 3) for k in range(4)} for _ in range(2)]
        values = {f"field {k}": _words(rng, 1, 4) for k in range(FIELDS - 8)} | {"items": rows}
        pages = []
        for page in range(PAGES):
            size = rng.randint(20, 40)
            numbers = range(1000 * page, 1000 * page + size)
            lines = tuple(TextPart(k, _words(rng, 1, 2), _BOX, "", k + 1 if k < numbers[-1] else None) for k in numbers)
            pages.append(PageTruth(f"{name}-p{page}", lines, (), (), ()))
        questions = tuple(
            QuestionTruth(
                f"{name}-q{k}",
                f"{name}-p0",
                _words(rng, 4, 8),
                tuple(_words(rng, 1, 5) for _ in range(rng.choice((1, 1, rng.randint(2, 5))))),
                rng.choice(("single span", "several spans", "table")),
                rng.choice(("easy", "hard")),
            )
            for k in range(QUESTIONS)
        )
        kind = rng.choice(("form", "invoice")), rng.choice(("en", "zh"))
        yield DocumentTruth(name, "test", *kind, "easy", values, {}, tuple(pages), {}, questions)


def answers(document: DocumentTruth) -> Iterator[tuple[str, str, Any]]:
    """(track, id, payload): about half of the values with a character changed, orders with neighbours swapped."""
    rng = random.Random(f"answers {document.id}")
    yield "kie", document.id, _spoilt(rng, document.values)
    for question in document.questions:
        said = [_spoil(rng, text) for text in rng.sample(question.answers, len(question.answers))]
        yield "qa", question.id, said[0] if len(said) == 1 else said
    for page in document.pages:
        order = _shuffled(rng, len(page.lines))
        yield "line_order", page.id, [page.lines[at - 1].id for at in order]


def _spoilt(rng: random.Random, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _spoilt(rng, child) for key, child in value.items()}
    return [_spoilt(rng, child) for child in value] if isinstance(value, list) else _spoil(rng, value)


def _in_turns(number: int) -> Iterator[list[DocumentTruth]]:
    made = documents(number)
    while some := list(islice(made, 100)):
        yield some


def main() -> int:
    """Print seconds and peak memory; 1 when the goal (60 s and 2 GiB for 100,000 of each) is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--predictions", type=int, default=100_000, help="of each kind")
    number = parser.parse_args().predictions
    total = number // FIELDS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for document in documents(total):
                for track, name, payload in answers(document):
                    file.write(json.dumps({"track": track, "id": name, "prediction": payload}) + "\n")
        start, processor = time.perf_counter(), time.process_time()
        found = open_predictions(path, "strict")
        indexed = time.perf_counter()
        print(f"{len(found.places):,} lines, {path.stat().st_size / 1e6:.0f} MB, checked in {indexed - start:.1f} s")
        seconds, processor = indexed - start, time.process_time() - processor
        for track, what in (("kie", "fields"), ("qa", "questions"), ("line_order", "reading orders")):
            evaluator = Evaluator([track], "strict", found.get, Gallery(8))
            took = cpu = 0.0
            for some in _in_turns(total):  # the truth is made apart, a hundred documents at a time
                began, worked = time.perf_counter(), time.process_time()
                score_documents(evaluator, some)
                took, cpu = took + time.perf_counter() - began, cpu + time.process_time() - worked
            began, worked = time.perf_counter(), time.process_time()
            evaluator.results({}, 1000)
            took, cpu = took + time.perf_counter() - began, cpu + time.process_time() - worked
            seconds, processor = seconds + took, processor + cpu
            print(f"{what:16} {number:>9,} in {took:6.1f} s, {cpu:6.1f} s of processor  {number / took:>9,.0f}/s")
        found.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'all of it':16} {3 * number:>9,} in {seconds:6.1f} s, {processor:6.1f} s of processor")
    print(f"one process, peak {peak:,.0f} MiB")
    return int(number >= 100_000 and (seconds > GOAL_S or peak > GOAL_MIB))


if __name__ == "__main__":
    raise SystemExit(main())
