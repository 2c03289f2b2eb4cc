"""UniKIE-Bench's own files (Ji et al. 2026, section 3; `datasets/` of its repository), open and constrained."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, ClassVar

from synth.export.out import Listing, Sink, dumps, line
from synth.export.rows import Release, Row, Sample

# The names of the released open-category folders, as they are spelled there.
_NAMES = {"contract": "Contract", "form": "Form", "invoice": "invoice", "receipt": "receipt"}
_LANGUAGES = {"zh": "cn"}


class UniKieOpen:
    """`SPLIT/TYPE-LANGUAGE/` with `qa.jsonl`, `label.json` and `images/`; each document asks for its own schema.

    A document of one page is `images/PAGE.jpg`; one of several is a folder `images/DOCUMENT/`, whose pages the
    repository's script sends together. The prompt is the values with every leaf empty and one template for a list.
    """

    tables: ClassVar[tuple[str, ...]] = ()
    looks_ahead: ClassVar[bool] = False

    def __init__(self, out: Sink, release: Release) -> None:
        self._out = out
        self._labels: dict[str, Listing] = {}
        self.counts: Counter[str] = Counter(documents=0, pages=0)

    def look(self, document: Row) -> None: ...

    def add(self, sample: Sample) -> None:
        folder = f"{sample.split}/{dataset_name(sample.type, sample.language)}"
        if folder not in self._labels:
            self._labels[folder] = Listing(self._out, f"{folder}/label.json", b"{\n", b"\n}\n")
        if len(sample.pages) == 1:
            name = sample.pages[0].file
            self._out.put(f"{folder}/images/{name}", sample.pages[0].picture)
        else:
            name = sample.id
            for page in sample.pages:
                self._out.put(f"{folder}/images/{name}/{page.file}", page.picture)
        prompt = json.dumps(self._schema(sample), ensure_ascii=False)
        self._out.append(f"{folder}/qa.jsonl", line({"url": f"images/{name}", "prompt": prompt}))
        self._labels[folder].add(dumps(name) + b": " + dumps(sample.values))
        self.counts += Counter(documents=1, pages=len(sample.pages), fields=_leaves(sample.values))

    def _schema(self, sample: Sample) -> Any:
        return empty(sample.values)

    def close(self) -> None:
        for file in self._labels.values():
            file.close()

    def usage(self) -> str:
        return (
            "Each folder of a split is a dataset of UniKIE-Bench (`qa.jsonl`, `label.json`, `images/`): copy or link "
            "them into the repository's `datasets/`, then `src/request_openai.py --dataset NAME` and "
            "`src/evaluate_results.py --dataset NAME` run as they are."
        )


class UniKieConstrained(UniKieOpen):
    """The same files, but one schema for all documents of a type and language: every field that any of them has.

    A document's label holds what it has, so a field that it lacks must not be answered, as in the released tracks.
    """

    looks_ahead: ClassVar[bool] = True

    def __init__(self, out: Sink, release: Release) -> None:
        super().__init__(out, release)
        self._schemas: dict[tuple[str, str], Any] = {}

    def look(self, document: Row) -> None:
        scenario = (document["type"], document["language"])
        self._schemas[scenario] = merged(self._schemas.get(scenario, {}), empty(json.loads(document["values"])))

    def _schema(self, sample: Sample) -> Any:
        return self._schemas[sample.type, sample.language]


def dataset_name(kind: str, language: str) -> str:
    """Like `invoice-cn`: what the repository calls the folder of a type and language."""
    return f"{_NAMES.get(kind, kind)}-{_LANGUAGES.get(language, language)}"


def empty(values: Any) -> Any:
    """Values with every leaf empty, a list being one template of all that its items have."""
    if isinstance(values, dict):
        return {key: empty(value) for key, value in values.items()}
    if isinstance(values, list):
        template: Any = None
        for value in values:
            template = empty(value) if template is None else merged(template, empty(value))
        return [] if template is None else [template]
    return ""


def merged(one: Any, two: Any) -> Any:
    """A schema that has the fields of both, those of the first first; where they disagree on kind, the first stands."""
    if isinstance(one, dict) and isinstance(two, dict):
        both = {key: merged(value, two[key]) if key in two else value for key, value in one.items()}
        return both | {key: value for key, value in two.items() if key not in one}
    if isinstance(one, list) and isinstance(two, list):
        return [merged(one[0], two[0])] if one and two else one or two
    return one


def _leaves(values: Any) -> int:
    if isinstance(values, dict | list):
        return sum(_leaves(v) for v in (values.values() if isinstance(values, dict) else values))
    return 1
