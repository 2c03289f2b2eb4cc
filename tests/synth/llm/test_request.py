"""Digest and bounds of a request, prices, pictures."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import cv2
import numpy as np
import pytest
from pydantic import ValidationError

from schemas.errors import SampleError, UserError
from schemas.llm import Endpoint, Image, LlmRequest, LlmSettings, Message, Price, Text
from schemas.prices import FREE, price_of, worst_case
from schemas.release import sha256
from synth.llm.pictures import MAX_PIXELS, data_url, scaled_picture, scaled_size

REQUEST = LlmRequest("m", (Message("user", (Text("hello"),)),), 100)


def image(width: int = 40, height: int = 30, max_pixels: int = MAX_PIXELS, kind: str = ".png") -> Image:
    data = cv2.imencode(kind, np.random.default_rng(1).integers(0, 255, (height, width, 3), np.uint8))[1].tobytes()
    return Image(data, sha256(data), width * height, max_pixels)


@pytest.mark.parametrize(
    "change",
    [
        {"model": "n"},
        {"max_tokens": 99},
        {"temperature": None},
        {"temperature": 0.1},
        {"top_p": 0.5},
        {"seed": 0},
        {"schema": {}},
        {"reasoning_effort": "low"},
        {"messages": (Message("system", (Text("hello"),)),)},
        {"messages": (Message("user", (Text("hel"), Text("lo"))),)},
        {"messages": (Message("user", (image(), Text("hello"))),)},
    ],
)
def test_the_digest_depends_on_what_the_answer_depends_on(change: dict[str, Any]) -> None:
    assert replace(REQUEST, **change).digest != REQUEST.digest


def test_the_digest_names_pictures_by_their_bytes_and_their_limit() -> None:
    def digest(one: Image) -> str:
        return replace(REQUEST, messages=(Message("user", (one,)),)).digest

    assert digest(image()) == digest(image())
    assert digest(image()) != digest(image(max_pixels=100)) and digest(image()) != digest(image(41))
    assert replace(REQUEST, prompt="kie-1").digest == REQUEST.digest, "the file's name decides no answer"


def test_the_bound_holds_for_any_tokenizer_over_bytes() -> None:
    texts = ["a", "১২৩" * 50, "表格" * 50, "word " * 100]
    for text in texts:
        request = LlmRequest("m", (Message("user", (Text(text),)),), 1, schema={"type": "object"})
        assert request.prompt_bound >= len(text.encode()) + len('{"type":"object"}')
    pages = LlmRequest("m", (Message("user", (image(2000, 3000),)),), 1)
    assert MAX_PIXELS / 196 <= pages.prompt_bound <= MAX_PIXELS / 196 + 100, "pixels that are sent count, no others"


def test_prices() -> None:
    prices = {"m": Price(input=Decimal("2.5"), output=Decimal(10))}
    assert price_of(prices, "m").cost(1_000_000, 100_000) == Decimal("3.5")
    assert price_of({}, "x") is FREE and price_of({"*": FREE}, "x") == FREE
    with pytest.raises(UserError, match="no price"):
        price_of(prices, "x")
    assert worst_case(REQUEST, FREE) == (REQUEST.prompt_bound + 100, 0)


def test_pictures_keep_their_bytes_if_small_and_their_proportions_if_not() -> None:
    small = image()
    assert scaled_picture(small.data, MAX_PIXELS) == ("png", small.data)
    kind, data = scaled_picture(image(2000, 3000).data, MAX_PIXELS)
    height, width = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR).shape[:2]
    assert kind == "jpeg" and width * height <= MAX_PIXELS and abs(width / height - 2 / 3) < 0.002
    assert (width, height) == scaled_size(2000, 3000, MAX_PIXELS) and width * height > 0.99 * MAX_PIXELS
    assert data_url(image(kind=".webp")).startswith("data:image/webp;base64,")
    assert scaled_picture(image(kind=".bmp").data, MAX_PIXELS)[0] == "jpeg", "a kind that endpoints do not take"
    with pytest.raises(SampleError):
        scaled_picture(b"no picture", 100)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("base_url", "https://user:sk-secret-9@host/v1"),
        ("base_url", "https://host/v1?key=sk-secret-9"),
        ("base_url", "ftp://host"),
        ("key_env", "sk-secret-9"),
        ("name", "sk secret-9"),
        ("api_key", "sk-secret-9"),
    ],
)
def test_a_key_in_the_wrong_place_is_refused_and_not_repeated(field: str, value: str) -> None:
    with pytest.raises(ValidationError) as caught:
        LlmSettings.model_validate({"endpoints": [{"name": "a", "base_url": "http://h/v1"} | {field: value}]})
    assert "secret-9" not in str(caught.value)


def test_an_endpoint_needs_no_key() -> None:
    assert Endpoint(name="a", base_url="http://h/v1/").base_url == "http://h/v1"
