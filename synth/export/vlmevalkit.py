"""VLMEvalKit's TSV (docs/en/Development.md of open-compass/VLMEvalKit; `ImageBaseDataset`): a question a row."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections import Counter
from typing import ClassVar

from synth.export.out import Sink
from synth.export.questions import questions
from synth.export.rows import Release, Row, Sample

COLUMNS = ("index", "image", "question", "answer", "category", "l2-category", "split", "document_id", "page_id", "path")


class VlmEvalKit:
    """`NAME_SPLIT_DocVQA.tsv`. A picture stands once, in its page's first row; the others name that row's index.

    `answer` is a JSON list, which VLMEvalKit reads as all accepted answers and pandas never takes for a number or for
    nothing. The name ends in `DocVQA`, by which VLMEvalKit's VQA scorer chooses ANLS.
    """

    tables: ClassVar[tuple[str, ...]] = ("words", "layout", "cells", "kie")
    looks_ahead: ClassVar[bool] = False

    def __init__(self, out: Sink, release: Release) -> None:
        self._out, self._release = out, release
        self._index: Counter[str] = Counter()
        self.counts: Counter[str] = Counter(documents=0, pages=0)

    def look(self, document: Row) -> None: ...

    def add(self, sample: Sample) -> None:
        file = f"{self._release.slug}_{sample.split}_DocVQA.tsv"
        if not self._index[file]:
            self._out.append(file, _row(COLUMNS))
        found, left = questions(sample)
        first: dict[str, int] = {}
        for one in found:
            index = self._index[file] = self._index[file] + 1
            page = one.page
            if page.id in first:
                image = str(first[page.id])
            else:
                first[page.id], image = index, base64.b64encode(page.picture).decode()
            answer = json.dumps(list(one.answers), ensure_ascii=False)
            row = (str(index), image, one.text, answer, sample.type, sample.language, sample.split)
            self._out.append(file, _row((*row, sample.id, page.id, one.path)))
        self.counts += Counter(documents=1, pages=len(sample.pages), questions=len(found)) + left
        self.counts["pages_without_question"] += len(sample.pages) - len(first)

    def close(self) -> None:
        self.counts = +self.counts

    def usage(self) -> str:
        return (
            "Put a TSV into `$LMUData` and run VLMEvalKit with `--data` and its name without `.tsv`, `--mode infer`. "
            "VLMEvalKit has no scorer for datasets it does not know; its own ANLS is "
            "`ImageVQADataset.evaluate(build_dataset(NAME), PREDICTIONS)`."
        )


def _row(values: tuple[str, ...]) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerow(values)
    return text.getvalue().encode()
