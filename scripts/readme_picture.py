"""The README's picture: pages of a release with their labels. `python scripts/readme_picture.py RELEASE OUT`."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pyarrow.parquet as pq
from PIL import Image

from jobs.marks import marks_of_rows
from jobs.overlay import draw

HEIGHT, GAP = 760, 16
SHOWN = ("receipt/zh", "form/en", "invoice/bn", "contract/en")


def main(release: Path, out: Path) -> None:
    """One page of each shown cell; the first accepted document of the cell."""
    tables = {
        name: pq.read_table(release / name).to_pylist()
        for name in ("documents", "words", "layout", "kie", "lines", "cells")
    }
    pages = pq.read_table(release / "pages").to_pylist()
    pictures: list[Image.Image] = []
    for cell in SHOWN:
        document = next(d for d in tables["documents"] if f"{d['type']}/{d['language']}" == cell)
        page = next(p for p in pages if p["document_id"] == document["document_id"])
        rows = {name: [r for r in tables[name] if r.get("page_id") == page["page_id"]] for name in tables}
        drawn = draw(page["image"]["bytes"], marks_of_rows(rows, page["width"], page["height"]), ("blocks", "fields"))
        picture = Image.open(io.BytesIO(drawn)).convert("RGB")
        width = round(picture.width * HEIGHT / picture.height)
        pictures.append(picture.resize((width, HEIGHT), Image.Resampling.LANCZOS))
    sheet = Image.new("RGB", (sum(p.width + GAP for p in pictures) - GAP, HEIGHT), "white")
    x = 0
    for picture in pictures:
        sheet.paste(picture, (x, 0))
        x += picture.width + GAP
    sheet.quantize(128, dither=Image.Dither.NONE).save(out, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
