"""Contracts of calls to language models: what is asked, what came back, where, and at what price.

Rooms share these: `synth/llm` builds requests and reads answers, `actors` send them, `engine` keeps and pays for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Literal, Protocol
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from schemas.release import canonical, sha256

TOKENS_A_MESSAGE = 16
"""Room for what chat templates put around one message."""
PIXELS_A_TOKEN = 14 * 14
"""One visual token covers at least this many pixels in the families in use (most merge 2 x 2 such patches)."""


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Image:
    """A picture as it is released, and the most pixels that may be sent of it; scaling is done where it is sent.

    `sha256` names `data`, so that a request has its digest without scaling anything.
    """

    data: bytes = field(repr=False)
    sha256: str
    pixels: int
    max_pixels: int


@dataclass(frozen=True)
class Message:
    role: str  # "system", "user" or "assistant"
    parts: tuple[Text | Image, ...]


@dataclass(frozen=True)
class LlmRequest:
    """One call of a chat model. `digest` names everything that the answer may depend on, and nothing else.

    `schema` asks for an answer that this JSON Schema accepts; `prompt` is the name and version of the prompt file.
    `temperature` None leaves it to the endpoint (some reasoning models refuse the field). `embed` asks for a vector of
    each part of its one message instead of an answer.
    """

    model: str
    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float | None = 0.0
    top_p: float | None = None
    seed: int | None = None
    schema: dict[str, Any] | None = None
    reasoning_effort: str | None = None
    prompt: str = ""
    embed: bool = False

    @property
    def digest(self) -> str:
        """Hex SHA-256 of the canonical request; pictures count by their own digest and pixel limit."""
        messages = [
            [m.role, [p.text if isinstance(p, Text) else {"image": p.sha256, "pixels": p.max_pixels} for p in m.parts]]
            for m in self.messages
        ]
        asked = {
            **{"model": self.model, "messages": messages, "max_tokens": self.max_tokens},
            **{"temperature": self.temperature, "top_p": self.top_p, "seed": self.seed},
            **{"schema": self.schema, "reasoning_effort": self.reasoning_effort},
            **({"embed": True} if self.embed else {}),
        }
        return sha256(canonical(asked))

    @property
    def prompt_bound(self) -> int:
        """Tokens that the prompt cannot exceed: a token is at least one byte of text, or 14 x 14 pixels."""
        texts = sum(len(p.text.encode()) for m in self.messages for p in m.parts if isinstance(p, Text))
        schema = len(canonical(self.schema)) if self.schema is not None else 0
        pictures = sum(
            math.ceil(min(p.pixels, p.max_pixels) / PIXELS_A_TOKEN) + TOKENS_A_MESSAGE
            for m in self.messages
            for p in m.parts
            if isinstance(p, Image)
        )
        return texts + schema + pictures + TOKENS_A_MESSAGE * (len(self.messages) + 1)

    @property
    def images(self) -> int:
        return sum(isinstance(p, Image) for m in self.messages for p in m.parts)


@dataclass(frozen=True)
class LlmReply:
    """What a model said. `finish_reason` is the endpoint's own word, or "too_large" for one cut at the size limit."""

    text: str
    finish_reason: str
    refusal: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    latency_s: float
    attempts: int
    endpoint: str
    lost_tokens: int = 0
    """Reserved for attempts before this one that came to nothing and may have been paid for."""

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


class CallError(Exception):
    """A call that ended without an answer. `kind` is one of KINDS; `detail` is for people and holds no secret.

    `retry_after` is what the endpoint asked for, in seconds. `spent` says that the attempt may have used tokens;
    `lost_tokens` is what all attempts of the call together may have used for nothing.
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        endpoint: str = "",
        retry_after: float | None = None,
        attempts: int = 1,
        lost_tokens: int = 0,
    ) -> None:
        super().__init__(kind, detail, endpoint, retry_after, attempts, lost_tokens)
        self.kind, self.detail, self.endpoint = kind, detail, endpoint
        self.retry_after, self.attempts, self.lost_tokens = retry_after, attempts, lost_tokens

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}" + (f" (endpoint {self.endpoint})" if self.endpoint else "")

    @property
    def may_retry(self) -> bool:
        return self.kind in RETRIED

    @property
    def spent(self) -> bool:
        return self.kind in SPENT


RETRIED = frozenset({"rate_limited", "server", "connection", "reset", "timeout", "garbled", "busy"})
SPENT = frozenset({"reset", "timeout", "garbled"})
"""After these the endpoint may have done the work, so what was reserved counts as spent."""
KINDS = RETRIED | {"auth", "not_found", "bad_request", "budget"}


@dataclass(frozen=True)
class CallKey:
    """Whose call it is. With the request's digest this is the key of the ledger."""

    dataset: str
    split: str
    index: int
    attempt: int
    stage: str

    def with_digest(self, digest: str) -> str:
        return f"{self.dataset}/{self.split}/{self.index}/{self.attempt}/{self.stage}/{digest}"


@dataclass(frozen=True)
class Ticket:
    """Tokens and money set aside for one attempt."""

    number: int
    tokens: int
    cost: Decimal


class Gate(Protocol):
    """The budget as a client sees it. `reserve` waits while others hold what is left, and raises CallError("budget")
    when the attempt cannot be paid for; every ticket is settled once, with what was really used."""

    async def reserve(self, tokens: int, cost: Decimal) -> Ticket: ...

    async def settle(self, ticket: Ticket, tokens: int, cost: Decimal) -> None: ...


