"""Strict parser for HTTP request heads. It rejects input that two parsers could interpret differently."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Mapping, Optional

from ..failures import BadRequest

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TARGET = re.compile(r"[\x21-\x7e]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_VERSIONS = ("HTTP/1.0", "HTTP/1.1")


class MalformedRequest(BadRequest):
    """Failure for input that isn't valid HTTP. The connection closes after the response."""

    def __init__(self) -> None:
        super().__init__("the request is not valid HTTP")


@dataclass(frozen=True)
class HttpRequest:
    """Request head with lowercase header names. Values of a repeated header are joined with commas."""

    method: str
    path: str
    headers: Mapping[str, str]
    keeps_alive: bool
    # None for a chunked body.
    content_length: Optional[int]
    awaits_continue: bool


def parse_request(head: bytes) -> HttpRequest:
    """Parse the request line and headers, without the final empty line. Raise MalformedRequest if they're invalid."""
    request_line, *lines = head.decode("latin-1").split("\r\n")
    parts = request_line.split(" ")
    if len(parts) != 3 or parts[2] not in _VERSIONS:
        raise MalformedRequest
    method, target, version = parts
    if _TOKEN.fullmatch(method) is None or _TARGET.fullmatch(target) is None:
        raise MalformedRequest
    headers = _parse_headers(lines)
    if version == "HTTP/1.1" and "host" not in headers:
        raise MalformedRequest
    connection = [option.strip() for option in headers.get("connection", "").lower().split(",")]
    return HttpRequest(
        method=method,
        path=_read_path(target),
        headers=headers,
        keeps_alive=version == "HTTP/1.1" and "close" not in connection,
        content_length=_read_length(headers),
        awaits_continue=version == "HTTP/1.1" and headers.get("expect", "").lower() == "100-continue",
    )


def _parse_headers(lines: list[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        name, separator, value = line.partition(":")
        if not separator or _TOKEN.fullmatch(name) is None or _CONTROL.search(value) is not None:
            raise MalformedRequest
        name, value = name.lower(), value.strip(" \t")
        # If these headers were repeated, parsers could use different values and disagree about the request.
        if name in headers and name in ("content-length", "transfer-encoding", "host", "authorization"):
            raise MalformedRequest
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _read_length(headers: Mapping[str, str]) -> Optional[int]:
    encoding, length = headers.get("transfer-encoding"), headers.get("content-length")
    if encoding is not None:
        if length is not None or encoding.lower() != "chunked":
            raise MalformedRequest
        return None
    if length is None:
        return 0
    if re.fullmatch(r"[0-9]{1,18}", length) is None:
        raise MalformedRequest
    return int(length)


def _read_path(target: str) -> str:
    path = target.split("?", 1)[0]
    absolute = re.fullmatch(r"https?://[^/]+(/.*)?", path, re.IGNORECASE)
    return path if absolute is None else (absolute.group(1) or "/")
