"""What a document says, as facts one can ask for: labelled values, tables with named rows, its own names."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from schemas.document import Document, Field
from synth.ask.values import Number, date, looks_like_date, number

ROOT = Path(__file__).parent
_EDGE = " \t:：;；,，.。·|*()（）[]\"'“”‘’—–-ঃ।"
_LIST = re.compile(r"(?P<list>\w+)\[(?P<row>\d+)\]\.(?P<leaf>\w+)")


@lru_cache(maxsize=1)
def leaves() -> Mapping[str, Any]:
    return yaml.load((ROOT / "leaves.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)


@dataclass(frozen=True)
class Fact:
    """One value with its label. `sort` is amount, date, code, person or text; `label` "" where none is printed."""

    field: Field
    label: str
    sort: str
    number: Number | None = None

    @property
    def leaf(self) -> str:
        return self.field.path.rsplit(".", 1)[-1]

    @property
    def group(self) -> str:
        return self.field.path.rpartition(".")[0]


@dataclass(frozen=True)
class Column:
    """A column of a list: its head's words (none for lists without heads) and one field a row, None where empty."""

    leaf: str
    label: str
    head: tuple[int, ...]
    cells: tuple[Field | None, ...]
    numbers: tuple[Number, ...] | None

    @property
    def distinct(self) -> bool:
        values = [squeeze(c.value) for c in self.cells if c]
        return len(values) == len(self.cells) == len(set(values))


@dataclass(frozen=True)
class Table:
    """A list of rows. `names` is the column whose values name the rows, all different."""

    name: str
    columns: tuple[Column, ...]
    names: Column
    chart: bool = False
    """Whether it is printed as a chart: names along an axis, numbers at the marks."""

    @property
    def size(self) -> int:
        return len(self.names.cells)


@dataclass(frozen=True)
class Facts:
    language: str
    type: str
    labelled: tuple[Fact, ...]
    unlabelled: tuple[Fact, ...]
    crowded: tuple[tuple[Field, Fact], ...]
    """Values whose label stands more than once on the page, each with the name that its group goes by."""
    tables: tuple[Table, ...]
    anchors: Mapping[str, Field] = field(default_factory=dict)
    parties: tuple[Field, Field] | None = None
    day_first: bool | None = None


def squeeze(text: str) -> str:
    """NFC, lower case, without white space: how texts are compared."""
    return "".join(unicodedata.normalize("NFC", text).lower().split())


def clean_label(key: str) -> str:
    """A label without the colon or brackets that frame it."""
    text = " ".join(key.split()).lstrip("0123456789০১২৩৪৫৬৭৮৯.।、 ") if key[:1].isdigit() else " ".join(key.split())
    text = text.strip(_EDGE.replace("(", "").replace(")", "").replace("（", "").replace("）", ""))
    text = re.sub(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])", "", text)
    return f"{text}." if key.rstrip(" :：").endswith(".") and text else text


def fit_label(label: str, language: str) -> bool:
    """Whether a label can stand in a question: long enough to mean something, and not a question itself."""
    letters = sum(unicodedata.category(c)[0] in "LM" for c in label)
    return letters >= (2 if language == "zh" else 3) and not re.search(r"[?？:：]", label) and len(label) <= 48


def sort_of(path: str, value: str) -> str:
    """amount, date, code, person or text."""
    known, leaf = leaves(), path.rpartition(".")[2]
    if looks_like_date(value):
        return "date"
    found = number(value)
    if found and leaf not in known["codes"] and not found.tail.strip():
        return "amount" if found.decimals == 2 or found.head else "code"
    if sum(c.isdigit() for c in value) > len(value) / 2:
        return "code"
    named = leaf in known["persons"] or (leaf == "name" and not path.endswith("bank.name"))
    return "person" if named else "text"


def telling(leaf: str, value: str) -> bool:
    """Whether a value is no guess: not one of a few usual ones, and not a number of one or two digits."""
    if leaf in leaves()["guessable"]:
        return False
    digits = sum(c.isdigit() for c in value)
    if digits and not any(unicodedata.category(c) == "Lo" or c.isalpha() for c in value):
        return digits >= 3 and len({c for c in value if c.isdigit()}) > 1
    return len(squeeze(value)) >= 2


def read(document: Document, type: str, language: str, day_first: bool | None = None) -> Facts:
    """All that can be asked about a document, in reading order."""
    labels = Counter(squeeze(clean_label(key)) for key in _printed_labels(document))
    labelled: list[Fact] = []
    unlabelled: list[Fact] = []
    crowded: list[Field] = []
    seen: set[str] = set()
    for f in document.fields:
        if "[" in f.path or not f.value.strip():
            continue
        label = clean_label(f.key)
        fact = Fact(f, label, sort_of(f.path, f.value), number(f.value))
        if not f.keys or not fit_label(label, language):
            unlabelled.append(fact)
        elif labels[squeeze(label)] > 1:
            crowded.append(f)
        elif f.path not in seen:
            seen.add(f.path)
            labelled.append(fact)
    return Facts(
        language,
        type,
        tuple(labelled),
        tuple(unlabelled),
        tuple(_named_groups(document, crowded, language)),
        tuple(_tables(document, language, labels)),
        _anchors(document, type),
        _parties(document),
        day_first,
    )


