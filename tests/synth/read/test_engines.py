from __future__ import annotations

import socket
from pathlib import Path

import numpy as np
import pytest

from schemas.errors import SampleError, UserError
from schemas.geometry import Box
from synth.read import tesseract
from synth.read.engines import Readers, engine_of, languages_in, versions
from synth.read.legibility import legibility, normal
from tests.synth.read.pages import TEXTS, drawn, labelled


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Readers:
    return Readers(tmp_path_factory.mktemp("cache"), threads=2)


@pytest.mark.parametrize("language", ["en", "zh", "bn"])
def test_clean_lines_are_read_where_they_stand(
    readers: Readers, language: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(self: socket.socket, address: object) -> None:
        raise AssertionError(f"OCR went to the network: {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    image, document = labelled(language)
    lines = readers.read(image, language)
    read = sorted(lines, key=lambda line: line.quad[1])
    assert [normal(line.text) for line in read] == [normal(text) for text in TEXTS[language]]
    for line, true in zip(read, document.lines, strict=True):
        quad = Box(line.quad[0], line.quad[1], line.quad[4], line.quad[5])
        assert quad.intersect(true.box).area > 0.5 * true.box.area
        assert 0.8 < line.score <= 1
    result = legibility(document, 0, lines, engine_of(language))
    assert (result.cer, result.unmatched_lines, result.spurious) == (0, 0, 0)
    said = capfd.readouterr()
    assert said.out + said.err == ""


@pytest.mark.parametrize("language", ["en", "bn"])
@pytest.mark.parametrize("size", [(1, 1), (1, 700), (700, 1), (5, 5), (300, 200)])
def test_blank_pictures_of_any_size_have_no_lines(readers: Readers, language: str, size: tuple[int, int]) -> None:
    assert readers.read(np.full((*size, 3), 255, np.uint8), language) == []


def test_a_long_roll_is_read_at_full_size(readers: Readers) -> None:
    texts = {40: "Coffee beans 12.50", 2400: "In the overlap 4.00", 5900: "Total amount 16.50"}
    image = np.full((6000, 520, 3), 255, np.uint8)
    for top, text in texts.items():
        image[top : top + 60] = drawn("en", [text], (520, 90))[20:80]
    lines = sorted(readers.read(image, "en"), key=lambda line: line.quad[1])
    assert [line.text.replace(" ", "") for line in lines] == [text.replace(" ", "") for text in texts.values()]
    assert [abs(line.quad[1] - top) < 30 for line, top in zip(lines, texts, strict=True)] == [True] * 3


def test_a_picture_past_all_bounds_is_rejected(readers: Readers) -> None:
    image = np.broadcast_to(np.uint8(255), (30_000, 30_000, 3))
    with pytest.raises(SampleError) as caught:
        readers.read(image, "en")
    assert (caught.value.reason, caught.value.stage) == ("picture_too_large", "read")


def test_only_bgr_bytes_are_taken(readers: Readers) -> None:
    with pytest.raises(ValueError, match="uint8"):
        readers.read(np.zeros((40, 40), np.uint8), "en")


def test_versions_name_only_the_engines_of_the_languages() -> None:
    assert set(versions(("en",))) == {
        "paddleocr",
        "paddlex",
        "onnxruntime",
        "PP-OCRv6_small_det",
        "PP-OCRv6_small_rec",
    }
    tessdata = {"tesseract", "tessdata/ben", "tessdata/eng"}
    assert set(versions(("bn",))) == {*tessdata, *versions(("en",))} - {"PP-OCRv6_small_rec"}
    assert versions(("zh", "bn")) == versions()


def test_unknown_language() -> None:
    with pytest.raises(UserError, match="reads 'km'"):
        engine_of("km")


def test_tesseract_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tesseract.PROGRAM_VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(UserError, match="apt-get install -y tesseract-ocr"):
        Readers(tmp_path).read(drawn("bn"), "bn")


def test_tesseract_without_bangla(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tesseract.find_program()
    (tmp_path / "eng.traineddata").symlink_to(real.tessdata / "eng.traineddata")
    wrapper = tmp_path / "tesseract"
    wrapper.write_text(f'#!/bin/sh\nexec {real.path} --tessdata-dir {tmp_path} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv(tesseract.PROGRAM_VARIABLE, str(wrapper))
    with pytest.raises(UserError, match="no language data for ben"):
        tesseract.find_program()


def test_tesseract_that_refuses_or_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tesseract.find_program().path
    script = tmp_path / "tesseract"
    script.write_text(f'#!/bin/sh\ncase "$1" in -*) exec {real} "$@";; esac\neval "$FAULT"\n')
    script.chmod(0o755)
    monkeypatch.setenv(tesseract.PROGRAM_VARIABLE, str(script))
    readers = Readers(tmp_path)
    for fault, error in (("exit 1", SampleError), ("kill -9 $$", RuntimeError)):
        monkeypatch.setenv("FAULT", fault)
        monkeypatch.setattr(readers, "_tesseract", None)  # it keeps the environment it was started in
        with pytest.raises(error):
            readers.read(drawn("bn"), "bn")


def test_bangla_forms_keep_their_latin_and_their_light_titles(readers: Readers) -> None:
    email = drawn("en", ["service35@inbox.example"], (760, 80))
    title = drawn("bn", ["কর্মশালা নিবন্ধন ফরম"], (760, 80))
    band = (255 - title * ((255 - np.array([30, 80, 170])) / 255)).astype(np.uint8)  # white on orange
    page = np.vstack([email, np.full_like(title, 255), band, np.full_like(title, 255)])
    lines = sorted(readers.read(page, "bn"), key=lambda line: line.quad[1])
    assert [normal(line.text) for line in lines] == ["service35@inbox.example", normal("কর্মশালা নিবন্ধন ফরম")]


def test_languages_are_known_from_what_the_lock_pins() -> None:
    assert languages_in(versions(("bn",))) == ("bn",)
    assert languages_in(versions(("en",))) == ("en", "zh")
    assert languages_in(versions()) == ("en", "zh", "bn")
