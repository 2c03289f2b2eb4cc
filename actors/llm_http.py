"""One OpenAI-compatible endpoint over HTTP, through the `openai` package. Its own retries are off: the client has them.

A key is read from the environment of this process, goes into one header, and is cut out of everything that comes back.
"""

from __future__ import annotations

import email.utils
import json
import os
import time
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import httpx2
import openai

from actors.llm_payload import payload
from schemas.errors import SampleError, UserError
from schemas.llm import CallError, Endpoint, LlmReply, LlmRequest
from synth.llm.reply import reply_of

# Only these leave: the package would also send what OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS hold,
# and a description of this machine, to whatever endpoint it talks to.
_SENT_HEADERS = {"host", "authorization", "content-type", "content-length", "accept", "connection", "transfer-encoding"}
_PATH, _EMBED_PATH = "/chat/completions", "/embeddings"
_SECRET = 12  # shorter keys, like vLLM's EMPTY, are no secret but may be words of an answer
_KEPT = 500  # characters of an endpoint's complaint


class HttpTransport:
    """Sends attempts to one endpoint. UserError at once if its key is not in the environment."""

    def __init__(self, endpoint: Endpoint, max_answer_bytes: int) -> None:
        self.name, self._endpoint = endpoint.name, endpoint
        self._key = key_of(endpoint)
        self._limit = max_answer_bytes
        self._http = httpx2.AsyncClient(transport=_Wire(max_answer_bytes), follow_redirects=False)
        self._client = openai.AsyncOpenAI(
            api_key=self._key or "none", base_url=endpoint.base_url, max_retries=0, http_client=self._http
        )

    async def send(self, request: LlmRequest, timeout_s: float) -> LlmReply:
        try:
            body = json.dumps(await payload(request, self._endpoint), ensure_ascii=False).encode()
        except SampleError as error:
            raise CallError("bad_request", str(error), self.name) from None
        timeout = httpx2.Timeout(timeout_s, connect=min(10.0, timeout_s))
        options: Any = {"timeout": timeout, "headers": {"Content-Type": "application/json"}}
        try:
            # Not `chat.completions.create`: it walks the whole request and answer through its types, which at 64 calls
            # in flight costs more than all else.
            path = _EMBED_PATH if request.embed else _PATH
            raw = (await self._client.post(path, cast_to=httpx2.Response, content=body, options=options)).content
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            if _cause(error, _TooLarge) is not None:
                return _too_large(request, self.name, self._limit)
            raise self._call_error(error) from None  # the chain would hold the request, and with it the key
        try:
            answer = json.loads(raw)
        except (ValueError, RecursionError):
            raise CallError("garbled", f"the answer is no JSON ({len(raw)} bytes)", self.name) from None
        try:
            return reply_of(answer, request, self.name, self._clean)
        except ValueError as error:
            raise CallError("garbled", self._clean(str(error)), self.name) from None

    async def close(self) -> None:
        await self._client.close()

    def _clean(self, text: str) -> str:
        return text.replace(self._key, "[key]") if len(self._key) >= _SECRET else text

    def _call_error(self, error: Exception) -> CallError:
        """An exception of the package as ours, without the key and without its request."""
        name = self.name
        if isinstance(error, openai.APIStatusError):
            said = self._clean(_message(error))[:_KEPT]
            code, wait = error.status_code, _retry_after(error.response.headers)
            detail = f"HTTP {code}: {said}" if said else f"HTTP {code}"
            if code == 429:
                # OpenAI answers the same way when the account is empty, which no waiting mends.
                kind = "auth" if error.code == "insufficient_quota" else "rate_limited"
            elif code in (401, 403):
                kind = "auth"
            elif code == 404:
                kind = "not_found"
            elif code in (408, 409) or code >= 500:
                kind = "server"
            else:
                kind = "bad_request"
            return CallError(kind, detail, name, wait)
        if isinstance(error, openai.APITimeoutError):
            return CallError("timeout", "no answer in time", name)
        if isinstance(error, openai.APIConnectionError):
            refused = _cause(error, httpx2.ConnectError)
            if refused is not None:
                return CallError("connection", f"cannot connect ({refused})", name)
            if _cause(error, _Encoded) is not None:
                return CallError("garbled", "the answer is compressed, which was not asked for", name)
            return CallError("reset", "the connection broke", name)
        if isinstance(error, httpx2.HTTPError):
            return CallError("reset", f"the connection broke ({type(error).__name__})", name)
        return CallError("garbled", f"{type(error).__name__}: {self._clean(str(error))[:_KEPT]}", name)


