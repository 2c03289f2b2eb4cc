"""The five guardrails as rules (MosaicDoc, Hallucination Guardrails): each criterion 1 to 5, kept above 3 in all.

The judges see the question, the answers and the words of the pages with their boxes. They know nothing of how the
question was made, so they judge those of a model or a person just as well. Criteria and steps: docs/questions.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.questions import CRITERIA, Verdict
from synth.ask.judge.compute import Computer, Found
from synth.ask.judge.grid import grids
from synth.ask.judge.page import Pages, PageWord, Piece, fold, tight
from synth.ask.judge.question import Asked, alike, content, cues, limit, parse
from synth.ask.judge.shape import amount, parts, shape
from synth.ask.judge.terms import LONG, Scorer, Term

# How much better another value of the same kind has to go with the question before it is the right one.
MARGIN = {"text": 0.75}
MARGIN_OTHERS = 0.4


def judge(question: str, answers: Sequence[str], words: Sequence[PageWord] | Pages) -> Verdict:
    """Scores by criterion with reasons. `words` are those of all pages of the document, in reading order."""
    pages = words if isinstance(words, Pages) else Pages(words)
    return _Case(question, answers, pages).verdict()


@dataclass
class _Case:
    question: str
    answers: Sequence[str]
    pages: Pages
    scores: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CRITERIA, 5))
    reasons: list[str] = field(default_factory=list)
    only: frozenset[int] = frozenset()
    """Words among which the answer has to be the best, all where empty."""

    def __post_init__(self) -> None:
        self.asked: Asked = parse(self.question)
        tables = grids(self.pages, self.asked.language)
        self.scorer = Scorer(self.asked, self.pages, tables)
        self.computer = Computer(self.asked, self.pages, self.scorer, tables)
        self.runs = [self._runs(answer) for answer in self.answers]

    def _lower(self, criterion: str, score: int, reason: str) -> None:
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

    def verdict(self) -> Verdict:
        self._clarity()
        self._conciseness()
        if not self.answers or not all(tight(a) for a in self.answers):
            self._lower("completeness", 1, "no answer")
        elif not self._computed():
            self._grounded()
        self._completeness()
        s = self.scores
        scores = (s["completeness"], s["consistency"], s["conciseness"], s["clarity"], s["inference"])
        return Verdict(scores, tuple(self.reasons))

    # Clarity

    def _clarity(self) -> None:
        asked, known = self.asked, cues()[self.asked.language]
        page_text = self.pages.stream[0]
        for pattern in known["dangling"]:
            for match in re.finditer(pattern, asked.unquoted):
                if not any(tight(match[0]) in t.text for t in self.scorer.terms if t.at >= 0):
                    self._lower("clarity", 2, f"{match[0].strip()!r} refers to something outside of the question")
        for match in re.finditer(known["pronouns"], asked.text):
            if not content(asked.text[: match.start()], asked.language):
                self._lower("clarity", 2, f"{match[0].strip()!r} stands for nothing named before")
        for quoted in asked.quoted:
            if tight(quoted) not in page_text and not self._named_somewhere(quoted):
                self._lower("clarity", 2, f"{quoted!r} is not on the page")
        for unknown in self._unknown_names():
            self._lower("clarity", 2, f"{unknown!r} is not on the page")

    def _named_somewhere(self, text: str) -> bool:
        """Whether one place of the page has nearly all words of a text."""
        words = content(text, self.asked.language)
        if not words:
            return True
        for piece in self.pages.pieces:
            there = content(piece.text, self.asked.language)
            if sum(any(alike(w, t, self.asked.language) for t in there) for w in words) >= 0.8 * len(words):
                return True
        return False

    def _unknown_names(self) -> list[str]:
        """Codes and, in English, runs of capitalised words that the pages do not hold."""
        page_text, found = self.pages.stream[0], []
        bound = limit(self.asked)
        for code in re.findall(r"[a-z0-9][a-z0-9\-/.]*", fold(self.asked.raw)):
            bare = code.strip(".-")
            if sum(c.isdigit() for c in bare) >= 4 and tight(bare) not in page_text:
                if bound and amount(bare) == amount(bound[1]):
                    continue
                digits = re.findall(r"\d{4,}", bare)
                if not digits or not all(d in page_text for d in digits):
                    found.append(bare)
        if self.asked.language == "en":
            there = {w for piece in self.pages.pieces for w in content(piece.text, "en")}
            for run in re.findall(r"(?<=[\w,] )(?:[A-Z][a-z]+(?:'s)? ?){2,}", self.asked.raw):
                words = content(run.replace("'s", ""), "en")
                if len(words) > 1 and not any(alike(w, t, "en") for w in words for t in there):
                    found.append(run.strip())
        return found

    # Conciseness

    def _conciseness(self) -> None:
        texts = [tight(a) for a in self.answers]
        if len(texts) != len(set(texts)):
            self._lower("conciseness", 2, "an answer is given twice")
        for answer, runs in zip(self.answers, self.runs, strict=True):
            if not tight(answer):
                continue
            if re.search(r"[。!?]|[a-z]{4,}\.\s+[A-Z]", answer.strip(" .。")) and shape(answer) == "text":
                self._lower("conciseness", 2, "the answer goes on after its end")
            self._repeats_question(answer)
            self._holds_more_than_asked(answer)
            if runs and not any(self._one_place(run) for run in runs):
                self._lower("conciseness", 2, "the answer runs on into its neighbour")
            if not runs and amount(answer) is None and self._has_more_around(answer):
                self._lower("conciseness", 2, "the answer has words around it that are not on the page")

    def _repeats_question(self, answer: str) -> None:
        text, language = tight(answer), self.asked.language
        for term in self.scorer.terms:
            if term.cover >= 0.99 and len(term.text) > 2 and term.text in text and len(text) > len(term.text) + 1:
                is_label = any(p.is_label for p in term.pieces) or text.startswith(term.text)
                if is_label and not any(len(p.words) and tight(p.text) == text for p in self.pages.pieces):
                    self._lower("conciseness", 2, "the answer repeats the label")
                    return
        words = content(answer, language)
        said = [w for w in words if any(alike(w, q, language) for q in self.asked.tokens)]
        if len(words) > 3 and len(said) >= 2 and len(said) >= 0.4 * len(words) and self._is_sentence(answer):
            self._lower("conciseness", 2, "the answer repeats the question")

    def _is_sentence(self, answer: str) -> bool:
        """Whether an answer is cut out of running text, or of no one place."""
        return not any(
            tight(answer) == tight(p.text) for p in self.pages.pieces if len(p.text) <= LONG[self.asked.language]
        )

    def _holds_more_than_asked(self, answer: str) -> None:
        """A date, an amount or a name that has other words beside it."""
        text = " ".join(fold(answer).split())
        words = len(text.split()) if self.asked.language != "zh" else len(text) / 2
        for cue, kind in (("when", "date"), ("money", "money")):
            if self.asked.cue(cue) and shape(answer) == "text":
                spans = parts(text, kind)
                if spans and words > 2 and sum(b - a for a, b in spans) < 0.7 * len(text):
                    self._lower("conciseness", 2, f"the answer is more than the {kind} asked for")
        digits = sum(c.isdigit() for c in text)
        if self.asked.cue("who") and digits > 3 and digits < len(text) / 2:
            self._lower("conciseness", 2, "the answer is more than the name asked for")
        if re.search(r"\S: \S", text) or re.search(r"[^\d\s]:[^\d\s]", text):
            self._lower("conciseness", 2, "the answer holds a label")

    def _one_place(self, run: tuple[int, ...]) -> bool:
        """Whether words lie in one cell or block: one piece, or lines of a block right below one another."""
        pieces = list(dict.fromkeys(self.pages.piece_of[i].id for i in run))
        last = self.pages.pieces[pieces[0]]
        if self._starts_within(run):
            return False
        for number in pieces[1:]:
            piece = self.pages.pieces[number]
            if last.is_label and piece.row == last.row:
                return False
            if piece.row == last.row:
                comb = len(tight(piece.text)) <= 2 or len(tight(last.text)) <= 2
                if not comb and piece.x0 - last.x1 > 0.75 * piece.height:
                    return False
            elif not self._continues(last, piece):
                wraps = (
                    len(last.text) > LONG[self.asked.language] / 2 or len(piece.text) > LONG[self.asked.language] / 2
                )
                if not wraps:
                    return False
            elif self._own_line(last, piece):
                return False
            last = piece
        return True

    def _starts_within(self, run: tuple[int, ...]) -> bool:
        """Whether words begin in the middle of a short piece and go on beyond it."""
        piece = self.pages.piece_of[run[0]]
        beyond = run[-1] not in piece.words
        following = next((i for i in run if i not in piece.words), run[-1])
        aligned = abs(self.pages.words[following].x0 - self.pages.words[run[0]].x0) < 0.5 * piece.height
        short = len(piece.text) < LONG[self.asked.language] / 2
        return beyond and run[0] != piece.words[0] and short and not aligned

    def _continues(self, last: Piece, piece: Piece) -> bool:
        """Whether a piece can be the next line of the one before: right below it, in letters of the same size."""
        below = piece.page == last.page and piece.y0 - last.y0 > 0 and piece.y0 - last.y1 < 0.8 * last.height
        size = max(piece.height, last.height) / min(piece.height, last.height)
        return below and size < 1.12 and (piece.over(last) > 0.3 or abs(piece.x0 - last.x0) < last.height)

    def _own_line(self, last: Piece, piece: Piece) -> bool:
        """Whether the lower line is something of its own: a label, or of another kind than the one above it."""
        if piece.is_label or last.is_label:
            return True
        kinds = {shape(last.text), shape(piece.text)}
        return len(kinds) > 1 and kinds & {"date", "money", "email", "time"} != set()

    def _has_more_around(self, answer: str) -> bool:
        """Whether a part of the answer is on the page and the rest is only wrapped around it."""
        words = answer.split() if self.asked.language != "zh" else list(answer)
        for size in range(len(words) - 1, max(0, len(words) // 4), -1):
            for start in range(len(words) - size + 1):
                part = (" " if self.asked.language != "zh" else "").join(words[start : start + size])
                if len(tight(part)) > 3 and self.pages.find(part):
                    return True
        return False

    # Inference

    def _computed(self) -> bool:
        """Check what is compared or computed. True if that settles whether the answers are right."""
        asked, computer = self.asked, self.computer
        values = [amount(a) for a in self.answers]
        one = values[0] if len(values) == 1 else None
        found = Found(None)
        if one is not None and asked.cue("count"):
            found = computer.counted(one)
            if self.runs[0] and (found.holds is None or computer.in_a_named_row(self.runs[0])):
                return False
        elif one is not None and (asked.cue("sum") or asked.cue("difference")):
            operations = [name for name in ("sum", "difference") if asked.cue(name)]
            few = computer.named() < 2 or computer.in_a_named_row(self.runs[0])
            if self.runs[0] and few and not (asked.cue("highest") and asked.cue("lowest")):
                return False
            found = computer.arithmetic(one, operations)
            if found.holds is not True and self.runs[0] and self._stands_with_label(self.runs[0]):
                return False
            if found.holds is None:
                if self.runs[0]:
                    return False
                found = Found(False, "the words do not give what is to be computed")
        elif all(self.runs) and limit(asked):
            found = computer.filtered([runs[0] for runs in self.runs])
        elif all(self.runs) and asked.cue("highest") and asked.cue("lowest") and len(self.answers) == 2:
            sides = [computer.extreme(self.runs[0][0], "highest"), computer.extreme(self.runs[1][0], "lowest")]
            swapped = [computer.extreme(self.runs[0][0], "lowest"), computer.extreme(self.runs[1][0], "highest")]
            wrong = [f for f in sides if f.holds is False]
            found = wrong[0] if wrong and any(f.holds is False for f in swapped) else Found(sides[0].holds and True)
        elif all(self.runs) and len(self.answers) == 1 and (asked.cue("highest") or asked.cue("lowest")):
            side = "highest" if asked.cue("highest") else "lowest"
            results = [computer.extreme(run, side) for run in self.runs[0]]
            found = next((f for f in results if f.holds), results[0])
            if found.holds and shape(self.answers[0]) != "text":
                self.only = computer.row_words(self.runs[0])
                return False  # the row is right; whether the cell is, the labels tell
        if found.holds is False:
            self._lower("completeness" if found.missing else "inference", 2, found.why)
        return found.holds is not None

    def _stands_with_label(self, runs: Sequence[tuple[int, ...]]) -> bool:
        """Whether a number is printed right beside a label that the question names in full."""
        strong = [t for t in self.scorer.terms if t.cover > 0.9 and t.weight > 0.5]
        named = [t for t in strong if any(self.scorer.relation(t, run) > 0.8 for run in runs)]
        return bool(named) and len(strong) < 3 and not self.asked.cue("difference")

    # Consistency

    def _grounded(self) -> None:
        taken = {i for runs in self.runs for run in runs for i in run}
        for answer, runs in zip(self.answers, self.runs, strict=True):
            if not runs:
                self._lower("consistency", 1, f"{answer!r} is not on the page")
                continue
            kind = shape(answer)
            if not self._kind_fits(kind, answer):
                self._lower("consistency", 2, f"{answer!r} is not the kind of thing asked for")
            self._in_named_row(runs)
            if len(self.answers) == 1:
                self._beside_named_label(runs)
            if len(self.answers) == 1 and self._labels_tell() and (text := self._better(kind, runs, taken)):
                self._lower("consistency", 2, f"{text!r} goes better with the question")
        if len(self.answers) > 1 and all(self.runs) and not self._lists():
            self._each_has_its_label()

    def _in_named_row(self, runs: Sequence[tuple[int, ...]]) -> None:
        """Where one row is named, by its number or its name, the answer lies in it."""
        if not self.asked.ordinals and (len(self.answers) > 1 or self._lists()):
            return
        for grid in self.computer.grids:
            rows = self.computer.named_rows(grid)
            inside = any(set(run) & row.words for row in grid.rows for run in runs)
            plain = self.asked.ordinals or (len(rows) == 1 and self.computer.named_in_full(rows[0]))
            if rows and plain and inside and not any(set(run) & row.words for row in rows for run in runs):
                self._lower("consistency", 2, "it stands in another row")

    def _beside_named_label(self, runs: Sequence[tuple[int, ...]]) -> None:
        """Where a label is named in full and has a value of its own, an answer from elsewhere is not that value."""
        quoted = {tight(q) for q in self.asked.quoted}
        labels = [t for t in self.scorer.strong if t.weight > 0.5 and self._is_label(t)]
        if len(labels) != 1 or self._lists() or self.asked.ordinals or self.scorer.names_a_row(labels[0]):
            return
        if labels[0].text not in quoted and (len(labels[0].text) < 3 or not self._labels_tell()):
            return
        own = max(self.scorer.relation(labels[0], run) for run in runs)
        if own >= 0.5:
            return
        for piece in self.pages.pieces:
            if not piece.is_label and self.scorer.relation(labels[0], piece.words) >= 0.95:
                self._lower("consistency", 2, f"{piece.text!r} stands with {labels[0].text!r}")
                return

    def _is_label(self, term: Term) -> bool:
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

    def _lists(self) -> bool:
        asked = self.asked
        return asked.cue("every") or limit(asked) is not None or asked.cue("highest") or asked.cue("lowest")

    def _labels_tell(self) -> bool:
        """Whether the labels that the question names make up most of what it asks."""
        strong, language = self.scorer.strong, self.asked.language
        words = {w for t in strong for w in content(t.pieces[0].text, language)}
        said = [q for q in self.asked.tokens if any(alike(q, w, language) for w in words)]
        exact = all(shape(a) != "text" for a in self.answers) or any(map(self._is_label, strong))
        return exact and bool(strong) and len(said) >= 0.5 * len(self.asked.tokens)

    def _each_has_its_label(self) -> None:
        """With several answers: every label named in full has one of them, where it has a value like theirs at all."""
        kinds = {shape(a) for a in self.answers}
        quoted = {tight(q) for q in self.asked.quoted}
        for term in self.scorer.strong:
            if term.at < 0 or self.asked.ordinals or (quoted and term.text not in quoted):
                continue
            own = max(self.scorer.relation(term, run) for runs in self.runs for run in runs)
            if own >= 0.5:
                continue
            pieces = [p.words for p in self.pages.pieces if not p.is_label] if term.text in quoted else []
            for kind in kinds:
                for run in [*self.scorer.candidates(kind), *pieces]:
                    if self.scorer.relation(term, run) > (0.85 if run not in pieces else 0.94):
                        text = " ".join(self.pages.words[i].text for i in run)
                        self._lower("consistency", 2, f"{text!r} stands with {term.text!r}")
                        return

    def _better(self, kind: str, runs: Sequence[tuple[int, ...]], taken: set[int]) -> str:
        """Another value of the same kind that goes better with what is asked, and with no part of it worse."""
        own = max((self.scorer.fit(run) for run in runs), key=sum)
        margin = MARGIN.get(kind, MARGIN_OTHERS)
        best: tuple[float, tuple[int, ...]] | None = None
        for run in self.scorer.candidates(kind):
            if taken & set(run) or (self.only and not self.only & set(run)):
                continue
            fit = self.scorer.fit(run)
            gain = sum(fit) - sum(own)
            worse = any(
                mine - its > 0.25 * t.weight for mine, its, t in zip(own, fit, self.scorer.strong, strict=False)
            )
            if gain > margin and not worse and (best is None or gain > best[0]):
                best = gain, run
        return " ".join(self.pages.words[i].text for i in best[1]) if best else ""

    def _kind_fits(self, kind: str, answer: str) -> bool:
        asked = self.asked
        if len(self.answers) > 1:
            return True
        if asked.cue("when") and kind in ("email", "money", "percent"):
            return False
        if asked.cue("money") and kind in ("email", "date", "time"):
            return False
        if asked.cue("who") and kind in ("email", "date", "time", "money", "code", "integer", "percent"):
            return False
        return not (asked.cue("email") and kind in ("date", "money", "code"))

    # Completeness

    def _completeness(self) -> None:
        asked = self.asked
        computes = asked.cue("sum") or asked.cue("difference") or asked.cue("count")
        if len(self.answers) == 1 and not computes:
            if asked.cue("highest") and asked.cue("lowest"):
                self._lower("completeness", 2, "the highest and the lowest are asked for")
            elif asked.cue("pair") and not limit(asked):
                self._lower("completeness", 2, "more than one thing is asked for")
            elif self._two_labels() or (not self._lists() and not asked.quoted and self._two_words_joined()):
                self._lower("completeness", 2, "two labels are asked for")
        lists = asked.cue("every") and not limit(asked) and not computes
        extremes = asked.cue("highest") or asked.cue("lowest")
        if lists and not extremes and all(self.runs) and self.answers:
            found = self.computer.complete([runs[0] for runs in self.runs])
            if found.holds is False:
                self._lower("completeness", 2, found.why)

    def _two_labels(self) -> bool:
        """Whether the question joins two labels of the page with an `and`."""
        joined = re.compile(cues()[self.asked.language]["conjunction"])
        named = [t for t in self.scorer.terms if t.at >= 0 and t.cover > 0.99][:8]
        for a in named:
            for b in named:
                between = self.asked.tight[a.at + len(a.text) : b.at]
                if a.at < b.at and between and joined.search(between):
                    return True
        return False

    def _two_words_joined(self) -> bool:
        """Whether an `and` stands between two words that name different labels."""
        language = self.asked.language
        for match in re.finditer(cues()[language]["and"], self.asked.core):
            left, right = (
                content(self.asked.core[: match.start()], language),
                content(self.asked.core[match.end() :], language),
            )
            if not left or not right:
                continue
            a, b = (
                {p.id for t in self.scorer.terms if t.cover >= 0.5 for p in t.pieces if self._names(t, word)}
                for word in (left[-1], right[0])
            )
            if a and b and not a & b and not any(self._together(x, y) for x in left[-2:] for y in right[:2]):
                return True
        return False

    def _names(self, term: Term, word: str) -> bool:
        words = content(term.pieces[0].text, self.asked.language)
        return any(alike(word, w, self.asked.language) for w in words)

    def _together(self, a: str, b: str) -> bool:
        """Whether one piece of the page has both words."""
        language = self.asked.language
        return any(
            any(alike(a, w, language) for w in words) and any(alike(b, w, language) for w in words)
            for words in (content(p.text, language) for p in self.pages.pieces)
        )
