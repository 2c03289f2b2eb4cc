"""Questions about one page: the release's own where it has a `qa` table, else one for each field that has a label."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from synth.export.rows import Page, Row, Sample, role

_PLAIN = {
    "en": "What is the “{key}”?",
    "zh": "“{key}”是什么？",
    "bn": "“{key}” কী?",
}
_ROW = {
    "en": "What is the “{key}” in row {row} of the table?",
    "zh": "表格第{row}行的“{key}”是什么？",
    "bn": "সারণির {row} নম্বর সারিতে “{key}” কী?",
}
_ITEM = {
    "en": "What is the “{key}” of “{item}”?",
    "zh": "“{item}”的“{key}”是什么？",
    "bn": "“{item}”-এর “{key}” কী?",
}
_SECTION = {
    "en": "What is the “{key}” under “{item}”?",
    "zh": "“{item}”部分的“{key}”是什么？",
    "bn": "“{item}” অংশে “{key}” কী?",
}
_ANY_PLAIN, _ANY_ROW, _ANY_OF = "“{key}”?", "“{key}” ({row})?", "“{item}”: “{key}”?"
_KINDS = {"table": "table/list", "chart": "figure/diagram"}
_BANGLA = str.maketrans("0123456789", "০১২৩৪৫৬৭৮৯")
_LIST_ITEM = re.compile(r"^(.*)\[(\d+)\]\.([^\[\]]+)$")
_KEY_END = " \t\u00a0:：ঃ*.…_-–—|"
_QUOTES = str.maketrans("“”", '""')


@dataclass(frozen=True)
class Question:
    """A question answered by one page. Each of `answers` is right; `kind` is one of DocVQA's question types.

    `source` says what of the release it asks for: the id of a row of `qa`, or the path of a field.
    """

    page: Page
    source: str
    text: str
    answers: tuple[str, ...]
    kind: str


@dataclass(frozen=True)
class _Asked:
    page: Page
    field: Row
    key: str
    kind: str
    section: str = ""
    """Heading above it."""
    item: str = ""
    """What names its row of a table, like the article on an invoice."""
    row: int | None = None
    """Its row of the table among the rows on the page, from 1."""


def questions(sample: Sample) -> tuple[list[Question], Counter[str]]:
    """All questions about a document, and how many were left out, by reason."""
    return of_fields(sample) if sample.qa is None else of_release(sample, sample.qa)


def of_release(sample: Sample, rows: Sequence[Row]) -> tuple[list[Question], Counter[str]]:
    """The release's questions that one page answers; several answers to one question are one text, with commas."""
    pages = {page.id: page for page in sample.pages}
    found: list[Question] = []
    for row in rows:
        on = {row["page_id"], *row["evidence_page_ids"]}
        if len(on) == 1:
            kind = _KINDS.get(row["kind"], "others")
            text = ", ".join(row["answers"])
            found.append(Question(pages[row["page_id"]], row["question_id"], row["question"], (text,), kind))
    return found, +Counter(questions_over_pages=len(rows) - len(found))


def of_fields(sample: Sample) -> tuple[list[Question], Counter[str]]:
    """One question for each field that a printed label names without doubt, in the document's language.

    A field without a label on its page has no question, nor has one that no wording tells from another field on that
    page. A value that is shown several times is asked for once, on the first page that has its label.
    """
    asked: dict[str, _Asked] = {}
    paths: set[str] = set()
    holders: dict[tuple[str, str], set[str]] = defaultdict(set)
    for page in sample.pages:
        for one in _candidates(page):
            path = one.field["path"]
            paths.add(path)
            if one.key and one.field["value"].strip():
                asked.setdefault(path, one)
                for text in _wordings(sample.language, one):
                    holders[page.id, text].add(path)
    found: list[Question] = []
    for path, one in asked.items():
        alone = (t for t in _wordings(sample.language, one) if len(holders[one.page.id, t]) == 1)
        text = next(alone, None)
        if text:
            found.append(Question(one.page, path, text, (one.field["value"],), one.kind))
    return found, +Counter(fields_without_label=len(paths) - len(asked), fields_ambiguous=len(asked) - len(found))


def _wordings(language: str, one: _Asked) -> list[str]:
    """What could be asked, best first; all different."""
    if one.row is not None:
        row = str(one.row).translate(_BANGLA) if language == "bn" else str(one.row)
        named = [_ITEM.get(language, _ANY_OF).format(key=one.key, item=one.item)] if one.item else []
        return [*named, _ROW.get(language, _ANY_ROW).format(key=one.key, row=row)]
    under = [_SECTION.get(language, _ANY_OF).format(key=one.key, item=one.section)] if one.section else []
    return [_PLAIN.get(language, _ANY_PLAIN).format(key=one.key), *under]


def _candidates(page: Page) -> Iterator[_Asked]:
    words = {w["word_id"]: w for w in page.words}
    in_cell = {i for cell in page.cells for i in cell["word_ids"]}
    roles = {b["block_id"]: role(b) for b in page.layout}
    lists = _lists(page)
    above: dict[int, str] = {}
    heading = ""
    for block in page.blocks:
        if role(block) in ("section_header", "title"):
            heading = clean(block["text"])
        above[block["block_id"]] = heading
    for field in page.kie:
        here = [words[i] for i in field["word_ids"] if i in words]
        # A label on another page cannot be pointed at from here.
        labelled = field["key_word_ids"] and all(i in words for i in field["key_word_ids"])
        key = clean(field["key"]) if labelled else ""
        block = here[0]["block_id"] if here else -1
        item = _LIST_ITEM.match(field["path"])
        if any(i in in_cell for i in field["word_ids"]):
            if item:
                records = lists[item[1]]
                name = records.names[item[2]] if records.leaf not in ("", item[3]) else ""
                yield _Asked(page, field, key, "table/list", item=name, row=records.order.index(int(item[2])) + 1)
            else:
                yield _Asked(page, field, key, "table/list", section=above.get(block, ""))
        else:
            kind = "form" if roles.get(block) == "key_value" else "others"
            yield _Asked(page, field, key, kind, section=above.get(block, ""))


@dataclass(frozen=True)
class _Records:
    """A list of records on one page: the indices shown, the leaf that names them ("" for none), and the names."""

    order: list[int]
    leaf: str
    names: dict[str, str]


def _lists(page: Page) -> dict[str, _Records]:
    """The page's lists of records by path.

    The naming leaf is one that every record has and that differs everywhere; of several the one with the most letters
    over its digits, so neither a number nor a code nor an amount with its unit.
    """
    lists: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for field in page.kie:
        item = _LIST_ITEM.match(field["path"])
        if item:
            lists[item[1]][item[3]][item[2]] = " ".join(field["value"].split())
    found: dict[str, _Records] = {}
    for path, leaves in lists.items():
        order = sorted({int(i) for names in leaves.values() for i in names})
        letters = {
            leaf: _letters("".join(n.values())) for leaf, n in leaves.items() if len({*n.values()}) == len(order)
        }
        leaf = max((c for c, n in letters.items() if n > 0), key=lambda c: (letters[c], c), default="")
        found[path] = _Records(order, leaf, leaves.get(leaf, {}))
    return found


def _letters(text: str) -> int:
    """How many more letters than digits."""
    return sum(c.isalpha() for c in text) - sum(c.isdigit() for c in text)


def clean(label: str) -> str:
    """A label without the colon, dots or lines that lead to its value."""
    return " ".join(label.translate(_QUOTES).split()).rstrip(_KEY_END) or label.strip()
