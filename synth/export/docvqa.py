"""DocVQA's JSON (Single Page DocVQA, RRC challenge 17, `*_v1.0_withQT.json`), with its OCR files."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from synth.export.out import Listing, Sink, dumps
from synth.export.questions import questions
from synth.export.rows import Page, Release, Row, Sample, floats


class DocVqa:
    """`qas/SPLIT_v1.0_withQT.json`, `documents/PAGE.jpg` and `ocr_results/PAGE.json`.

    The OCR files hold the true lines and words, as a reader that makes no mistake would give them.
    """

    tables: ClassVar[tuple[str, ...]] = ("words", "lines", "layout", "cells", "kie", "qa")
    looks_ahead: ClassVar[bool] = False

    def __init__(self, out: Sink, release: Release) -> None:
        self._out, self._release = out, release
        self._files: dict[str, Listing] = {}
        self._number = 0
        self.counts: Counter[str] = Counter(documents=0, pages=0)

    def look(self, document: Row) -> None: ...

    def add(self, sample: Sample) -> None:
        file = self._files.get(sample.split) or self._open(sample.split)
        found, left = questions(sample)
        for one in found:
            self._number += 1
            item = {
                "questionId": self._number,
                "question": one.text,
                "question_types": [one.kind],
                "image": f"documents/{one.page.file}",
                "docId": sample.row["index"],
                "ucsf_document_id": sample.id,
                "ucsf_document_page_no": str(one.page.number),
                "answers": list(one.answers),
                "data_split": sample.split,
                "source": one.source,
                "language": sample.language,
            }
            file.add(dumps(item))
        for page in sample.pages:
            self._out.put(f"documents/{page.file}", page.picture)
            self._out.put(f"ocr_results/{page.id}.json", dumps(ocr(page)) + b"\n")
        self.counts += Counter(documents=1, pages=len(sample.pages), questions=len(found)) + left

    def _open(self, split: str) -> Listing:
        head = {"dataset_name": self._release.name, "dataset_version": self._release.version, "dataset_split": split}
        start = dumps(head)[:-1] + b', "data": [\n'
        file = self._files[split] = Listing(self._out, f"qas/{split}_v1.0_withQT.json", start, b"\n]}\n")
        return file

    def close(self) -> None:
        for file in self._files.values():
            file.close()

    def usage(self) -> str:
        return (
            "Questions are in `qas/SPLIT_v1.0_withQT.json`, pictures in `documents/`, true text lines in "
            "`ocr_results/`, all as in Single Page DocVQA. Score with ANLS. In `datasets`: "
            "`load_dataset('json', data_files='qas/SPLIT_v1.0_withQT.json', field='data')`."
        )


def ocr(page: Page) -> dict[str, Any]:
    """A page's lines and words as DocVQA's OCR files have them; `boundingBox` is a quad in whole pixels."""
    words = {w["word_id"]: w for w in page.words}
    lines = [
        {
            "boundingBox": _corners(line),
            "text": line["text"],
            "words": [{"boundingBox": _corners(words[i]), "text": words[i]["text"]} for i in line["word_ids"]],
        }
        for line in page.lines
    ]
    width, height = page.size
    result = {"page": 1, "clockwiseOrientation": 0.0, "width": width, "height": height, "unit": "pixel", "lines": lines}
    return {"status": "Succeeded", "recognitionResults": [result]}


def _corners(row: Row) -> list[int]:
    return [round(number) for number in floats(row["quad"])]
