"""Parsing of request headers. Invalid values and unsupported media types are rejected."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Mapping, Optional

from ..failures import BadRequest, ParticipantFailure
from ..wire.media import FRAMES_TYPE, JSON_TYPE

LONGEST_WAIT_SECONDS = 30
_TEXT = re.compile(r"[\x20-\x7e\x80-\xff]{1,255}")


@dataclass(frozen=True)
class CallHeaders:
    """Validated headers of a function call."""

    key: Optional[str]
    run_id: Optional[str]
    round: Optional[int]
    timeout_seconds: Optional[float]
    is_async: bool
    # How long to wait for the result before sending an asynchronous response.
    wait_seconds: int
    is_frames: bool
    answers_frames: bool
    is_gzip: bool


def read_call_headers(headers: Mapping[str, str]) -> CallHeaders:
    """Read all headers of a function call. Raise VALIDATION_ERROR or UNSUPPORTED_MEDIA_TYPE."""
    is_async, wait_seconds = read_prefer(headers)
    return CallHeaders(
        key=_read_text("Idempotency-Key", headers),
        run_id=_read_text("X-Run-Id", headers),
        round=_read_round(headers.get("x-round")),
        timeout_seconds=_read_timeout(headers.get("x-timeout-seconds")),
        is_async=is_async,
        wait_seconds=wait_seconds,
        is_frames=_is_frames(headers.get("content-type", "")),
        answers_frames=wants_frames(headers),
        is_gzip=_is_gzip(headers.get("content-encoding", "identity")),
    )


def read_prefer(headers: Mapping[str, str]) -> tuple[bool, int]:
    """Parse ``Prefer: respond-async, wait=20`` (RFC 7240). Unknown preferences are ignored, as the RFC requires."""
    preferences = [re.sub(r"\s*=\s*", "=", part.strip()) for part in headers.get("prefer", "").lower().split(",")]
    waits = re.findall(r'(?:^|,)wait="?([0-9]{1,9})"?(?=,|$)', ",".join(preferences))
    return "respond-async" in preferences, min(int(waits[0]) if waits else 0, LONGEST_WAIT_SECONDS)


def wants_frames(headers: Mapping[str, str]) -> bool:
    """Return whether the client accepts frames."""
    return FRAMES_TYPE in headers.get("accept", "").lower()


def _read_text(name: str, headers: Mapping[str, str]) -> Optional[str]:
    value = headers.get(name.lower())
    if value is not None and _TEXT.fullmatch(value) is None:
        raise BadRequest(f"{name} must have 1 to 255 characters")
    return value


def _read_round(value: Optional[str]) -> Optional[int]:
    if value is None:
        return None
    if re.fullmatch(r"[0-9]{1,15}", value) is None:
        raise BadRequest("X-Round must be a non-negative integer")
    return int(value)


def _read_timeout(value: Optional[str]) -> Optional[float]:
    if value is None:
        return None
    if re.fullmatch(r"[0-9]{1,15}(?:\.[0-9]{1,9})?", value) is None or float(value) <= 0:
        raise BadRequest("X-Timeout-Seconds must be a number above 0")
    return float(value)


def _is_frames(value: str) -> bool:
    """Return whether the body is in frames. Any other non-binary type is read as JSON, even if it's missing."""
    media = value.split(";", 1)[0].strip().lower()
    if media == FRAMES_TYPE:
        return True
    if media != "application/octet-stream" and not media.startswith("application/vnd.tollgate."):
        return False
    message = f'content type "{media}" is not supported; use {JSON_TYPE} or {FRAMES_TYPE}'
    raise ParticipantFailure("UNSUPPORTED_MEDIA_TYPE", message)


def _is_gzip(value: str) -> bool:
    encoding = value.strip().lower()
    if encoding in ("gzip", "x-gzip"):
        return True
    if encoding in ("identity", ""):
        return False
    message = f'content encoding "{encoding[:40]}" is not supported; use gzip or identity'
    raise ParticipantFailure("UNSUPPORTED_MEDIA_TYPE", message)
