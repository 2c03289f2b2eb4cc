"""What goes over the wire: the request as asked, the key where it belongs, and nothing else of the environment."""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import gzip
import json
import logging
import pickle
import socket
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from actors.llm_http import HttpTransport, _retry_after
from schemas.errors import UserError
from schemas.llm import CallError, Endpoint, LlmReply, LlmRequest, Message, Text
from synth.llm.vectors import cosine, vectors_of, vectors_request
from tests.fixtures.llm_endpoint import Answer, llm_endpoint
from tests.synth.llm.test_request import image

KEY = "sk-planted-0123456789abcdef"
REQUEST = LlmRequest("m", (Message("user", (Text("hello"),)),), 64)


def send(endpoint: Endpoint, request: LlmRequest = REQUEST, most: int = 10**6) -> LlmReply:
    async def go() -> LlmReply:
        transport = HttpTransport(endpoint, most)
        try:
            return await transport.send(request, 5)
        finally:
            await transport.close()

    return asyncio.run(go())


def test_the_request_is_sent_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    schema = {"type": "object", "properties": {}}
    parts = (image(2000, 3000), Text("what?"))
    request = LlmRequest(
        **{"model": "m", "messages": (Message("system", (Text("s"),)), Message("user", parts)), "max_tokens": 7},
        **{"top_p": 0.5, "seed": 3, "schema": schema, "reasoning_effort": "low"},
    )
    with llm_endpoint() as server:
        send(Endpoint(name="e", base_url=server.base_url, key_env="MY_KEY", model="other-name"), request)
        (call,) = server.calls
    body = call.body
    assert {k: body[k] for k in ("model", "max_tokens", "temperature", "top_p", "seed", "reasoning_effort")} == {
        **{"model": "other-name", "max_tokens": 7, "temperature": 0.0, "top_p": 0.5, "seed": 3},
        "reasoning_effort": "low",
    }
    assert body["messages"][0] == {"role": "system", "content": "s"}
    assert body["response_format"]["json_schema"] == {"name": "answer", "strict": True, "schema": schema}
    assert len(call.pictures) == 1 and call.text == "s\nwhat?"
    assert call.headers["authorization"] == f"Bearer {KEY}"


def test_texts_are_embedded_where_embeddings_are_served() -> None:
    texts = ["which is the highest", "is which the largest", "another thing"]
    with llm_endpoint() as server:
        reply = send(Endpoint(name="e", base_url=server.base_url, model="bge"), vectors_request("m", texts))
        (call,) = server.calls
        assert reply.tokens == server.tokens > 0
        server.embeds = False
        with pytest.raises(CallError, match="bad_request"):
            send(Endpoint(name="e", base_url=server.base_url), vectors_request("m", texts))
    assert call.body == {"model": "bge", "input": texts, "encoding_format": "float"}
    vectors = vectors_of(reply)
    assert vectors is not None and len(vectors) == 3, "in the order asked, whatever order they came in"
    assert cosine(vectors[0], vectors[1]) > 0.999 > 0.5 > cosine(vectors[0], vectors[2])


def test_a_field_that_a_model_refuses_is_left_out() -> None:
    with llm_endpoint() as server:
        request = LlmRequest("m", REQUEST.messages, 7, temperature=None)
        send(Endpoint(name="e", base_url=server.base_url, length_field="max_completion_tokens"), request)
        body = server.calls[0].body
    assert body["max_completion_tokens"] == 7 and not {"max_tokens", "temperature", "response_format"} & set(body)


def test_nothing_else_of_the_environment_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package would send these to any endpoint."""
    planted = {"OPENAI_API_KEY": "sk-openai-1", "OPENAI_ADMIN_KEY": "sk-admin-1", "OPENAI_ORG_ID": "org-planted"}
    planted |= {"OPENAI_PROJECT_ID": "proj-planted", "OPENAI_CUSTOM_HEADERS": "X-Secret: header-planted"}
    for name, value in planted.items():
        monkeypatch.setenv(name, value)
    with llm_endpoint() as server:
        send(Endpoint(name="e", base_url=server.base_url))
        headers = server.calls[0].headers
    said = json.dumps(headers)
    assert not [v for v in ("openai-1", "admin-1", "org-planted", "proj-planted", "header-planted") if v in said]
    assert headers["authorization"] == "Bearer none" and not [h for h in headers if h.startswith("x-stainless")]


@pytest.mark.parametrize("value", ["", "  ", "two words", "ключ"])
def test_a_missing_or_broken_key_is_one_line_without_it(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(UserError, match="MY_KEY") as caught:
        send(Endpoint(name="e", base_url="http://127.0.0.1:9/v1", key_env="MY_KEY"))
    assert not value.strip() or value not in str(caught.value)


@pytest.mark.parametrize("fault", ["400", "401", "429", "500", "reset", "garbled", "echo"])
def test_the_key_is_in_no_error_log_or_answer(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    caplog.set_level(logging.DEBUG)

    def script(body: dict[str, Any], earlier: int) -> Answer:
        return Answer(f"your key is {KEY}", "" if fault == "echo" else fault)

    with llm_endpoint(script) as server:
        server.echo = KEY
        endpoint = Endpoint(name="e", base_url=server.base_url, key_env="MY_KEY")
        try:
            said: Any = send(endpoint)
        except CallError as error:
            said = error
            assert error.__cause__ is None and error.__suppress_context__, "the chain would hold the request"
        assert server.calls[0].headers["authorization"].endswith(KEY), "the test would see nothing otherwise"
    assert KEY not in repr(said) + str(said) + repr(vars(said)) + repr(endpoint)
    assert KEY.encode() not in pickle.dumps(said) + pickle.dumps(endpoint)
    assert KEY not in caplog.text


def test_a_key_that_is_no_secret_is_no_word_to_cut_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """vLLM's own examples use EMPTY."""
    monkeypatch.setenv("MY_KEY", "EMPTY")
    with llm_endpoint(lambda body, earlier: Answer("the field is EMPTY")) as server:
        reply = send(Endpoint(name="e", base_url=server.base_url, key_env="MY_KEY"))
    assert reply.text == "the field is EMPTY"


