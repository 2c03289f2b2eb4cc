"""What the tests of questions by models share: a small document, and steps answered by a script."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from actors.llm_payload import payload
from schemas.document import Block, Cell, Document, Line, PageInfo, Word
from schemas.geometry import Box, quad_of
from schemas.llm import LlmReply
from schemas.question_settings import QuestionModels
from schemas.questions import Answer, Question
from schemas.steps import Ask, Steps
from synth.llm.steps import drive
from tests.fixtures.llm_endpoint import Script

T = TypeVar("T")
MODELS = QuestionModels(model="scripted")


def document(*blocks: tuple[str, list[str]]) -> Document:
    """A page of blocks, each a role and its lines; words are split at blanks. Cells of a table's row at " | "."""
    words: list[Word] = []
    lines: list[Line] = []
    made: list[Block] = []
    cells: list[Cell] = []
    for role, texts in blocks:
        mine: list[int] = []
        for row, text in enumerate(texts):
            y, x, ids = 20.0 * len(lines), 0.0, []
            for col, cell in enumerate(text.split(" | ")):
                start = len(words)
                for part in cell.split():
                    box = Box(x, y, x + 6.0 * len(part), y + 10.0)
                    quad = quad_of(box)
                    space = True
                    words.append(
                        Word(len(words), 0, part, box, box, quad, len(lines), len(made), len(words), 10.0, space)
                    )
                    x = box.x1 + 4.0
                inside = tuple(range(start, len(words)))
                ids += inside
                x += 40.0
                if role == "table":
                    box = Box(0, y, x, y + 10)
                    quad = quad_of(box)
                    cells.append(
                        Cell(len(cells), 0, len(made), row, col, 1, 1, row == 0, inside, cell, box, quad)
                    )  # fmt: skip
            box = Box(0, y, x, y + 10)
            quad = quad_of(box)
            lines.append(Line(len(lines), 0, len(made), tuple(ids), text, box, quad))
            mine.append(lines[-1].id)
        box = Box(0, 0, 500, 500)
        made.append(
            Block(len(made), 0, role, tuple(mine), "\n".join(texts), box, quad_of(box), len(made))
        )  # fmt: skip
    page = PageInfo(600, 800)
    return Document((page,), tuple(words), tuple(lines), tuple(made), tuple(cells), (), ())


class Scripted:
    """Answers steps by a script and counts them by stage. `replies` may change a reply by stage."""

    def __init__(self, script: Script, change: Callable[[str, LlmReply], LlmReply] | None = None) -> None:
        self.script, self.change = script, change
        self.stages: Counter[str] = Counter()
        self.asks: list[Ask] = []

    def ask(self, ask: Ask) -> LlmReply:
        self.stages[ask.stage] += 1
        self.asks.append(ask)
        with ThreadPoolExecutor(1) as pool:  # a loop of its own: Playwright's runs in this thread
            body: dict[str, Any] = pool.submit(asyncio.run, payload(ask.request, None)).result()
        reply = LlmReply(self.script(body, 0).text, "stop", "", ask.request.model, 1, 1, 0.0, 1, "script")
        return self.change(ask.stage, reply) if self.change else reply

    def run(self, steps: Steps[T]) -> T:
        return drive(steps, self.ask)


def question(text: str, *answers: str, words: tuple[int, ...] = (0,)) -> Question:
    found = tuple(Answer(answer, answer, words) for answer in answers)
    return Question(text, "single_span", "extract", found, words, 1, {"op": "extract"}, source="scripted")
