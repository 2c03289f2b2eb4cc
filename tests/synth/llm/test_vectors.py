from __future__ import annotations

import math
from typing import Any

import pytest

from schemas.llm import LlmReply, LlmRequest, Message, Text
from synth.llm.vectors import cosine, vectors_of, vectors_reply, vectors_request

REQUEST = vectors_request("m", ["one", "two", "three"])


def answer(*vectors: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "data": [{"index": n, "embedding": v} for n, v in enumerate(vectors)], **more}


def test_vectors_are_kept_in_the_order_asked_and_compare_as_given() -> None:
    said = answer([3.0, 0.0], [1.0, 1.0], [0.0, -2.0], usage={"prompt_tokens": 7})
    said["data"].reverse()
    reply = vectors_reply(said, REQUEST, "e")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.endpoint) == (7, 0, "e")
    found = vectors_of(reply)
    assert found is not None and len(found) == 3
    assert cosine(found[0], found[0]) == 1.0
    assert cosine(found[0], found[1]) == pytest.approx(math.sqrt(0.5), abs=1e-4)
    assert cosine(found[0], found[2]) == 0.0 and cosine(found[1], found[2]) < 0


def test_uncounted_tokens_count_as_the_bound() -> None:
    assert vectors_reply(answer([1.0], [1.0], [1.0]), REQUEST, "e").prompt_tokens == REQUEST.prompt_bound > 11


@pytest.mark.parametrize(
    "bad",
    [
        *(None, [], {}, {"data": []}, {"data": [1, 2, 3]}, answer([1.0], [1.0])),
        *(answer([1.0], [1.0], []), answer([1.0], [1.0], [0.0]), answer([1.0], [1.0], [float("nan")])),
        *(answer([1.0], [1.0], [1.0, 2.0]), answer([1.0], [1.0], ["x"]), answer([1.0], [1.0], None)),
    ],
)
def test_what_is_no_vector_is_no_answer(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"vector"):
        vectors_reply(bad, REQUEST, "e")


@pytest.mark.parametrize("text", ["", "[more than 9 bytes]", "{}", '{"vectors": 3}', '{"vectors": [3]}', "[]"])
def test_a_reply_without_vectors_has_none(text: str) -> None:
    assert vectors_of(LlmReply(text, "bad_request", "", "m", 0, 0, 0.0, 1, "e")) is None


def test_a_request_for_vectors_has_a_digest_of_its_own_and_others_keep_theirs() -> None:
    asked = LlmRequest("m", (Message("user", (Text("one"), Text("two"), Text("three"))),), 0)
    assert asked.digest != REQUEST.digest
    chat = LlmRequest("m", (Message("user", (Text("hello"),)),), 9)
    assert chat.digest == "27d42e49a3058cf168287562835503f456b05928ba4913bdad1c8af7b58f1635"
