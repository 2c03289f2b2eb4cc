"""Photograph a printed document: raster, scene, lens and sensor, encoding; and its labels through the same map."""

from __future__ import annotations

import io
from collections.abc import Callable

import cv2
import numpy as np
import pymupdf
from PIL import Image

from schemas.document import Document, PageInfo, Printed
from schemas.errors import SampleError
from schemas.recipe import Content, PictureFormat
from schemas.sample import Picture, SampleSpec
from synth.degrade.bank import SceneEntry
from synth.degrade.compose import Acquisition, develop, expose, tones
from synth.degrade.covering import with_things
from synth.degrade.damage import Damage
from synth.degrade.faults.contract import Stage
from synth.degrade.labels import map_document
from synth.degrade.lens import lens_of
from synth.degrade.mapping import PageMap, check_size
from synth.degrade.outlines import Shot
from synth.degrade.scenes import scene_for
from synth.degrade.warp import bent, flat

STAGE_VERSION = 1
POINTS_PER_INCH = 72


def raster(page: pymupdf.Page, dpi: int) -> np.ndarray:
    """The page as uint8 BGR, white where nothing is printed; its extent rounded to whole pixels and filled exactly."""
    width = round(page.rect.width * dpi / POINTS_PER_INCH)
    height = round(page.rect.height * dpi / POINTS_PER_INCH)
    check_size(width, height)
    fit = pymupdf.Matrix(width / page.rect.width, height / page.rect.height)
    pixels = page.get_pixmap(matrix=fit, colorspace=pymupdf.csRGB, alpha=False)
    image = np.frombuffer(pixels.samples_mv, np.uint8).reshape(pixels.height, pixels.stride)
    image = image[:height, : pixels.width * 3].reshape(-1, pixels.width, 3)[:, :width]
    short = (height - image.shape[0], width - image.shape[1])
    if any(short):  # rounding in the renderer may lose the last row or column
        image = np.pad(image, ((0, short[0]), (0, short[1]), (0, 0)), mode="edge")
    return cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2BGR)


def encode(image: np.ndarray, form: PictureFormat) -> bytes:
    """JPEG, WebP or PNG of a BGR image; quality as the recipe says, effort the least that costs little size."""
    if form.format == "webp":  # OpenCV cannot set the effort: 2 takes two thirds of the time for 1% more bytes
        data = io.BytesIO()
        Image.fromarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB)).save(data, "WEBP", quality=form.quality, method=2)
        return data.getvalue()
    if form.format == "png":
        suffix, options = ".png", [cv2.IMWRITE_PNG_COMPRESSION, 1]
    else:
        suffix, options = ".jpg", [cv2.IMWRITE_JPEG_QUALITY, form.quality]
    done, coded = cv2.imencode(suffix, image, options)
    if not done:
        raise SampleError("not_encoded", "camera", f"{image.shape[1]} x {image.shape[0]} as {form.format}")
    return coded.tobytes()


def _check_pages(pdf: pymupdf.Document, pages: tuple[PageInfo, ...]) -> None:
    if pdf.page_count != len(pages):
        raise SampleError("page_count", "camera", f"the PDF has {pdf.page_count} pages, the labels {len(pages)}")
    for number, info in enumerate(pages):
        rect = pdf[number].rect
        if max(abs(rect.width - info.width), abs(rect.height - info.height)) > 0.5:
            raise SampleError(
                "page_extent", "camera", f"page {number + 1}: {rect.width:.1f} x {rect.height:.1f} points"
            )


def photograph(
    printed: Printed, spec: SampleSpec, content: Content, entry: Callable[[str], SceneEntry], turn: float = 1.0
) -> tuple[list[Picture], Document]:
    """Pictures of all pages, and the document in their pixels. `entry` gives the baked scene of an id, `turn` is that
    of the dial where the recipe has a target error rate (see `Dial.by_target`).

    Draws come from `spec.rng("camera")`: one resolution a document, colours, blur and noise for each page; each fault
    has its own. SampleError (stage "camera") for a word outside the picture, a size no encoder takes, or pages that do
    not match.
    """
    rng = spec.rng("camera", STAGE_VERSION)
    dpi = rng.randint(content.dpi.min, content.dpi.max)
    document = printed.document
    pictures: list[Picture] = []
    shots: list[Shot] = []
    with pymupdf.open(stream=printed.pdf, filetype="pdf") as pdf:
        _check_pages(pdf, document.pages)
        for number in range(pdf.page_count):
            drawn = Acquisition.draw(rng)
            image = raster(pdf[number], dpi)
            height, width = image.shape[:2]
            scene = scene_for(spec, height / width, content, number)
            damage = Damage.of(document, number, dpi, spec, content, turn)
            if damage.shows_other_page and pdf.page_count > 1:
                damage = damage.over(raster(pdf[number ^ 1 if number ^ 1 < pdf.page_count else 0], dpi), width, height)
            held = None if scene == "none" else entry(scene)
            if held is not None and damage.shows_ground:
                damage = damage.on(_ground(held))
            image, things = damage.sheet(image)
            document = with_things(document, number, things, (width, height))
            image, shot = shoot(image, held, drawn, damage)
            shots.append(shot)
            size, data = (shot.width, shot.height), encode(image, content.picture)
            pictures.append(Picture(number, data, content.picture.format, *size, dpi, scene, damage.faults))
    return pictures, map_document(document, shots)


def _ground(entry: SceneEntry) -> tuple[int, int, int]:
    """Colour of what lies around the sheet, as it would be printed on white paper in this light, BGR."""
    edge = np.concatenate([entry.desk[0], entry.desk[-1], entry.desk[:, 0], entry.desk[:, -1]])
    middle = np.sort(edge, axis=0)[len(edge) // 2]
    blue, green, red = (min(255, int(c) * 65535 // gain) for c, gain in zip(middle, entry.gains, strict=True))
    return blue, green, red


def shoot(image: np.ndarray, scene: SceneEntry | None, drawn: Acquisition, damage: Damage) -> tuple[np.ndarray, Shot]:
    """The picture of a sheet (rows x columns x BGR, uint8), bent, lit, through lens and sensor, and its map.

    Without a scene there is neither light nor lens of our own: the page's pixels, but for its faults.
    """
    height, width = image.shape[:2]
    bends = damage.bends()
    if scene is None and not bends:
        image = damage.picture(image, Stage.LENS, Stage.SENSOR, Stage.FILE)
        return image, Shot(lambda u, v: (u * width, v * height), width, height)
    size = (width * damage.setting.mm, height * damage.setting.mm)
    held = flat(*size) if scene is None else scene
    map_ = PageMap.of(bent(held, bends, size) if bends else held, width, height)
    light = expose(image, map_, None if scene is None else tones(drawn, held.gains))
    light = damage.picture(light, Stage.LENS)
    if scene is not None:
        light = develop(light, drawn, scene.grain)
    shot = Shot(map_.picture, map_.width, map_.height, lens_of(map_).hidden, map_.forward)
    return damage.picture(light, Stage.SENSOR, Stage.FILE), shot
