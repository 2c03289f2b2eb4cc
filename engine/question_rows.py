"""Questions as rows of `qa` and `qa_rejections`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from schemas.document import Document
from schemas.geometry import Quad
from schemas.questions import CRITERIA, Asked, Question
from schemas.tables import page_id

_DIFFICULTY = {1: "easy", 2: "medium", 3: "hard"}


def question_rows(document_id: str, document: Document, asked: Asked) -> dict[str, list[dict[str, Any]]]:
    """Rows by config. Quads are those of the words in this document, one for each line that an answer takes."""
    return {
        "qa": [_row(document_id, document, q, f"q{n}") for n, q in enumerate(asked.kept)],
        "qa_rejections": [_row(document_id, document, q, f"r{n}") for n, q in enumerate(asked.rejected)],
    }


def _row(document_id: str, document: Document, question: Question, number: str) -> dict[str, Any]:
    pages = sorted({document.words[i].page for i in question.evidence})
    answered = [i for a in question.answers for i in a.words] or list(question.evidence)
    first = document.words[answered[0]].page if answered else 0
    verdict = question.verdict
    return {
        "document_id": document_id,
        "question_id": f"{document_id}-{number}",
        "page_id": page_id(document_id, first),
        "question": question.text,
        "kind": question.kind,
        "operation": question.operation,
        "difficulty": _DIFFICULTY[question.difficulty],
        "cardinality": len(question.answers),
        "answers": [a.text for a in question.answers],
        "answers_normal": [a.normal for a in question.answers],
        "answer_word_ids": [list(a.words) for a in question.answers],
        "answer_quads": [list(_quads(document, a.words)) for a in question.answers],
        "evidence_word_ids": list(question.evidence),
        "evidence_page_ids": [page_id(document_id, page) for page in pages],
        "program": json.dumps(dict(question.program), ensure_ascii=False, sort_keys=True),
        **dict(zip(CRITERIA, verdict.scores if verdict else [None] * len(CRITERIA), strict=True)),
        "reasons": list(verdict.reasons) if verdict else [],
        "source": question.source,
        "opinions": [
            {"judge": o.judge, "reasons": list(o.reasons), **dict(zip(CRITERIA, o.scores, strict=True))}
            for o in question.opinions
        ],
        "agreement": question.agreement,
        "gates": [asdict(gate) for gate in question.gates],
        "dropped": question.dropped,
    }


def _quads(document: Document, ids: Sequence[int]) -> Iterator[list[float]]:
    """One quad a line: from the first word's left edge to the last word's right edge."""
    for _, group in groupby(ids, key=lambda i: document.words[i].line):
        words = list(group)
        first, last = document.words[words[0]].quad, document.words[words[-1]].quad
        yield [round(float(v), 2) for v in Quad(first.tl, last.tr, last.br, first.bl).flat()]
