"""Pieces of page pictures with truth and prediction drawn over them, for the error gallery."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from jobs.evaluate_data import Release
from jobs.overlay import data_uri
from synth.score.gallery import Shown
from synth.score.truth import Box

# (longest side of a crop, JPEG quality), tried in this order until all crops together fit.
_SIZES = ((520, 72), (420, 62), (320, 50), (240, 40))
MAX_BYTES = 9_000_000
_MARGIN, _LEAST_WIDTH, _LEAST_HEIGHT = 0.35, 420, 170  # around the boxes, in pixels of the page
_WORDS = ("document_id", "page_id", "word_id", "text", "order", "line_id", "box")


@dataclass(frozen=True)
class Crop:
    """A piece of a page: its picture, its place (x, y, width, height in pixels of the page), and boxes on it."""

    href: str
    view: tuple[int, int, int, int]
    truth: tuple[Box, ...]
    predicted: tuple[Box, ...]


def crops(release: Release, shown: Sequence[Shown]) -> list[Crop | None]:
    """A crop for each fault, in the given order; None where the page's picture cannot be read."""
    documents = sorted({item.document for item in shown})
    if not documents:
        return []
    wanted = {item.fault.page_id for item in shown}
    words: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in release.rows("words", documents, _WORDS):
        words[row["page_id"]].append(row)
    pictures = {
        row["page_id"]: row["image"]["bytes"]
        for row in release.rows("pages", documents, ("document_id", "page_id", "image"))
        if row["page_id"] in wanted
    }
    placed = [_with_places(item, words) for item in shown]
    for side, quality in _SIZES:
        made = _cut(pictures, shown, placed, side, quality)
        if sum(len(crop.href) for crop in made if crop) <= MAX_BYTES:
            break
    return made


def _with_places(
    item: Shown, words: Mapping[str, Sequence[Mapping[str, Any]]]
) -> tuple[tuple[Box, ...], tuple[Box, ...]]:
    """Boxes of truth and prediction; a predicted value is looked for among the words of the page."""
    fault = item.fault
    if fault.predicted_boxes or item.track not in ("kie", "qa"):
        return fault.truth_boxes, fault.predicted_boxes
    return fault.truth_boxes, tuple(locate(fault.predicted, words.get(fault.page_id, ())))


def locate(text: str, words: Sequence[Mapping[str, Any]]) -> list[Box]:
    """Boxes, one a line, of the first words that spell a text, blanks and case apart; none if it is not there."""
    wanted = _squeezed(text)
    ordered = sorted(words, key=lambda row: row["order"])
    pieces = [_squeezed(row["text"]) for row in ordered]
    starts = np.cumsum([0, *(len(piece) for piece in pieces)]).tolist()
    whole = "".join(pieces)
    at = whole.find(wanted) if wanted else -1
    while at >= 0:
        if at in starts and at + len(wanted) in starts:
            first, last = starts.index(at), starts.index(at + len(wanted))
            return _by_line(ordered[first:last])
        at = whole.find(wanted, at + 1)
    return []


def _squeezed(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _by_line(words: Sequence[Mapping[str, Any]]) -> list[Box]:
    lines: dict[int, list[Box]] = defaultdict(list)
    for word in words:
        lines[word["line_id"]].append(tuple(word["box"]))
    return [_around(boxes) for boxes in lines.values()]


def _around(boxes: Sequence[Box]) -> Box:
    return (*(min(box[k] for box in boxes) for k in (0, 1)), *(max(box[k] for box in boxes) for k in (2, 3)))


def _cut(
    pictures: Mapping[str, bytes],
    shown: Sequence[Shown],
    placed: Sequence[tuple[tuple[Box, ...], tuple[Box, ...]]],
    side: int,
    quality: int,
) -> list[Crop | None]:
    by_page: dict[str, list[int]] = defaultdict(list)
    for at, item in enumerate(shown):
        by_page[item.fault.page_id].append(at)
    made: list[Crop | None] = [None] * len(shown)
    for page, places in by_page.items():
        data = pictures.get(page)
        image = None if data is None else cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        if image is None:
            continue
        for at in places:
            truth, predicted = placed[at]
            view = _view((*truth, *predicted), image.shape[1], image.shape[0])
            made[at] = Crop(_jpeg(image, view, side, quality), view, truth, predicted)
    return made


def _view(boxes: Sequence[Box], width: int, height: int) -> tuple[int, int, int, int]:
    """What to show: the boxes with some of the page around them, or the whole page where there are none."""
    if not boxes:
        return 0, 0, width, height
    x0, y0, x1, y1 = _around(boxes)
    across = max((x1 - x0) * (1 + _MARGIN), _LEAST_WIDTH)
    down = max((y1 - y0) * (1 + _MARGIN), _LEAST_HEIGHT, across / 4)
    left = round(min(max(0.0, (x0 + x1 - across) / 2), max(0.0, width - across)))
    top = round(min(max(0.0, (y0 + y1 - down) / 2), max(0.0, height - down)))
    return left, top, max(1, min(round(across), width - left)), max(1, min(round(down), height - top))


def _jpeg(image: np.ndarray, view: tuple[int, int, int, int], side: int, quality: int) -> str:
    left, top, width, height = view
    piece = image[top : top + height, left : left + width]
    scale = min(1.0, side / max(width, height * 0.8))
    if scale < 1:
        piece = cv2.resize(piece, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    flags = [cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_OPTIMIZE, 1]
    return data_uri(cv2.imencode(".jpg", piece, flags)[1].tobytes(), "jpeg")
