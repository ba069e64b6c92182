"""The frames format, a JSON header followed by raw parameter bytes. It avoids the 33% overhead of base64."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, Optional

from ..failures import BadRequest, ParticipantFailure
from .json_scanner import JsonScanner
from .spool import Spool
from .stored_bytes import StoredBytes
from .whole_number import whole_number

MAGIC = b"TGF1"
PREFIX_BYTES = 12
MAX_HEADER_BYTES = 16 * 1024 * 1024
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass
class FramesBody:
    """Header fields and the parameters that they refer to."""

    fields: dict[str, Any]
    parameters: Optional[StoredBytes]
    parameters_list: Optional[list[StoredBytes]]


def read_frames(
    pieces: Iterable[bytes], new_spool: Callable[[], Spool], max_bytes: int, max_entries: int
) -> FramesBody:
    """Read a whole body and verify lengths and checksums. Reject a declared size over the limit before reading it."""
    source = _Source(pieces)
    fields = _read_header(source, max_entries)
    frames = _declared_frames(fields)
    users = _users_of_frames(fields, len(frames))
    total = PREFIX_BYTES + source.header_bytes + sum(length for length, _ in frames)
    if total > max_bytes:
        message = f"the body is larger than {max_bytes} bytes"
        raise ParticipantFailure("PAYLOAD_TOO_LARGE", message, {"limitBytes": max_bytes})
    stored = [_read_frame(source, index, frame, new_spool) for index, frame in enumerate(frames)]
    if source.take(1):
        raise BadRequest("the body continues after the last frame")
    by_user = {user: stored[index] for index, user in enumerate(users)}
    entries = fields.get("parameters_list")
    return FramesBody(
        fields,
        by_user.get("parameters"),
        None if entries is None else [by_user[f"parameters_list[{index}]"] for index in range(len(entries))],
    )


def _read_header(source: _Source, max_entries: int) -> dict[str, Any]:
    prefix = source.take(PREFIX_BYTES)
    if prefix[:4] != MAGIC[: len(prefix)]:
        raise BadRequest("the body does not start with TGF1")
    if len(prefix) < PREFIX_BYTES:
        raise BadRequest("the body ends inside the frames header")
    length = int.from_bytes(prefix[4:], "little")
    if length > MAX_HEADER_BYTES:
        raise BadRequest("the frames header is longer than 16 MiB")
    source.header_bytes = length
    text = source.take(length)
    if len(text) < length:
        raise BadRequest("the body ends inside the frames header")
    scanner = JsonScanner(_no_spool, max_entries, decodes=False)
    try:
        scanner.feed(text)
        return scanner.finish()
    except BadRequest as error:
        if error.message.startswith("the body is not valid") or error.message.startswith("the body must be"):
            raise BadRequest("the frames header is not a JSON object") from error
        raise


def _declared_frames(fields: dict[str, Any]) -> list[tuple[int, str]]:
    declared = fields.pop("frames", None)
    problem = BadRequest("the frames header must list each frame's length and sha256")
    if not isinstance(declared, list):
        raise problem
    frames: list[tuple[int, str]] = []
    for entry in declared:
        length = whole_number(entry.get("length")) if isinstance(entry, dict) else None
        sha256 = entry.get("sha256") if isinstance(entry, dict) else None
        if length is None or length < 0:
            raise problem
        if not isinstance(sha256, str) or _SHA256.fullmatch(sha256) is None:
            raise problem
        frames.append((length, sha256))
    return frames


def _users_of_frames(fields: dict[str, Any], count: int) -> list[str]:
    """Return the name of the field that uses each frame. Every frame must be used exactly once."""
    users: dict[int, str] = {}
    parameters = fields.get("parameters")
    if parameters is not None and parameters != "":
        _use(users, parameters, count, "parameters", 'parameters must be {"$frame": <index>} or null')
    entries = fields.get("parameters_list")
    if entries is not None:
        if not isinstance(entries, list):
            raise BadRequest("parameters_list must be an array of base64 strings")
        for index, entry in enumerate(entries):
            name = f"parameters_list[{index}]"
            _use(users, entry, count, name, name + ' must be {"$frame": <index>}')
    for index in range(count):
        if index not in users:
            raise BadRequest(f"frame {index} is not used")
    return [users[index] for index in range(count)]


def _use(users: dict[int, str], value: Any, count: int, name: str, problem: str) -> None:
    if not isinstance(value, dict) or list(value) != ["$frame"]:
        raise BadRequest(problem)
    given = value["$frame"]
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise BadRequest(problem)
    index = whole_number(given)
    if index is None or not 0 <= index < count:
        # JSON has no infinity, so a number that overflowed is shown as null.
        is_infinite = isinstance(given, float) and math.isinf(given)
        raise BadRequest(f"unknown frame {'null' if is_infinite else given}")
    if index in users:
        raise BadRequest(f"frame {index} is used twice")
    users[index] = name


def _read_frame(source: _Source, index: int, frame: tuple[int, str], new_spool: Callable[[], Spool]) -> StoredBytes:
    length, sha256 = frame
    spool = new_spool()
    for piece in source.up_to(length):
        spool.write(piece)
    if spool.length < length:
        raise BadRequest(f"the body ends inside frame {index}")
    stored = spool.finish()
    if stored.sha256 != sha256:
        raise BadRequest(f"frame {index} does not match the sha256 in its header")
    return stored


def frames_prefix(header: bytes) -> bytes:
    """Return the bytes before the first frame."""
    return MAGIC + len(header).to_bytes(8, "little") + header


def describe_frame(stored: StoredBytes) -> dict[str, Any]:
    """Return a frame's entry for the header."""
    return {"length": stored.length, "sha256": stored.sha256}


def _no_spool() -> Spool:
    raise RuntimeError("a frames header holds no base64")


class _Source:
    """Reader that returns a requested number of bytes from pieces of any length."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces: Iterator[bytes] = iter(pieces)
        self._left = memoryview(b"")
        self.header_bytes = 0

    def up_to(self, length: int) -> Iterator[memoryview]:
        """Yield pieces with a total of ``length`` bytes, or fewer if the body ends."""
        while length > 0:
            if len(self._left) == 0:
                piece = next(self._pieces, None)
                if piece is None:
                    return
                self._left = memoryview(piece)
                continue
            taken = self._left[:length]
            self._left = self._left[len(taken) :]
            length -= len(taken)
            yield taken

    def take(self, length: int) -> bytes:
        return b"".join(self.up_to(length))