@pytest.mark.parametrize(
    ("headers", "low", "high"),
    [
        ({"retry-after": "2"}, 2, 2),
        ({"retry-after": "1.5"}, 1.5, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25, 0.25),
        ({"retry-after": email.utils.format_datetime(datetime.now(UTC) + timedelta(seconds=900))}, 500, 901),
        ({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0, 0),
    ],
)
def test_retry_after_in_all_its_forms(headers: dict[str, str], low: float, high: float) -> None:
    wait = _retry_after(headers)
    assert wait is not None and low <= wait <= high


@pytest.mark.parametrize("value", ["", "soon", "-3", "inf", "nan", "0"])
def test_retry_after_that_says_nothing(value: str) -> None:
    assert _retry_after({"retry-after": value}) is None and _retry_after({}) is None


def raw_server(answer: Callable[[socket.socket], None]) -> tuple[int, threading.Thread]:
    """A server for one connection that may break the protocol."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listening, listening.accept()[0] as one:
            one.recv(1 << 20)
            with contextlib.suppress(OSError):
                answer(one)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return listening.getsockname()[1], thread


def test_an_endless_answer_is_cut_at_the_limit_and_not_asked_again() -> None:
    sent = [0]

    def endless(one: socket.socket) -> None:
        one.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
        while sent[0] < 200_000_000:
            one.sendall(b"x" * 65536)
            sent[0] += 65536

    port, thread = raw_server(endless)
    reply = send(Endpoint(name="e", base_url=f"http://127.0.0.1:{port}/v1"), most=100_000)
    thread.join(10)
    assert reply.finish_reason == "too_large" and reply.completion_tokens == REQUEST.max_tokens
    assert sent[0] < 20_000_000, "it was not read to its end"


def test_a_compressed_answer_is_refused_unread() -> None:
    def bomb(one: socket.socket) -> None:
        body = gzip.compress(b" " * 50_000_000)
        head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n"
        one.sendall(head.encode() + body)

    port, _ = raw_server(bomb)
    with pytest.raises(CallError, match="compressed"):
        send(Endpoint(name="e", base_url=f"http://127.0.0.1:{port}/v1"))


def test_a_redirect_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with llm_endpoint() as other:

        def elsewhere(one: socket.socket) -> None:
            head = f"HTTP/1.1 307 Go\r\nLocation: {other.base_url}/chat/completions\r\nContent-Length: 0\r\n\r\n"
            one.sendall(head.encode())

        port, _ = raw_server(elsewhere)
        with pytest.raises(CallError):
            send(Endpoint(name="e", base_url=f"http://127.0.0.1:{port}/v1", key_env="MY_KEY"))
        assert other.served == 0


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [null]}',
        b'{"choices": [{"message": "x"}]}',
        b"null",
        b"<html>502</html>",
        b'{"choices": ' + b"[" * 100_000,
    ],
)
def test_what_is_no_completion_is_garbled(body: bytes) -> None:
    def answer(one: socket.socket) -> None:
        one.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)

    port, _ = raw_server(answer)
    with pytest.raises(CallError) as caught:
        send(Endpoint(name="e", base_url=f"http://127.0.0.1:{port}/v1"))
    assert caught.value.kind == "garbled"


def test_an_endpoint_that_does_not_count_is_taken_at_the_bounds() -> None:
    body = b'{"choices": [{"message": {"content": [{"type": "text", "text": "hi"}]}, "finish_reason": "stop"}]}'

    def answer(one: socket.socket) -> None:
        one.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)

    port, _ = raw_server(answer)
    reply = send(Endpoint(name="e", base_url=f"http://127.0.0.1:{port}/v1"))
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("hi", REQUEST.prompt_bound, 64)