class _Strict(BaseModel):
    # Inputs are not shown in errors: a key that was pasted into the wrong place must not come back in a message.
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True)


class Price(_Strict):
    """Money for a million tokens of prompt and of answer."""

    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)

    def cost(self, prompt_tokens: int, completion_tokens: int) -> Decimal:
        return (self.input * prompt_tokens + self.output * completion_tokens) / 1_000_000


class Endpoint(_Strict):
    """An OpenAI-compatible endpoint. The key is named by its environment variable and never held here."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,40}$")
    base_url: str
    key_env: str | None = None
    weight: float = Field(default=1, gt=0, le=1000)
    in_flight: int = Field(default=64, ge=1, le=100_000)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    model: str | None = None
    """Name of the model here, where it differs from the one asked for."""
    serves: tuple[str, ...] = ()
    """Models that are asked for here; none named: any."""
    length_field: Annotated[str | None, Field(pattern=r"^(max_tokens|max_completion_tokens)$")] = None
    """How the endpoint calls the limit on the answer; None: `max_completion_tokens` at OpenAI, else `max_tokens`."""

    @field_validator("base_url")
    @classmethod
    def _plain_url(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("give a URL like https://host/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("leave user, password and query out of the URL; a key comes from the environment")
        return value.rstrip("/")

    @field_validator("key_env")
    @classmethod
    def _a_name(cls, value: str | None) -> str | None:
        if value is not None and not (value.isascii() and value.isupper() and value.replace("_", "").isalnum()):
            raise ValueError("give the NAME of an environment variable, like OPENAI_API_KEY, never the key itself")
        return value


class CallPolicy(_Strict):
    """How calls are made: bounds on time, size, tries and concurrency. None of it decides an answer."""

    in_flight: int = Field(default=64, ge=1, le=100_000)
    """Calls under way over all endpoints of one client."""
    deadline_s: float = Field(default=300, gt=0, le=86_400)
    """All attempts of one call together, waiting included, once it has a place."""
    attempt_s: float = Field(default=120, gt=0, le=86_400)
    attempts: int = Field(default=6, ge=1, le=100)
    backoff_s: float = Field(default=0.5, gt=0, le=60)
    backoff_max_s: float = Field(default=30, gt=0, le=3600)
    max_answer_bytes: int = Field(default=2_000_000, ge=1000)


class LocalEngine(_Strict):
    """A model that Ray holds in actors of its own: llama.cpp on a CPU node, vLLM on a GPU node. Joins the endpoints."""

    kind: Literal["llama", "vllm"]
    path: str
    """A GGUF file for llama, which lies there on every node that may hold it; a folder or a name for vLLM."""
    count: int = Field(default=1, ge=1, le=1000)
    num_cpus: float = Field(default=1, ge=0, le=4096)
    num_gpus: float = Field(default=0, ge=0, le=64)
    resources: dict[str, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    in_flight: int = Field(default=2, ge=1, le=4096)
    """Calls that one actor takes at once."""
    context: int = Field(default=4096, ge=256)
    """Tokens of prompt and answer that one call may have."""
    pooling: Literal["model", "mean", "cls", "last"] | None = None
    """Named: it serves vectors (`questions.llm.embedder`) and no answers. `model`: pooled as the model's file says."""
    weight: float = Field(default=1, gt=0, le=1000)
    serves: tuple[str, ...] = ()
    """Models that it answers for; none named: any."""
    ready_s: float = Field(default=600, gt=0, le=86_400)
    arguments: tuple[str, ...] = ()
    """More words of vLLM's command line."""

    @model_validator(mode="after")
    def _poolable(self) -> LocalEngine:
        if self.kind == "vllm" and self.pooling not in (None, "model"):
            raise ValueError("pooling: vLLM takes it in arguments (--pooler-config); here say `model`")
        return self


class Budget(_Strict):
    """Most tokens and money, over all runs on one output."""

    tokens: int | None = Field(default=None, ge=1)
    cost: Decimal | None = Field(default=None, gt=0)


class LlmSettings(_Strict):
    """`execution.llm` of a recipe, and the file that `--endpoints` names."""

    endpoints: tuple[Endpoint, ...] = ()
    engines: tuple[LocalEngine, ...] = ()
    policy: CallPolicy = CallPolicy()
    prices: dict[str, Price] = Field(default_factory=dict)
    budget: Budget = Budget()
    clients: int = Field(default=1, ge=1, le=1000)
    """Client actors; limits of endpoints and of calls in flight are divided among them."""

    @model_validator(mode="after")
    def _somewhere(self) -> LlmSettings:
        if not self.endpoints and not self.engines:
            raise ValueError("name an endpoint or an engine")
        names = [one.name for one in self.endpoints]
        if len(set(names)) != len(names):
            raise ValueError("two endpoints have the same name")
        if any(e.pooling for e in self.engines) and not all(one.serves for one in (*self.endpoints, *self.engines)):
            raise ValueError("beside an engine with pooling every endpoint and engine has to say what it `serves`")
        return self

    def lacks(self, models: Iterable[str]) -> str | None:
        """The first of these models that nothing here serves, None if all are served."""
        serving = [one.serves for one in (*self.endpoints, *self.engines)]
        return next((m for m in models if not any(not s or m in s for s in serving)), None)

    @property
    def in_flight(self) -> int:
        """Calls under way at once, over all clients."""
        room = sum(e.in_flight for e in self.endpoints) + sum(e.count * e.in_flight for e in self.engines)
        return min(self.policy.in_flight, room)
