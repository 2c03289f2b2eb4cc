"""Track `text`: all text of a page in reading order. CER and WER, MosaicDoc's CRR and OCRR, OmniDocBench's distance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rapidfuzz.distance import Levenshtein

from synth.metrics import Mode, mosaicdoc, unikie
from synth.score.answer import Unusable, is_refusal, without_thoughts
from synth.score.metric import Metric, mean_of
from synth.score.tally import UnitScore
from synth.score.track import Fault, Kind, Unit
from synth.score.truth import Box, DocumentTruth, TextPart

MAX_TEXT = 1_000_000  # characters of one answer
WITHOUT_BLANKS = frozenset({"zh", "ja", "th", "km", "lo", "my"})  # languages whose words are not parted by blanks
_COLUMNS = ("edits", "length", "longer", "word_edits", "words", "common", "true", "said")


class PageText:
    """The answer is the text of the page, lines parted by line breaks; ids are page ids.

    Both texts are compared after NFKC, with blanks and line breaks as one blank and none between Han characters.
    """

    name = "text"
    title = "Text of the page"
    headline = "nes"
    columns = _COLUMNS

    def metrics(self, mode: Mode) -> tuple[Metric, ...]:
        return (
            Metric("nes", {"longer": 1.0, "edits": -1.0}, {"longer": 1.0}),
            mean_of("cer", "edits", "length", better="lower"),
            mean_of("wer", "word_edits", "words", better="lower"),
            mean_of("crr", "common", "true"),
            mean_of("ocrr", "common", "said"),
        )

    def units(self, document: DocumentTruth) -> Iterator[Unit]:
        for page in document.pages:
            if page.lines:
                yield Unit(page.id, document, page, page.text)

    def reply(self, text: str) -> Any:
        if is_refusal(text):
            raise Unusable("a refusal")
        return without_thoughts(text)

    def read(self, payload: Any) -> str | None:
        if not isinstance(payload, str):
            raise Unusable("no text")
        if len(payload) > MAX_TEXT:
            raise Unusable(f"more than {MAX_TEXT} characters")
        return payload if payload.strip() else None

    def oracle(self, unit: Unit) -> Any:
        return unit.truth

    def score(self, unit: Unit, value: str | None, mode: Mode) -> UnitScore:
        truth, said = unikie.normalize(unit.truth, "strict"), unikie.normalize(value or "", "strict")
        edits = Levenshtein.distance(truth, said)
        words = word_edits = 0
        if unit.document.language not in WITHOUT_BLANKS:
            words, word_edits = len(truth.split()), Levenshtein.distance(truth.split(), said.split())
        one, two = ("".join(text.split()) for text in (truth, said))
        recall, _ = mosaicdoc.recognition_rates(one, two)
        common = round((recall or 0.0) * len(one))
        longer = max(len(truth), len(said))
        return UnitScore(tuple(map(float, (edits, len(truth), longer, word_edits, words, common, len(one), len(two)))))

    def faults(self, unit: Unit, value: str | None, mode: Mode) -> Iterator[Fault]:
        """omission: no text. hallucination: half as long again as the truth. layout: the right characters (CRR at
        least 0.95) in another order. perception: anything else that is not the truth to the character."""
        sums = dict(zip(_COLUMNS, self.score(unit, value, mode).sums, strict=True))
        if not sums["edits"]:
            return
        kind: Kind = "perception"
        if value is None:
            kind = "omission"
        elif sums["said"] > 1.5 * sums["true"]:
            kind = "hallucination"
        elif sums["common"] >= 0.95 * sums["true"] and sums["edits"] > 0.1 * sums["length"]:
            kind = "layout"
        rate = f"CER {sums['edits'] / max(1.0, sums['length']):.1%}"
        lines = unit.page.lines if unit.page else ()
        yield Fault(kind, rate, *_where_they_part(unit.truth, value or "", lines, unit.id))


def _where_they_part(
    truth: str, said: str, lines: Sequence[TextPart], page: str
) -> tuple[str, str, str, tuple[Box, ...]]:
    """Both texts around the first place where they differ, and the box of the line it is in."""
    one, two = (unikie.normalize(text, "strict") for text in (truth, said))
    same = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    start = max(0, same - 40)
    lead = "… " if start else ""
    before = len("".join(one[:same].split()))
    boxes: tuple[Box, ...] = ()
    for line in lines if said else ():
        before -= len("".join(unikie.normalize(line.text, "strict").split()))
        if before < 0:
            boxes = (line.box,)
            break
    return lead + one[start : start + 160], (lead + two[start : start + 160]) if said else "", page, boxes
