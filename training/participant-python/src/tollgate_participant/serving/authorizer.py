"""Access control by token. Without tokens, only local clients have access, and web pages of other hosts don't."""

from __future__ import annotations

import hashlib
import hmac
import math
import re
import threading
import time
from typing import Mapping, Optional, Sequence
from urllib.parse import urlsplit

from ..failures import ParticipantFailure
from ..loopback import is_loopback

WINDOW_SECONDS = 60.0
MAX_FAILURES = 10
MAX_ADDRESSES = 10_000
_BEARER = re.compile(r"Bearer +(\S+) *", re.IGNORECASE)


class Authorizer:
    """Token check that limits failed attempts to ten per minute for each IP address."""

    def __init__(self, token_hashes: Sequence[bytes], insecure: bool) -> None:
        self._token_hashes = token_hashes
        self._insecure = insecure
        self._failures: dict[str, tuple[float, int]] = {}
        self._lock = threading.Lock()

    def check(self, headers: Mapping[str, str], address: str, local_address: str) -> None:
        """Raise UNAUTHORIZED or TOO_MANY_ATTEMPTS if the request isn't allowed."""
        if not self._token_hashes:
            self._check_open(headers.get("origin"), local_address)
            return
        if self._has_token(headers.get("authorization", "")):
            return
        wait = self._count_failure(address)
        if wait is None:
            raise _unauthorized()
        message = "too many failed attempts from this IP address"
        raise ParticipantFailure("TOO_MANY_ATTEMPTS", message, headers={"Retry-After": str(math.ceil(wait))})

    def _check_open(self, origin: Optional[str], local_address: str) -> None:
        if self._insecure:
            return
        if not is_loopback(local_address):
            raise _unauthorized()
        if origin is not None and not is_loopback(_host_of(origin)):
            raise _unauthorized()

    def _has_token(self, header: str) -> bool:
        match = _BEARER.fullmatch(header)
        if match is None:
            return False
        digest = hashlib.sha256(match.group(1).encode("latin-1")).digest()
        # Compares every token, so that timing doesn't reveal which token matched or how much of it was correct.
        return sum(hmac.compare_digest(known, digest) for known in self._token_hashes) > 0

    def _count_failure(self, address: str) -> Optional[float]:
        """Count a failure and return the remaining wait in seconds if the IP address has exceeded the limit."""
        now = time.monotonic()
        with self._lock:
            since, count = self._failures.get(address, (now, 0))
            if now - since > WINDOW_SECONDS:
                since, count = now, 0
            if count == 0:
                self._failures.pop(address, None)
            self._failures[address] = (since, count + 1)
            if len(self._failures) > MAX_ADDRESSES:
                del self._failures[next(iter(self._failures))]
        return since + WINDOW_SECONDS - now if count + 1 > MAX_FAILURES else None


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).hostname or ""
    except ValueError:
        return ""


def _unauthorized() -> ParticipantFailure:
    headers = {"WWW-Authenticate": "Bearer"}
    return ParticipantFailure("UNAUTHORIZED", "the token is missing or wrong", headers=headers)
