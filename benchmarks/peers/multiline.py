"""A page of text boxes on paper before a background, made with synthtiger's own components, to stand beside ours.

SynthDoG's template lies in its authors' repository and not on PyPI, so this is our own template in its manner and in
the ranges its authors publish for English: short side 720 to 1024 pixels, up to ten rows and three columns a block,
text 1/30 to 1/10 of the page, elastic distortion, noise and perspective on every layer, shadow, contrast and blur on
the picture. Run by benchmarks.rivals in an environment of its own: `synthtiger -w 2 multiline.py Multiline CONFIG`.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from synthtiger import components, layers, templates

CORNERS = ((0.75, 1), (0.75, 1), (0.75, 1), (0.75, 1))


def _effects(*parts: tuple[Any, float]) -> Any:
    return components.Iterator([components.Switch(effect, prob) for effect, prob in parts])


class Multiline(templates.Template):
    """`config`: folders of background and paper textures and of fonts, and a text file."""

    def __init__(self, config: dict[str, str]) -> None:
        self.text = Path(config["text"]).read_text(encoding="utf-8")
        self.fonts = sorted(str(path) for path in Path(config["fonts"]).iterdir())
        self.background = components.BaseTexture(paths=[config["backgrounds"]], weights=[1])
        self.paper = components.BaseTexture(paths=[config["papers"]], weights=[1], alpha=(0, 0.2), grayscale=1, crop=1)
        self.of_background = _effects((components.GaussianBlur(sigma=(0, 10)), 1))
        self.of_document = _effects(
            (components.ElasticDistortion(alpha=(0, 1), sigma=(0, 0.5)), 1),
            (components.AdditiveGaussianNoise(scale=(0, 8), per_channel=0), 1),
            (components.Perspective(percents=CORNERS), 0.75),
        )
        self.of_picture = _effects(
            (components.RGB(alpha=(0, 0.2)), 0.2),
            (components.Shadow(intensity=(0, 160), amount=(0, 1), smoothing=(0.5, 1), bidirectional=0), 1),
            (components.Contrast(alpha=(1, 1.5)), 1),
            (components.Brightness(beta=(-48, 0)), 1),
            (components.MotionBlur(k=(3, 5), angle=(0, 360)), 0.5),
            (components.GaussianBlur(sigma=(0, 1.5)), 1),
        )

    def generate(self) -> dict[str, Any]:
        short = np.random.randint(720, 1025)
        size = [short, int(short * np.random.uniform(1, 2))]
        if np.random.rand() < 0.5:
            size.reverse()
        behind = layers.RectLayer(size, (255, 255, 255, 255))
        self.background.apply([behind])
        self.of_background.apply([behind])
        paper = layers.RectLayer(size, (255, 255, 255, 255))
        self.paper.apply([paper])
        boxes, words = self._boxes(*size)
        self.of_document.apply([*boxes, paper])
        sheet = layers.Group([*boxes, paper]).merge()
        sheet.center = behind.center
        picture = layers.Group([sheet, behind]).merge()
        self.of_picture.apply([picture])
        image = picture.output(bbox=[0, 0, *size])
        return {"image": image, "text": " ".join(words), "quality": int(np.random.randint(50, 96))}

    def _boxes(self, width: int, height: int) -> tuple[list[Any], list[str]]:
        """Text boxes in blocks from top to bottom; a block has its own text size, columns and rows."""
        boxes, words = [], []
        at = np.random.randint(len(self.text))
        y, margin = height * np.random.uniform(0, 0.1), width * np.random.uniform(0, 0.1)
        while y < height * 0.9:
            font = self.fonts[np.random.randint(len(self.fonts))]
            row = max(8, int(height * np.random.uniform(1 / 30, 1 / 10)))
            columns = np.random.randint(1, 4)
            room = (width - 2 * margin) / columns
            for _ in range(np.random.randint(1, 11)):
                if y + row > height:
                    break
                for column in range(columns):
                    box, said = self._line(at, font, row, room * np.random.uniform(0.5, 1))
                    at += len(said)
                    if box is not None:
                        box.topleft = (margin + column * room, y)
                        boxes.append(box)
                        words.append(said.strip())
                y += row
            y += height / 30
        return boxes, words

    def _line(self, at: int, font: str, size: int, room: float) -> tuple[Any, str]:
        """One line: each character is a layer, set until the room is used up."""
        glyphs, said, x = [], "", 0.0
        while x < room:
            mark = self.text[(at + len(said)) % len(self.text)]
            said += mark
            if mark.isspace():
                x += size / 4
                continue
            glyph = layers.TextLayer(mark, font, size)
            glyph.left = x
            x = glyph.right
            glyphs.append(glyph)
        return (layers.Group(glyphs).merge() if glyphs else None), said

    def init_save(self, root: str) -> None:
        Path(root).mkdir(parents=True, exist_ok=True)

    def save(self, root: str, data: dict[str, Any], idx: int) -> None:
        image = Image.fromarray(data["image"][..., :3].astype(np.uint8))
        image.save(Path(root) / f"{idx:06d}.jpg", quality=data["quality"])
        with (Path(root) / "metadata.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"file_name": f"{idx:06d}.jpg", "text": data["text"]}) + "\n")

    def end_save(self, root: str) -> None:
        pass
