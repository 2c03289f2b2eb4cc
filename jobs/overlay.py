"""Labels drawn over a page: as SVG for a browser, as PNG for a picture, and one sample as a page to look at."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Sequence
from functools import lru_cache
from html import escape
from typing import Any

import cv2
import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from jobs.marks import KINDS, ROLE_COLOURS, Mark, Marks, marks_of_document
from schemas.document import Document
from schemas.sample import Picture

MIME = {"jpeg": "image/jpeg", "webp": "image/webp", "png": "image/png"}


def svg_marks(marks: Marks, titles: bool = True) -> Markup:
    """SVG groups `k-<kind>` in pixels of the page. Without `titles` one path a kind: small, for many pages."""
    groups = []
    for kind in KINDS:
        if kind == "order":
            groups.append(_order_group(marks, titles))
            continue
        boxes = [mark for mark in marks.boxes if mark.kind == kind]
        inner = "".join(_polygon(mark) for mark in boxes) if titles else _paths(boxes)
        if kind == "keys":
            inner += _arrows(marks, titles)
        groups.append(f'<g class="k-{kind}">{inner}</g>')
    return Markup("".join(groups))


def draw(picture: bytes, marks: Marks, kinds: Collection[str] = ("blocks", "keys", "fields")) -> bytes:
    """PNG of the picture with the boxes of these kinds over it. ValueError if the bytes are no picture."""
    image = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise ValueError("these bytes are no picture")
    scale = image.shape[1] / marks.width
    thick = max(1, round(image.shape[1] / 900))
    tint = image.copy()
    boxes = [mark for mark in marks.boxes if mark.kind in kinds]
    for mark in boxes:
        if mark.kind in ("blocks", "fields", "keys"):
            cv2.fillPoly(tint, [_corners(mark.quad, scale)], _bgr(mark))
    image = cv2.addWeighted(tint, 0.15, image, 0.85, 0)
    for mark in boxes:
        cv2.polylines(image, [_corners(mark.quad, scale)], True, _bgr(mark), thick, cv2.LINE_AA)
    if "keys" in kinds:
        for x0, y0, x1, y1, _ in marks.arrows:
            start, end = (round(x0 * scale), round(y0 * scale)), (round(x1 * scale), round(y1 * scale))
            tip = 8 * thick / max(1.0, float(np.hypot(end[0] - start[0], end[1] - start[1])))
            cv2.arrowedLine(image, start, end, _hex_bgr(KINDS["keys"]), thick, cv2.LINE_AA, tipLength=min(tip, 1.0))
    if "order" in kinds and len(marks.order) > 1:
        points = np.round(np.asarray(marks.order) * scale).astype(np.int32)
        cv2.polylines(image, [points], False, _hex_bgr(KINDS["order"]), thick, cv2.LINE_AA)
    return cv2.imencode(".png", image)[1].tobytes()


def preview_html(
    document: Document, pictures: Sequence[Picture], schema: dict[str, Any], values: dict[str, Any], title: str = ""
) -> str:
    """One self-contained HTML page of a sample: its pictures with switchable boxes, its schema and values beside them.

    `document` is in pixels of the pictures. Nothing is loaded from anywhere.
    """
    pages = [
        {
            "number": picture.page + 1,
            "width": picture.width,
            "height": picture.height,
            "scene": picture.scene,
            "dpi": picture.dpi,
            "href": data_uri(picture.data, picture.format),
            "marks": svg_marks(marks_of_document(document, picture.page)),
        }
        for picture in pictures
    ]
    return (
        environment()
        .get_template("preview.html.j2")
        .render(
            title=title or "Preview",
            pages=pages,
            kinds=kinds_for_template(),
            values=values,
            schema=json.dumps(schema, ensure_ascii=False, indent=2),
            counts={
                "words": len(document.words),
                "lines": len(document.lines),
                "blocks": len(document.blocks),
                "cells": len(document.cells),
                "fields": len(document.fields),
            },
        )
    )


def data_uri(data: bytes, format: str) -> str:
    return f"data:{MIME[format]};base64,{base64.b64encode(data).decode()}"


def kinds_for_template() -> list[dict[str, Any]]:
    """Kinds in the order of their switches: name, colour, and whether it is shown at first."""
    return [{"name": k, "colour": c, "shown": k in ("blocks", "keys", "fields")} for k, c in KINDS.items()]


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Templates of `jobs/templates`, all text escaped."""
    made = Environment(loader=PackageLoader("jobs"), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    made.globals["colours"] = Markup(_colours())
    return made


def _colours() -> str:
    kinds = "".join(f".k-{kind}{{color:{colour}}}" for kind, colour in KINDS.items())
    return kinds + "".join(f".r-{role}{{color:{colour}}}" for role, colour in ROLE_COLOURS.items())


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _points(quad: Sequence[float]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in zip(quad[::2], quad[1::2], strict=True))


def _polygon(mark: Mark) -> str:
    attributes = f' class="r-{mark.role}"' if mark.role else ""
    attributes += f' data-path="{escape(mark.path)}"' if mark.path else ""
    return f'<polygon{attributes} points="{_points(mark.quad)}"><title>{escape(mark.title)}</title></polygon>'


def _paths(boxes: Sequence[Mark]) -> str:
    """One path for each role (blocks) or for all."""
    parts: dict[str, list[str]] = {}
    for mark in boxes:
        parts.setdefault(mark.role, []).append(f"M{_points(mark.quad)}Z")
    role_class = {role: f' class="r-{role}"' if role else "" for role in parts}
    return "".join(f'<path{role_class[role]} d="{"".join(ds)}"/>' for role, ds in parts.items())


def _arrows(marks: Marks, titles: bool) -> str:
    size = marks.width / 110
    drawn = [(_head(*arrow[:4], size), arrow) for arrow in marks.arrows]
    if not titles:
        return f'<path class="line" d="{"".join(_stroke(a) for _, a in drawn)}"/>' if drawn else ""
    return "".join(
        f'<path class="line" data-path="{escape(a[4])}" d="{_stroke(a)}"/>'
        f'<path class="head" data-path="{escape(a[4])}" d="{head}"/>'
        for head, a in drawn
    )


def _stroke(arrow: tuple[float, float, float, float, str]) -> str:
    return f"M{_n(arrow[0])},{_n(arrow[1])}L{_n(arrow[2])},{_n(arrow[3])}"


def _head(x0: float, y0: float, x1: float, y1: float, size: float) -> str:
    """A filled arrow head at (x1, y1), its size in pixels of the page."""
    length = float(np.hypot(x1 - x0, y1 - y0)) or 1.0
    ux, uy = (x1 - x0) / length * size, (y1 - y0) / length * size
    left, right = (x1 - ux - uy / 2, y1 - uy + ux / 2), (x1 - ux + uy / 2, y1 - uy - ux / 2)
    return f"M{_points((x1, y1, *left, *right))}Z"


def _order_group(marks: Marks, titles: bool) -> str:
    if not marks.order:
        return '<g class="k-order"></g>'
    inner = f'<path class="line" d="M{_points([c for point in marks.order for c in point])}"/>'
    if titles:
        size = marks.width / 110
        pairs = list(zip(marks.order, marks.order[1:], strict=False))
        halves = [(*a, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in pairs]
        heads = "".join(_head(*half, size) for half in halves)
        x, y = marks.order[0]
        inner += (
            f'<path class="head" d="{heads}"/><circle class="head" cx="{_n(x)}" cy="{_n(y)}" r="{_n(size * 0.7)}"/>'
        )
    return f'<g class="k-order">{inner}</g>'


def _corners(quad: Sequence[float], scale: float) -> np.ndarray:
    return np.round(np.asarray(quad, np.float64).reshape(4, 2) * scale).astype(np.int32)


def _bgr(mark: Mark) -> tuple[int, int, int]:
    return _hex_bgr(ROLE_COLOURS[mark.role] if mark.role else KINDS[mark.kind])


def _hex_bgr(colour: str) -> tuple[int, int, int]:
    return int(colour[5:7], 16), int(colour[3:5], 16), int(colour[1:3], 16)
