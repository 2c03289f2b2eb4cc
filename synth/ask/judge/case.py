"""What the judges of one question-answer pair share: the question read, the pages, and where the answers stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.questions import CRITERIA
from synth.ask.judge.chart import charts
from synth.ask.judge.compute import Computer
from synth.ask.judge.grid import Grid, grids
from synth.ask.judge.page import Pages, tight
from synth.ask.judge.question import Asked, alike, content, limit, parse
from synth.ask.judge.shape import amount, shape
from synth.ask.judge.terms import Scorer, Term


@dataclass
class Case:
    """One pair before the judges, with the scores so far. `runs` holds, for each answer, the places that spell it."""

    question: str
    answers: Sequence[str]
    pages: Pages
    scores: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CRITERIA, 5))
    reasons: list[str] = field(default_factory=list)
    only: frozenset[int] = frozenset()
    """Words among which the answer has to be the best, all where empty."""

    def __post_init__(self) -> None:
        self.asked: Asked = parse(self.question)
        tables = self.pages.memo(f"tables {self.asked.language}", self._tables)
        self.scorer = Scorer(self.asked, self.pages, tables)
        self.computer = Computer(self.asked, self.pages, self.scorer, tables)
        self.runs = [self._runs(answer) for answer in self.answers]

    def _tables(self) -> list[Grid]:
        """Charts, and tables but for what rows of charts look like."""
        drawn = charts(self.pages)
        marked = {word for chart in drawn for row in chart.rows for word in row.words}
        tables = grids(self.pages, self.asked.language)
        return [*(t for t in tables if not any(marked & row.words for row in t.rows)), *drawn]

    def lower(self, criterion: str, score: int, reason: str) -> None:
        """Take a criterion down to a score, with the reason."""
        self.scores[criterion] = min(self.scores[criterion], score)
        self.reasons.append(f"{criterion}: {reason}")

    def _runs(self, answer: str) -> list[tuple[int, ...]]:
        found = self.pages.find(answer)
        if found:
            return found
        value, kind = amount(answer), shape(answer)
        if value is None or kind not in ("money", "integer"):
            return []
        runs = [run for k in ("money", "integer") for run in self.scorer.candidates(k)]
        return [run for run in runs if amount("".join(self.pages.words[i].text for i in run)) == value]

    def is_label(self, term: Term) -> bool:
        """Whether a text named in full is a label: in quotes, with a colon on the page, or all that is asked for."""
        if term.at < 0 or shape(term.text) != "text":
            return False
        if self.asked.quoted:
            return term.text in {tight(q) for q in self.asked.quoted}
        if any(p.is_label for p in term.pieces):
            return True
        if self.asked.cue("who"):
            return False
        words = content(term.pieces[0].text, self.asked.language)
        said = [q for q in self.asked.tokens if any(alike(q, w, self.asked.language) for w in words)]
        return len(said) >= 0.75 * len(self.asked.tokens)

    def lists(self) -> bool:
        """Whether the question asks for rows of a table: all, those within a limit, or the first by a number."""
        asked = self.asked
        return asked.cue("every") or limit(asked) is not None or asked.cue("highest") or asked.cue("lowest")

    def labels_tell(self) -> bool:
        """Whether the labels that the question names make up most of what it asks."""
        strong, language = self.scorer.strong, self.asked.language
        words = {w for t in strong for w in content(t.pieces[0].text, language)}
        said = [q for q in self.asked.tokens if any(alike(q, w, language) for w in words)]
        exact = all(shape(a) != "text" for a in self.answers) or any(map(self.is_label, strong))
        return exact and bool(strong) and len(said) >= 0.5 * len(self.asked.tokens)
