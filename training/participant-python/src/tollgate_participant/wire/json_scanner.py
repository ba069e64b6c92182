"""Streaming JSON scanner that decodes parameters as they arrive, so that large strings are never held in memory."""

from __future__ import annotations

import re
from typing import Callable, Optional

from ..failures import BadRequest, ParticipantFailure
from .base64_decoder import Base64Decoder, InvalidBase64
from .json_text import parse_json_object
from .spool import Spool
from .stored_bytes import StoredBytes

MAX_DEPTH = 64
MAX_FIELDS = 1000
# The minimum memory cost of parsed values. A body of "[],[],[]" takes 20 times its size once parsed.
CONTAINER_COST = 128
SCALAR_COST = 24
MAX_PARSED_BYTES = 2 * 1024 * 1024 * 1024
QUOTE, COLON = b'"'[0], b":"[0]
OPENING, CLOSING = b"{[", b"}]"

# Inside a nested value, only the depth matters. One match covers consecutive complete strings, objects, and arrays
# without nested containers, so that a large dataset takes few steps per piece. A single quote mark starts a string that
# continues in the next piece.
_STRING_REST = rb'[^"\\]*(?:\\.[^"\\]*)*'
_STRING = rb'"' + _STRING_REST + rb'"'
_PLAIN = rb'[^"{}\[\]]*'
_FLAT = rb"[{\[]" + _PLAIN + rb"(?:" + _STRING + _PLAIN + rb")*[}\]]"
_TOKEN = re.compile(rb'["{}\[\],:]')
_NESTED_TOKEN = re.compile(rb"(?:(?:" + _STRING + rb"|" + _FLAT + rb")" + _PLAIN + rb')+|["{}\[\]]', re.DOTALL)
_DEEPEST_TOKEN = re.compile(rb"(?:" + _STRING + _PLAIN + rb')+|["{}\[\]]', re.DOTALL)
_REST_OF_STRING = re.compile(_STRING_REST, re.DOTALL)


