"""Decoding of request bodies and encoding of response bodies, as JSON or frames."""

from __future__ import annotations

import binascii
import hashlib
import json
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional

from ..failures import BadRequest, ParticipantFailure
from .frames import describe_frame, frames_prefix, read_frames
from .json_scanner import JsonScanner
from .media import FRAMES_TYPE, JSON_TYPE
from .spool import Spool, SpoolRoom
from .stored_bytes import BytesLike, StoredBytes


@dataclass
class DecodedBody:
    """Request body with JSON fields as values and parameters as stored bytes."""

    fields: dict[str, Any]
    parameters: Optional[StoredBytes]
    parameters_list: Optional[list[StoredBytes]]
    sha256: str
    length: int


@dataclass(frozen=True)
class DecodeOptions:
    """Format and limits for decoding one body."""

    is_frames: bool
    max_bytes: int
    max_entries: int
    memory_bytes: int
    folder: Optional[str]


@dataclass
class EncodedBody:
    """Response body whose pieces are created while it is sent."""

    content_type: str
    length: int
    chunks: Iterator[BytesLike]


def decode_body(pieces: Iterable[bytes], options: DecodeOptions) -> DecodedBody:
    """Decode a body as it arrives. Raise ParticipantFailure at the first invalid byte."""
    room = SpoolRoom(options.memory_bytes, options.folder)

    def new_spool() -> Spool:
        return Spool(room)

    counted = _Counted(pieces, options)
    if options.is_frames:
        body = read_frames(counted, new_spool, options.max_bytes, options.max_entries)
        fields, parameters, parameters_list = body.fields, body.parameters, body.parameters_list
    else:
        fields, parameters, parameters_list = _decode_json(counted, new_spool, options.max_entries)
    fields.pop("parameters", None)
    fields.pop("parameters_list", None)
    if parameters is not None and parameters.length == 0:
        parameters = None
    return DecodedBody(fields, parameters, parameters_list, counted.sha256, counted.length)


def encode_body(fields: Mapping[str, Any], parameters: Optional[StoredBytes], as_frames: bool) -> EncodedBody:
    """Encode a response body. Its length is known before the first piece is created."""
    if as_frames:
        return _encode_frames(fields, parameters)
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    if parameters is None:
        return EncodedBody(JSON_TYPE, len(text), iter([text]))
    tail = b'"' + (b"," + text[1:] if fields else b"}")
    head = b'{"parameters":"'
    length = len(head) + (parameters.length + 2) // 3 * 4 + len(tail)
    return EncodedBody(JSON_TYPE, length, _base64_between(head, parameters, tail))


def _decode_json(
    pieces: Iterable[bytes], new_spool: Callable[[], Spool], max_entries: int
) -> tuple[dict[str, Any], Optional[StoredBytes], Optional[list[StoredBytes]]]:
    scanner = JsonScanner(new_spool, max_entries)
    for piece in pieces:
        scanner.feed(piece)
    fields = scanner.finish()
    if fields.get("parameters") is not None and scanner.parameters is None:
        raise BadRequest("parameters must be a base64 string or null")
    entries = fields.get("parameters_list")
    if entries is None:
        return fields, scanner.parameters, None
    if not isinstance(entries, list):
        raise BadRequest("parameters_list must be an array of base64 strings")
    for index, entry in enumerate(entries):
        if not isinstance(entry, str):
            raise BadRequest(f"parameters_list[{index}] must be a base64 string")
    return fields, scanner.parameters, scanner.parameters_list


def _encode_frames(fields: Mapping[str, Any], parameters: Optional[StoredBytes]) -> EncodedBody:
    header: dict[str, Any] = {**fields, "frames": []}
    if parameters is not None:
        header = {**fields, "parameters": {"$frame": 0}, "frames": [describe_frame(parameters)]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    prefix = frames_prefix(text)

    def chunks() -> Iterator[BytesLike]:
        yield prefix
        if parameters is not None:
            yield from parameters.chunks()

    return EncodedBody(FRAMES_TYPE, len(prefix) + (0 if parameters is None else parameters.length), chunks())


def _base64_between(head: bytes, parameters: StoredBytes, tail: bytes) -> Iterator[BytesLike]:
    yield head
    for piece in parameters.chunks():
        # Each piece except the last is a multiple of three bytes, so the base64 texts can be joined without padding.
        yield binascii.b2a_base64(piece, newline=False)
    yield tail


class _Counted:
    """Iterator that counts and hashes a body and enforces its size limit."""

    def __init__(self, pieces: Iterable[bytes], options: DecodeOptions) -> None:
        self._pieces = pieces
        self._options = options
        self._hash = hashlib.sha256()
        self.length = 0

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self.length += len(piece)
            if self.length > self._options.max_bytes:
                raise too_large(self._options)
            self._hash.update(piece)
            yield piece


def too_large(options: DecodeOptions) -> ParticipantFailure:
    """Return the failure for a body over its limit. For JSON, the message suggests frames."""
    advice = "" if options.is_frames else f"; send large parameters as {FRAMES_TYPE}"
    message = f"the body is larger than {options.max_bytes} bytes{advice}"
    return ParticipantFailure("PAYLOAD_TOO_LARGE", message, {"limitBytes": options.max_bytes})