def key_of(endpoint: Endpoint) -> str:
    """The endpoint's key out of the environment, "" if it has none; UserError if the variable is not set."""
    if endpoint.key_env is None:
        return ""
    key = os.environ.get(endpoint.key_env, "").strip()
    if not key:
        fix = f"export {endpoint.key_env}=..., on every node that calls it"
        raise UserError(f"the environment has no {endpoint.key_env}", f"endpoint {endpoint.name}", fix)
    if not key.isascii() or not key.isprintable() or " " in key:
        fix = "set it to the key alone"
        raise UserError(f"{endpoint.key_env} holds what no HTTP header can", f"endpoint {endpoint.name}", fix)
    return key


class _TooLarge(httpx2.TransportError):
    """The answer passed the size limit."""


class _Encoded(httpx2.TransportError):
    """The answer is compressed: its real size is unknown before it is unpacked."""


class _Wire(httpx2.AsyncBaseTransport):
    """Sends the headers above only, and reads no more of an answer than the limit.

    On aiohttp: at 64 calls in flight `httpx2`'s own connection pool costs more CPU than all the rest.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = [(k, v) for k, v in request.headers.multi_items() if k.lower() in _SENT_HEADERS]
        times = request.extensions.get("timeout", {})
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=times.get("connect"), sock_read=times.get("read"))
        url = str(request.url)
        options: Any = {"data": await request.aread(), "headers": headers, "timeout": timeout, "proxy": _proxy(url)}
        try:
            async with self._opened().request(request.method, url, allow_redirects=False, **options) as answer:
                if answer.headers.get("content-encoding", "identity").lower() != "identity":
                    raise _Encoded("compressed")
                body = bytearray()
                async for chunk in answer.content.iter_any():
                    body += chunk
                    if len(body) > self._limit:
                        raise _TooLarge("too large")
                said = [(k, v) for k, v in answer.headers.items() if k.lower() != "transfer-encoding"]
                return httpx2.Response(answer.status, headers=said, content=bytes(body), request=request)
        except (aiohttp.ConnectionTimeoutError, aiohttp.ClientConnectorError) as error:
            raise httpx2.ConnectError(type(error).__name__, request=request) from None
        except TimeoutError:
            raise httpx2.ReadTimeout("timeout", request=request) from None
        except (aiohttp.ClientError, OSError) as error:
            raise httpx2.ReadError(type(error).__name__, request=request) from None

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            # How many connections there are, the client decides. Idle ones go before the 5 seconds after which
            # vLLM's server would close them, perhaps in the face of a request.
            pool = aiohttp.TCPConnector(limit=0, keepalive_timeout=4, ssl=httpx2.create_ssl_context())
            skip = ("User-Agent", "Accept-Encoding", "Accept")
            self._session = aiohttp.ClientSession(connector=pool, auto_decompress=False, skip_auto_headers=skip)
        return self._session


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for a URL, as HTTPS_PROXY and NO_PROXY have it."""
    parts = urlsplit(url)
    if urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    return urllib.request.getproxies().get(parts.scheme)


def _too_large(request: LlmRequest, name: str, limit: int) -> LlmReply:
    """An answer above the limit is an answer: it was paid for, and asking again would bring it again."""
    text = f"[more than {limit} bytes]"
    return LlmReply(text, "too_large", "", request.model, request.prompt_bound, request.max_tokens, 0.0, 1, name)


def _cause(error: BaseException | None, kind: type[BaseException]) -> BaseException | None:
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error


def _message(error: openai.APIStatusError) -> str:
    """What the endpoint says is wrong, in one line."""
    body: Any = error.body
    if isinstance(body, dict):
        body = body.get("error", body)
        body = body.get("message", body) if isinstance(body, dict) else body
    return " ".join(str(body if body is not None else "").split())


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the endpoint asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        return seconds if 0 < seconds < float("inf") else None
    try:
        when = email.utils.parsedate_to_datetime(headers["retry-after"]).timestamp()
    except (KeyError, ValueError, TypeError):
        return None
    return max(0.0, when - time.time())
