"""FUNSD's JSON (Jaume et al. 2019, arXiv 1905.13538): headers, questions, answers and the links between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, ClassVar

import cv2
import numpy as np

from schemas.document import RELATIONS
from synth.export.out import Sink, dumps
from synth.export.rows import Page, Release, Row, Sample, around, pixels, role, spelled

_FOLDERS = {"train": "training_data", "test": "testing_data"}


class Funsd:
    """`training_data/` and `testing_data/` (or `SPLIT_data/`) with `annotations/PAGE.json` and `images/PAGE.png`.

    An entity is a value (answer), a label (question), a heading (header) or a run of other words in a line (other);
    every word is in one. Pictures become PNG, since FUNSD's readers ask for that name.
    """

    tables: ClassVar[tuple[str, ...]] = ("words", "lines", "layout", "kie", "relations")
    looks_ahead: ClassVar[bool] = False

    def __init__(self, out: Sink, release: Release) -> None:
        self._out = out
        self.counts: Counter[str] = Counter(documents=0, pages=0)

    def look(self, document: Row) -> None: ...

    def add(self, sample: Sample) -> None:
        folder = _FOLDERS.get(sample.split, f"{sample.split}_data")
        pairs = [
            (tuple(r["head_word_ids"]), tuple(r["tail_word_ids"]))
            for r in sample.relations
            if RELATIONS[r["kind"]] == "key_value"
        ]
        for page in sample.pages:
            form, left = entities(page, pairs)
            self._out.put(f"{folder}/annotations/{page.id}.json", dumps({"form": form}) + b"\n")
            self._out.put(f"{folder}/images/{page.id}.png", png(page.picture))
            self.counts["entities"] += len(form)
            self.counts["links"] += sum(len(one["linking"]) for one in form) // 2
            self.counts["links_across_pages"] += left
        self.counts += Counter(documents=1, pages=len(sample.pages))

    def close(self) -> None:
        self.counts = +self.counts

    def usage(self) -> str:
        return (
            "Laid out as FUNSD's `dataset/`: `training_data/` and `testing_data/` (other splits `SPLIT_data/`), each "
            "with `annotations/` and `images/`. A link is listed with both of its entities, question first."
        )


def png(picture: bytes) -> bytes:
    """The picture as PNG; one that is PNG stays as it is."""
    if picture.startswith(b"\x89PNG"):
        return picture
    image = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    return cv2.imencode(".png", image, [cv2.IMWRITE_PNG_COMPRESSION, 3])[1].tobytes()


def entities(page: Page, pairs: Iterable[tuple[tuple[int, ...], tuple[int, ...]]]) -> tuple[list[dict[str, Any]], int]:
    """Entities in reading order, their ids positions; and how many pairs have a side that is not on this page.

    `pairs` are the word ids of (label, value). A word belongs to one entity: values come before labels, labels before
    headings; each run of words that is left of a line is one of `other`, but a colon after a label goes with the label.
    """
    made = _Entities(page)
    whole = [(k, v) for k, v in pairs if made.here(k) and made.here(v)]
    cut = sum(made.here(k) != made.here(v) for k, v in pairs)
    for field in page.kie:
        made.add("answer", field["word_ids"])
    for _, value in whole:
        made.add("answer", value)
    for field in page.kie:
        made.add("question", field["key_word_ids"])
    for key, _ in whole:
        made.add("question", key)
    roles = {b["block_id"]: role(b) for b in page.layout}
    for block in page.layout:
        if role(block) in ("title", "section_header"):
            made.add("header", [w["word_id"] for w in page.words if w["block_id"] == block["block_id"]])
    for line in page.lines:
        kind = "header" if roles.get(line["block_id"]) in ("title", "section_header") else "other"
        made.add_rest(kind, line["word_ids"])
    made.add("other", [w["word_id"] for w in page.words])
    return made.linked([*whole, *((tuple(f["key_word_ids"]), tuple(f["word_ids"])) for f in page.kie)]), cut


class _Entities:
    def __init__(self, page: Page) -> None:
        self._size = page.size
        self._words = {w["word_id"]: w for w in page.words}
        self._owner: dict[int, int] = {}
        self._made: list[tuple[str, list[Row]]] = []

    def here(self, ids: Sequence[int]) -> bool:
        return bool(ids) and all(i in self._words for i in ids)

    def add(self, label: str, ids: Sequence[int]) -> None:
        free = [i for i in ids if i in self._words and i not in self._owner]
        if free:
            self._owner |= dict.fromkeys(free, len(self._made))
            self._made.append((label, [self._words[i] for i in free]))

    def add_rest(self, label: str, ids: Sequence[int]) -> None:
        """The words of a line that no entity has yet, run by run."""
        before: int | None = None
        for owned, run in groupby((i for i in ids if i in self._words), key=self._owner.__contains__):
            words = list(run)
            if not owned:
                bare = not any(c.isalnum() for i in words for c in self._words[i]["text"])
                entity = self._owner[before] if before is not None else None
                if bare and entity is not None and self._made[entity][0] == "question":
                    self._owner |= dict.fromkeys(words, entity)
                    self._made[entity][1].extend(self._words[i] for i in words)
                else:
                    self.add(label, words)
            before = words[-1]

    def linked(self, pairs: Iterable[tuple[Sequence[int], Sequence[int]]]) -> list[dict[str, Any]]:
        order = sorted(range(len(self._made)), key=lambda n: min(w["order"] for w in self._made[n][1]))
        place = {number: position for position, number in enumerate(order)}
        links: dict[int, list[list[int]]] = {}
        for key, value in dict.fromkeys((tuple(k), tuple(v)) for k, v in pairs):
            if self.here(key) and self.here(value):
                pair = [place[self._owner[key[0]]], place[self._owner[value[0]]]]
                for end in {*pair}:
                    if pair not in links.setdefault(end, []):
                        links[end].append(pair)
        return [self._entity(place[n], *self._made[n], links.get(place[n], [])) for n in order]

    def _entity(self, number: int, label: str, words: list[Row], linking: list[list[int]]) -> dict[str, Any]:
        boxes = [pixels(w["box"], self._size) for w in words]
        return {
            "id": number,
            "text": spelled(words),
            "box": [int(n) for n in around(boxes)],
            "label": label,
            "words": [{"text": w["text"], "box": box} for w, box in zip(words, boxes, strict=True)],
            "linking": sorted(linking),
        }
