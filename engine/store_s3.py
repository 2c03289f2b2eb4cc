"""A store in S3 or anything that speaks its protocol and honours `If-None-Match: *`."""

from __future__ import annotations

import hashlib
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import urlsplit

import boto3.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, NoCredentialsError, PartialCredentialsError
from botocore.exceptions import ConnectionError as NoConnectionError

from engine.store import check_key, probe_condition, races_cleanly
from schemas.errors import UserError

MULTIPART_ABOVE = 64 * 2**20
PART = 32 * 2**20
CHUNK = 2**20
PAGE = 1000
TRIES = 4
_BUILD = threading.Lock()  # boto3 sessions are not safe to build in two threads at once
_CREDENTIALS = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or AWS_PROFILE) for this store"
_KEYS = {"InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidSecurity", "InvalidToken", "ExpiredToken", "401"}
_ABSENT = {"NoSuchKey", "404", "NotFound"}
_TRANSIENT = {
    "ConditionalRequestConflict",
    "OperationAborted",
    "RequestTimeout",
    "SlowDown",
    "NoSuchUpload",
    "BadDigest",
}
T = TypeVar("T")


class S3Store:
    """Objects `s3://bucket/prefix/key`. Endpoint, region and credentials come from the usual AWS environment.

    The client is built on first use in each process, so that a pickled store carries neither secrets nor sockets.
    """

    def __init__(self, bucket: str, prefix: str = "") -> None:
        self.bucket, self.prefix = bucket, prefix
        self.url = f"s3://{bucket}/{prefix}" if prefix else f"s3://{bucket}"
        self.settle_s = 0.0
        self._made: tuple[int, Any] | None = None

    def __repr__(self) -> str:
        return f"S3Store({self.url!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None}

    def put_new(self, key: str, data: bytes) -> bool:
        if len(data) <= MULTIPART_ABOVE:
            return self._create(key, data, lambda: self._put_object(key, data, IfNoneMatch="*"))
        if self.exists(key):  # do not send gigabytes to be refused at the end
            return False
        return self._create(key, data, lambda: self._upload_parts(key, data, IfNoneMatch="*"))

    def put(self, key: str, data: bytes) -> None:
        send = self._put_object if len(data) <= MULTIPART_ABOVE else self._upload_parts
        self._call(lambda: send(key, data))

    def get(self, key: str) -> bytes:
        pieces: list[bytes] = []
        self._stream(key, pieces.clear, pieces.append)
        return b"".join(pieces)

    def sha256(self, key: str) -> str:
        digest = hashlib.sha256()

        def restart() -> None:
            nonlocal digest
            digest = hashlib.sha256()

        self._stream(key, restart, lambda piece: digest.update(piece))
        return digest.hexdigest()

    def size(self, key: str) -> int:
        return self._call(lambda: self._client.head_object(**self._at(key)), key)["ContentLength"]

    def exists(self, key: str) -> bool:
        try:
            self.size(key)
        except KeyError:
            return False
        return True

    def list(self, prefix: str = "") -> Iterator[str]:
        base = f"{self.prefix}/" if self.prefix else ""
        token: dict[str, str] = {}
        while True:
            page = self._call(
                lambda token=token: self._client.list_objects_v2(
                    Bucket=self.bucket, Prefix=base + prefix, MaxKeys=PAGE, **token
                )
            )
            yield from (entry["Key"][len(base) :] for entry in page.get("Contents", ()))
            if not page.get("IsTruncated"):
                return
            token = {"ContinuationToken": page["NextContinuationToken"]}

    def delete(self, key: str) -> None:
        try:
            self._call(lambda: self._client.delete_object(**self._at(key)), key)
        except KeyError:
            return

    def probe(self) -> None:
        probe_condition(self)
        self._probe_multipart()
        start = time.monotonic()
        if not races_cleanly(self):
            # Longer than any of the racing writes took, and twice as long again for a busier moment.
            self.settle_s = max(1.0, 2 * (time.monotonic() - start))

    def _probe_multipart(self) -> None:
        """Some stores honour the condition on a plain put and forget it when a multipart upload completes."""
        key = f".pageloom-probe-{uuid.uuid4().hex}"
        self.put_new(key, b"first")
        try:
            if self._create(key, b"second", lambda: self._upload_parts(key, b"second", IfNoneMatch="*")):
                raise UserError(
                    "the store does not honour If-None-Match when a multipart upload completes",
                    self.url,
                    "use a store that does: AWS S3, MinIO, OpenStack Swift, or a folder",
                )
        finally:
            self.delete(key)

    @property
    def _client(self) -> Any:
        with _BUILD:
            if self._made is None or self._made[0] != os.getpid():  # sockets must not be shared after a fork
                self._made = (os.getpid(), _build_client())
            return self._made[1]

    def _at(self, key: str) -> dict[str, str]:
        check_key(key)
        return {"Bucket": self.bucket, "Key": f"{self.prefix}/{key}" if self.prefix else key}

    def _put_object(self, key: str, data: bytes, **condition: str) -> None:
        self._client.put_object(**self._at(key), Body=data, ChecksumAlgorithm="CRC32", **condition)

    def _upload_parts(self, key: str, data: bytes, **condition: str) -> None:
        at, client = self._at(key), self._client
        upload = client.create_multipart_upload(**at, ChecksumAlgorithm="CRC32")["UploadId"]
        try:
            parts = []
            for number, start in enumerate(range(0, len(data), PART), start=1):
                body = data[start : start + PART]
                sent = client.upload_part(
                    **at, UploadId=upload, PartNumber=number, Body=body, ChecksumAlgorithm="CRC32"
                )
                parts.append({"PartNumber": number, **{k: sent[k] for k in ("ETag", "ChecksumCRC32") if k in sent}})
            client.complete_multipart_upload(**at, UploadId=upload, MultipartUpload={"Parts": parts}, **condition)
        except (ClientError, BotoCoreError):
            # The first error says more; what stays behind is invisible and falls to the bucket's life-cycle rule.
            with suppress(ClientError, BotoCoreError):
                client.abort_multipart_upload(**at, UploadId=upload)
            raise

    def _create(self, key: str, data: bytes, send: Callable[[], None]) -> bool:
        """Send until the outcome is known. A lost answer means unknown: then what is stored decides."""
        last: Exception | None = None
        for attempt in range(TRIES):
            if attempt:
                time.sleep(0.2 * 2**attempt)
            try:
                send()
                return True
            except ClientError as error:
                code, status, retried = _facts(error)
                if status == 412 and not retried and attempt == 0:
                    return False
                if status != 412 and status < 500 and code not in _TRANSIENT:
                    raise self._user_error(error) from None
                if code == "NotImplemented":
                    raise self._user_error(error) from None
                last = error
            except (HTTPClientError, NoConnectionError) as error:
                last = error
            except BotoCoreError as error:
                raise self._user_error(error) from None
            try:
                return self.sha256(key) == hashlib.sha256(data).hexdigest()
            except KeyError:
                continue
        assert last is not None
        raise self._user_error(last) from None

    def _stream(self, key: str, restart: Callable[[], object], take: Callable[[bytes], object]) -> None:
        for attempt in range(TRIES):
            restart()
            body = self._call(lambda: self._client.get_object(**self._at(key)), key)["Body"]
            try:
                for piece in body.iter_chunks(CHUNK):
                    take(piece)
                return
            except BotoCoreError as error:  # cut off in the middle; botocore tries only the head again
                if attempt == TRIES - 1:
                    raise self._user_error(error) from None
                time.sleep(0.2 * 2**attempt)

    def _call(self, send: Callable[[], T], key: str = "") -> T:
        try:
            return send()
        except ClientError as error:
            if key and _facts(error)[0] in _ABSENT:
                raise KeyError(key) from None
            raise self._user_error(error) from None
        except BotoCoreError as error:
            raise self._user_error(error) from None

    def _user_error(self, error: Exception) -> UserError:
        """One line for what went wrong. Messages of the store are not shown: they may quote the request."""
        if isinstance(error, NoCredentialsError | PartialCredentialsError):
            return UserError("no S3 credentials found", self.url, _CREDENTIALS)
        if isinstance(error, ClientError):
            code, status, _ = _facts(error)
            if code == "NoSuchBucket":
                return UserError(f"there is no bucket {self.bucket}", self.url, "create it or name another")
            if code in _KEYS:
                return UserError(f"the store refuses the credentials ({code})", self.url, _CREDENTIALS)
            if status == 403:
                fix = "allow s3:ListBucket and s3:Get/Put/DeleteObject on this prefix, or use other keys"
                return UserError(f"access denied ({code})", self.url, fix)
            if status == 301:
                return UserError("the bucket is in another region", self.url, "set AWS_REGION to the bucket's region")
            if code == "NotImplemented":
                fix = "use a store that does: AWS S3, MinIO, OpenStack Swift, or a folder"
                return UserError("the store does not know conditional writes (If-None-Match)", self.url, fix)
            return UserError(f"the store answers {status} {code}", self.url, "see the store's log, then run again")
        if isinstance(error, HTTPClientError | NoConnectionError):
            what = f"cannot reach the store at {_endpoint() or 'AWS'} ({type(error).__name__})"
            return UserError(what, self.url, "check AWS_ENDPOINT_URL and the network, then run again")
        return UserError(f"the store cannot be used ({type(error).__name__})", self.url, "check the AWS settings")


def _facts(error: ClientError) -> tuple[str, int, int]:
    """Error code, HTTP status, and how often botocore had already tried again."""
    meta: dict[str, Any] = dict(error.response.get("ResponseMetadata", {}))
    code = str(error.response.get("Error", {}).get("Code", ""))
    return code, int(meta.get("HTTPStatusCode", 0)), int(meta.get("RetryAttempts", 0))


def _endpoint() -> str:
    """Host and port of a custom endpoint, without any credentials in it; empty for AWS itself."""
    url = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}" if host else url.rpartition("@")[2]


def _build_client() -> Any:
    session = boto3.session.Session()
    settings = Config(
        retries={"mode": "standard", "total_max_attempts": TRIES},
        connect_timeout=10,
        read_timeout=60,
        max_pool_connections=32,
        tcp_keepalive=True,
        # Own servers rarely have a DNS name per bucket.
        s3={"addressing_style": "path"} if _endpoint() else {},
    )
    try:
        return session.client("s3", config=settings)
    except ValueError:  # of botocore: not a URL, or not a region
        what = f"not an S3 endpoint or region: {_endpoint() or os.environ.get('AWS_REGION', '')!r}"
        raise UserError(what, "AWS_ENDPOINT_URL", "use http://host:port or https://host") from None
