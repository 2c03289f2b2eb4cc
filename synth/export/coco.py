"""COCO detection: layout blocks as objects, their roles as categories (cocodataset.org, "Data format")."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from schemas.document import ROLES
from synth.export.out import Sink, dumps
from synth.export.rows import Page, Release, Row, Sample, around, floats


class Coco:
    """`annotations/instances_SPLIT.json` and `images/SPLIT/`. Category ids are role ids + 1, since COCO's start at 1.

    `bbox` is x, y, width, height; `segmentation` the block's quad; `area` that of the quad; pixels of the picture.
    Beside COCO's keys an annotation has `text`, `block_id`, `logical_id` and `order` (place in reading order).
    """

    tables: ClassVar[tuple[str, ...]] = ("words", "layout")
    looks_ahead: ClassVar[bool] = False

    def __init__(self, out: Sink, release: Release) -> None:
        self._out, self._release = out, release
        self._images: dict[str, int] = {}
        self._boxes: dict[str, int] = {}
        self.counts: Counter[str] = Counter(documents=0, pages=0)

    def look(self, document: Row) -> None: ...

    def add(self, sample: Sample) -> None:
        key = _key(sample.split)
        for page in sample.pages:
            number = self._images[sample.split] = self._images.get(sample.split, 0) + 1
            width, height = page.size
            image = {"id": number, "file_name": page.file, "width": width, "height": height, "license": 1}
            image |= {"document_id": sample.id, "page": page.number, "type": sample.type, "language": sample.language}
            self._out.append(f"{key}.images", _comma(number) + dumps(image))
            self._out.put(f"images/{sample.split}/{page.file}", page.picture)
            self._add_blocks(sample.split, page, number)
        self.counts += Counter(documents=1, pages=len(sample.pages))

    def _add_blocks(self, split: str, page: Page, image: int) -> None:
        for order, block in enumerate(page.blocks):
            number = self._boxes[split] = self._boxes.get(split, 0) + 1
            self._out.append(f"{_key(split)}.boxes", _comma(number) + dumps(_annotation(block, number, image, order)))
            self.counts["boxes"] += 1

    def close(self) -> None:
        release = self._release
        info = {"description": release.name, "version": release.version, "release_digest": release.digest}
        licenses = [{"id": 1, "name": release.license, "url": ""}]
        categories = [{"id": i + 1, "name": name, "supercategory": "layout"} for i, name in enumerate(ROLES)]
        for split in self._images:
            key = _key(split)
            boxes = [f"{key}.boxes"] if self._boxes.get(split) else []
            pieces = [b'{"info": ', dumps(info), b', "licenses": ', dumps(licenses), b', "categories": ']
            pieces += [dumps(categories), b', "images": [\n', f"{key}.images", b'\n], "annotations": [\n']
            self._out.join(key, [*pieces, *boxes, b"\n]}\n"])

    def usage(self) -> str:
        return (
            "`COCO('annotations/instances_SPLIT.json')` of pycocotools reads a split; its pictures are in "
            "`images/SPLIT/`. Boxes are blocks of the page, categories their roles."
        )


def _key(split: str) -> str:
    return f"annotations/instances_{split}.json"


def _comma(number: int) -> bytes:
    return b"" if number == 1 else b",\n"


def _annotation(block: Row, number: int, image: int, order: int) -> dict:
    quad = floats(block["quad"])
    x0, y0, x1, y1 = floats(around([block["box"]]))
    corners = list(zip(quad[::2], quad[1::2], strict=True))
    area = abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, corners[1:] + corners[:1], strict=True))) / 2
    return {
        "id": number,
        "image_id": image,
        "category_id": block["role"] + 1,
        "bbox": [x0, y0, round(x1 - x0, 2), round(y1 - y0, 2)],
        "segmentation": [quad],
        "area": round(area, 2),
        "iscrowd": 0,
        "text": block["text"],
        "block_id": block["block_id"],
        "logical_id": block["logical_id"],
        "order": order,
    }