def _printed_labels(document: Document) -> list[str]:
    """Every label with each place where it stands: keys, heads of columns, and lines of the same text."""
    keys: dict[tuple[int, ...], str] = {f.keys: f.key for f in document.fields if f.keys}
    heads = {c.words: c.text for c in document.cells if c.header and c.words}
    taken = {word for ids in (*keys, *heads) for word in ids}
    lines = [line.text for line in document.lines if not taken.intersection(line.words)]
    return [*keys.values(), *(text for words, text in heads.items() if words not in keys), *lines]


def _named_groups(document: Document, fields: Sequence[Field], language: str) -> list[tuple[Field, Fact]]:
    """Fields that share their label with others, where their group has a name that no other group has."""
    names: dict[str, Field] = {}
    for f in document.fields:
        group, _, leaf = f.path.rpartition(".")
        if group and "[" not in f.path and leaf in ("full_name", "name") and group not in names:
            names[group] = f
    texts = Counter(squeeze(f.value) for f in names.values())
    found: list[tuple[Field, Fact]] = []
    for f in fields:
        group = f.path.rpartition(".")[0]
        name = names.get(group)
        label = clean_label(f.key)
        alone = sum(o.path.rpartition(".")[0] == group and clean_label(o.key) == label for o in fields) == 1
        if name and name.path != f.path and texts[squeeze(name.value)] == 1 and alone and name.page == f.page:
            found.append((name, Fact(f, label, sort_of(f.path, f.value), number(f.value))))
    return found


def _tables(document: Document, language: str, labels: Counter[str]) -> list[Table]:
    drawn = {b.id for b in document.blocks if b.role == "figure"}
    rows: dict[str, dict[str, dict[int, Field]]] = defaultdict(lambda: defaultdict(dict))
    sizes: Counter[str] = Counter()
    for f in document.fields:
        if match := _LIST.fullmatch(f.path):
            row = int(match["row"])
            rows[match["list"]][match["leaf"]].setdefault(row, f)
            sizes[match["list"]] = max(sizes[match["list"]], row + 1)
    tables: list[Table] = []
    for name, by_leaf in rows.items():
        columns: list[Column] = []
        for leaf, cells in by_leaf.items():
            ordered = tuple(cells.get(row) for row in range(sizes[name]))
            first = next(c for c in ordered if c)
            label = clean_label(first.key) if first.keys and fit_label(clean_label(first.key), language) else ""
            if label and len({c.keys for c in ordered if c}) > 1:
                continue  # the head is not one
            numbers = [number(c.value) if c else None for c in ordered]
            counted = (
                leaf not in {*leaves()["codes"], *leaves()["guessable"]}
                and all(numbers)
                and len({n.head for n in numbers if n}) == 1
            )
            columns.append(
                Column(leaf, label, first.keys, ordered, tuple(n for n in numbers if n) if counted else None)
            )
        heads = Counter(squeeze(c.label) for c in columns if c.label)
        columns = [c for c in columns if not c.label or heads[squeeze(c.label)] == 1]
        if sizes[name] > 1 and (names := _row_names(columns)):
            marked = [word for column in columns for cell in column.cells if cell for word in cell.words]
            chart = all(document.words[word].block in drawn for word in marked)
            tables.append(Table(name, tuple(columns), names, chart))
    return tables


def _row_names(columns: Sequence[Column]) -> Column | None:
    """The column that rows are called by: texts, all there, all different, none inside another."""
    by_leaf = {c.leaf: c for c in columns}
    for leaf in leaves()["row_names"]:
        column = by_leaf.get(leaf)
        if column is None or not column.distinct:
            continue
        texts = [squeeze(c.value) for c in column.cells if c]
        if leaf == "instalment":
            return column if column.numbers is not None or all(t.isdigit() for t in texts) else None
        if not any(a != b and a in b for a in texts for b in texts) and not any(date(t) or number(t) for t in texts):
            return column
    return None


def _anchors(document: Document, document_type: str) -> dict[str, Field]:
    """Fields by which one can say which document is meant."""
    first: dict[str, Field] = {}
    for f in document.fields:
        first.setdefault(f.path, f)
    found: dict[str, Field] = {}
    for kind, paths in leaves()["anchors"].items():
        field_ = next((first[path] for path in paths if path in first), None)
        kind = "customer" if kind == "person" and document_type in ("receipt", "invoice") else kind
        if field_ is not None and len(squeeze(field_.value)) >= (2 if kind in ("person", "customer") else 3):
            found[kind] = field_
    parties = _parties(document)
    if parties and "person" not in found:
        found["party"] = parties[0]
    return found


def _parties(document: Document) -> tuple[Field, Field] | None:
    first: dict[str, Field] = {}
    for f in document.fields:
        first.setdefault(f.path, f)
    if "agreement.number" not in first:
        return None
    for one, other in leaves()["parties"]:
        a, b = first.get(f"{one}.name"), first.get(f"{other}.name")
        if a and b and squeeze(a.value) != squeeze(b.value):
            return a, b
    return None