class JsonScanner:
    """Scanner that decodes the strings in ``parameters`` and ``parameters_list`` and keeps the rest of the text.

    The standard parser parses the kept text, which has an empty string in place of each decoded string. The kept text
    is valid JSON exactly if the body is, so the scanner has to agree with the parser only on valid bodies.
    """

    def __init__(self, new_spool: Callable[[], Spool], max_entries: int, decodes: bool = True) -> None:
        self.parameters: Optional[StoredBytes] = None
        self.parameters_list: list[StoredBytes] = []
        self._new_spool = new_spool
        self._max_entries = max_entries
        self._decodes = decodes
        self._kept = bytearray()
        self._cuts: list[tuple[int, int]] = []
        self._depth = 0
        self._is_object = False
        self._key: Optional[str] = None
        self._key_start: Optional[int] = None
        self._keys: set[str] = set()
        self._expects_value = False
        self._field_index = 0
        self._in_list = False
        self._list_index = 0
        self._escape_pending = False
        self._blob_name = ""
        self._blob_spool: Optional[Spool] = None
        self._blob_decoder: Optional[Base64Decoder] = None
        self._step: Callable[[bytes, int], int] = self._structure

    def feed(self, piece: bytes) -> None:
        """Scan the next piece of the body. Pieces can be split anywhere."""
        position = 0
        while position < len(piece):
            position = self._step(piece, position)

    def finish(self) -> dict[str, object]:
        """Return the fields of the body, with an empty string for each decoded string."""
        text, self._kept = self._kept, bytearray()
        cost = CONTAINER_COST * (text.count(b"{") + text.count(b"[")) + SCALAR_COST * text.count(b",")
        if cost > MAX_PARSED_BYTES:
            message = "the body holds more values than fit in memory"
            raise ParticipantFailure("PAYLOAD_TOO_LARGE", message, {"limitBytes": MAX_PARSED_BYTES})
        return parse_json_object(text, self._cuts)

    def _structure(self, piece: bytes, start: int) -> int:
        if self._depth > (2 if self._in_list else 1):
            return self._nested(piece, start)
        match = _TOKEN.search(piece, start)
        if match is None:
            self._kept += piece[start:]
            return len(piece)
        end = match.end()
        self._kept += piece[start:end]
        token = piece[end - 1]
        if token == QUOTE:
            self._begin_string()
        elif token in OPENING:
            self._open(token)
        elif token in CLOSING:
            self._close()
        elif token == COLON:
            self._expects_value = True
        elif self._in_list:
            self._begin_entry()
        else:
            self._begin_field()
        return end

    def _nested(self, piece: bytes, start: int) -> int:
        """Scan inside a nested value, where only the depth matters."""
        floor = 2 if self._in_list else 1
        position = start
        while position < len(piece):
            tokens = _NESTED_TOKEN if self._depth < MAX_DEPTH else _DEEPEST_TOKEN
            match = tokens.search(piece, position)
            if match is None:
                position = len(piece)
                break
            position = match.end()
            if position - match.start() > 1:
                continue
            token = piece[match.start()]
            if token in OPENING:
                self._deepen()
            elif token in CLOSING:
                self._depth -= 1
                if self._depth == floor:
                    break
            else:
                self._step = self._string
                break
        self._kept += piece[start:position]
        return position

    def _begin_entry(self) -> None:
        self._list_index += 1
        if self._list_index >= self._max_entries:
            raise BadRequest(f"parameters_list must have 1 to {self._max_entries} entries")

    def _begin_field(self) -> None:
        self._expects_value = False
        self._field_index += 1
        if self._field_index >= MAX_FIELDS:
            raise BadRequest(f"the body has more than {MAX_FIELDS} fields")

    def _begin_string(self) -> None:
        if self._decodes and self._expects_value and self._key == "parameters":
            self._begin_blob("parameters")
        elif self._decodes and self._in_list:
            self._begin_blob(f"parameters_list[{self._list_index}]")
        else:
            if self._is_object and self._depth == 1 and not self._expects_value:
                self._key_start = len(self._kept) - 1
            self._step = self._string

    def _string(self, piece: bytes, start: int) -> int:
        if self._escape_pending:
            self._escape_pending = False
            self._kept += piece[start : start + 1]
            return start + 1
        match = _REST_OF_STRING.match(piece, start)
        end = len(piece) if match is None else match.end()
        # The match stops at the closing quote, or at a backslash whose escaped character is in the next piece.
        stop = piece[end : end + 1]
        self._kept += piece[start:end] + stop
        self._escape_pending = stop == b"\\"
        if stop == b'"':
            self._step = self._structure
            if self._key_start is not None:
                self._take_key(self._key_start)
        return end + len(stop)

    def _take_key(self, start: int) -> None:
        # An escaped name such as "\u0070arameters" is the same field, so names are compared after parsing.
        key = parse_json_object(b'{"key":' + self._kept[start:] + b"}", [])["key"]
        self._key_start = None
        self._key = str(key)
        if self._key in self._keys:
            raise BadRequest(f'the field "{self._key}" appears twice')
        self._keys.add(self._key)

    def _open(self, token: int) -> None:
        self._deepen()
        if self._depth == 1:
            self._is_object = token == OPENING[0]
        elif self._depth == 2 and token == OPENING[1] and self._expects_value and self._key == "parameters_list":
            self._in_list = True
            self._list_index = 0

    def _close(self) -> None:
        self._depth = max(0, self._depth - 1)
        if self._depth == 1:
            self._in_list = False

    def _deepen(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise BadRequest(f"the body is nested deeper than {MAX_DEPTH} levels")

    def _begin_blob(self, name: str) -> None:
        self._blob_name = name
        self._blob_spool = self._new_spool()
        self._blob_decoder = Base64Decoder(self._blob_spool.write)
        self._cuts.append((len(self._kept), 0))
        self._step = self._blob

    def _blob(self, piece: bytes, start: int) -> int:
        quote = piece.find(b'"', start)
        end = len(piece) if quote < 0 else quote
        text = piece if start == 0 and end == len(piece) else piece[start:end]
        at, removed = self._cuts[-1]
        self._cuts[-1] = (at, removed + len(text))
        self._decode(text, is_last=quote >= 0)
        if quote < 0:
            return end
        self._kept += b'"'
        self._end_blob()
        return quote + 1

    def _decode(self, text: bytes, is_last: bool) -> None:
        if self._escape_pending:
            text = b"\\" + text
            self._escape_pending = False
        if b"\\" in text:
            # Some encoders write "/" as "\/". Other escapes aren't accepted in base64.
            if text.endswith(b"\\") and not is_last:
                self._escape_pending = True
                text = text[:-1]
            text = text.replace(b"\\/", b"/")
        if self._blob_decoder is None:
            raise RuntimeError("no parameters were begun")
        try:
            self._blob_decoder.feed(text)
            if is_last:
                self._blob_decoder.finish()
        except InvalidBase64 as error:
            raise BadRequest(f"{self._blob_name} is not valid base64") from error

    def _end_blob(self) -> None:
        spool, self._blob_spool = self._blob_spool, None
        if spool is None:
            raise RuntimeError("no parameters were begun")
        stored: StoredBytes = spool.finish()
        if self._in_list:
            self.parameters_list.append(stored)
        else:
            self.parameters = stored
        self._step = self._structure
