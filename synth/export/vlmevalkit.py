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

COLUMNS = (
    "index", "image", "image_path", "question", "answer", "category", "l2-category", "split", "document_id", "page_id",
    "source",
)  # fmt: skip


class VlmEvalKit:
    """`NAME_DIGEST_SPLIT_DocVQA.tsv`. A picture stands once, in its page's first row; the others name that row's index.

    `image_path` is where VLMEvalKit unpacks the picture: once a page, and without loss. It keeps what it unpacked by
    the TSV's name, so that name has the start of the release's digest.
    `answer` is a JSON list, which VLMEvalKit reads as all accepted answers and pandas never takes for a number or for
    nothing. The name ends in `DocVQA`, by which VLMEvalKit's VQA scorer chooses ANLS.
    """

    tables: ClassVar[tuple[str, ...]] = ("words", "layout", "cells", "kie", "qa")
    looks_ahead: ClassVar[bool] = False

    def __init__(self, out: Sink, release: Release) -> None:
        self._out, self._release = out, release
        self._index: Counter[str] = Counter()
        self.counts: Counter[str] = Counter(documents=0, pages=0)

    def look(self, document: Row) -> None: ...

    def add(self, sample: Sample) -> None:
        file = self._file(sample.split)
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
            row = (str(index), image, f"{page.id}.png", one.text, answer, sample.type, sample.language, sample.split)
            self._out.append(file, _row((*row, sample.id, page.id, one.source)))
        self.counts += Counter(documents=1, pages=len(sample.pages), questions=len(found)) + left
        self.counts["pages_without_question"] += len(sample.pages) - len(first)

    def _file(self, split: str) -> str:
        return f"{self._release.slug}_{self._release.digest[:8]}_{split}_DocVQA.tsv"

    def close(self) -> None:
        self.counts = +self.counts

    def usage(self) -> str:
        return (
            "Put a TSV into `$LMUData` and run VLMEvalKit with `--data` and its name without `.tsv`, `--mode infer`. "
            "VLMEvalKit has no scorer for datasets it does not know; its own ANLS is "
            "`ImageVQADataset.evaluate_heuristic(build_dataset(NAME), PREDICTIONS)`."
        )


def _row(values: tuple[str, ...]) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerow(values)
    return text.getvalue().encode()
