from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest
import ray

from actors.reader import Reader, ReaderActor
from schemas.document import Document
from schemas.errors import EnvironmentMismatch, SampleError
from schemas.sample import OcrLine, Picture
from synth.read.engines import versions
from tests.synth.read.pages import labelled


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def reader(cache: str) -> Reader:
    return Reader(cache, versions())


@pytest.fixture
def cluster() -> Iterator[None]:
    fresh = not ray.is_initialized()
    if fresh:
        ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    yield
    if fresh:
        ray.shutdown()


def shot(language: str, page: int = 0) -> tuple[Picture, Document]:
    image, document = labelled(language)
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()
    return Picture(page, data, "jpeg", image.shape[1], image.shape[0], 150, "none"), document


@pytest.mark.parametrize(("language", "engine"), [("en", "paddleocr"), ("zh", "paddleocr"), ("bn", "tesseract")])
def test_a_picture_is_read_by_the_engine_of_its_language(reader: Reader, language: str, engine: str) -> None:
    picture, document = shot(language)
    readings, lines = reader.read([picture], document, language)
    assert [(r.page, r.engine, r.unmatched_lines) for r in readings] == [(0, engine, 0)]
    assert readings[0].cer <= 0.02
    assert len(lines[0]) == 3
    assert isinstance(lines[0][0], OcrLine)


def test_the_page_is_the_pictures(reader: Reader) -> None:
    picture, document = shot("en", page=1)
    (reading,), _ = reader.read([picture], document, "en")
    assert (reading.page, reading.characters) == (1, 0)
    assert reading.spurious > 40


def test_memory_is_told_in_megabytes(reader: Reader) -> None:
    assert 20 < reader.rss_mb() < 3000


def test_reading_again_gives_the_same(reader: Reader) -> None:
    picture, document = shot("en")
    assert reader.read([picture, picture], document, "en")[1] == [reader.read([picture], document, "en")[1][0]] * 2


@pytest.mark.parametrize("data", [b"", b"no picture"])
def test_a_broken_picture_rejects_the_sample(reader: Reader, data: bytes) -> None:
    with pytest.raises(SampleError) as caught:
        reader.read([Picture(0, data, "jpeg", 10, 10, 150, "none")], shot("en")[1], "en")
    assert (caught.value.reason, caught.value.stage) == ("broken_picture", "read")


def test_other_weights_than_the_locked_ones_are_refused(cache: str) -> None:
    pinned = {**versions(), "PP-OCRv6_small_rec": "0" * 64}
    with pytest.raises(EnvironmentMismatch, match="PP-OCRv6_small_rec"):
        Reader(cache, pinned)
    with pytest.raises(EnvironmentMismatch, match="tesseract"):
        Reader(cache, {**versions(), "tesseract": "4.0.0"})


def test_only_the_locked_engines_have_to_be_here(cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGELOOM_TESSERACT", str(tmp_path / "nowhere"))
    reader = Reader(cache, versions(("en",)))
    assert reader.ready() == versions(("en",))


def test_as_a_ray_actor(cluster: None, cache: str) -> None:
    actor = ReaderActor.options(num_cpus=0).remote(cache, versions(("bn",)))
    assert ray.get(actor.ready.remote(), timeout=120) == versions(("bn",))
    picture, document = shot("bn")
    readings, lines = ray.get(actor.read.remote([picture], document, "bn"), timeout=120)
    assert readings[0].cer <= 0.02
    assert len(lines[0]) == 3
    del actor
