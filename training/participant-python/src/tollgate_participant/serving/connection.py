"""HTTP connection that reads requests and sends responses, with limits for slow clients."""

from __future__ import annotations

import json
import select
import socket
import time
from email.utils import formatdate
from http import HTTPStatus
from typing import Any, Iterable, Iterator, Mapping, Optional

from ..failures import BadRequest, ParticipantFailure
from ..wire.media import JSON_TYPE
from ..wire.stored_bytes import BytesLike
from .http_request import HttpRequest, MalformedRequest, parse_request

MAX_HEAD_BYTES = 32 * 1024
MAX_LINE_BYTES = 4 * 1024
MAX_TRAILER_BYTES = 16 * 1024
RECEIVE_BYTES = 256 * 1024
HEAD_SECONDS = 20.0
IDLE_SECONDS = 65.0
SILENCE_SECONDS = 30.0
# The minimum speed applies only after this time.
PATIENCE_SECONDS = 60.0
SLOWEST_BYTES_PER_SECOND = 1024
STALL_SECONDS = 60.0
# How long to keep reading the body of a rejected request, so that the client receives the response.
LINGER_SECONDS = 5.0


class CallerGone(Exception):
    """Error for a client that closed the connection or stopped reading the response."""


class Connection:
    """Client connection for use by one thread. Only ``interrupt`` can be called from other threads."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._buffer = b""
        self._body_left: Optional[int] = 0
        self._owes_continue = False
        self._closes = False
        self._is_head = False
        self.has_answered = False
        self.address = _first(sock.getpeername())
        self.local_address = _first(sock.getsockname())

    def read_request(self) -> Optional[HttpRequest]:
        """Return the next request, or None if the client closed the connection."""
        head = self._read_head()
        if head is None:
            return None
        self.has_answered = False
        self._closes = True
        request = parse_request(head)
        self._closes = not request.keeps_alive
        self._is_head = request.method == "HEAD"
        self._body_left = request.content_length
        self._owes_continue = request.awaits_continue
        return request

    def body(self) -> Iterator[bytes]:
        """Yield the body in pieces as it arrives. Raise BadRequest if it stops arriving."""
        if self._owes_continue:
            self._send(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._owes_continue = False
        pace = _Pace()
        pieces = self._chunked_body(pace) if self._body_left is None else self._sized_body(pace)
        try:
            yield from pieces
        except socket.timeout:
            raise BadRequest("the body stopped arriving") from None

    def send(self, status: int, headers: Mapping[str, str], length: int, pieces: Iterable[BytesLike]) -> None:
        """Send a response. Small pieces are sent together with the head, large ones separately."""
        self.has_answered = True
        if self._body_left != 0:
            self._closes = True
        head = self._format_head(status, headers, length)
        for piece in pieces if not self._is_head else ():
            if head and len(piece) < RECEIVE_BYTES:
                head += piece
                continue
            if head:
                self._send(head)
                head = b""
            self._send(piece)
        if head:
            self._send(head)

    def send_json(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        """Send a complete JSON response."""
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        self.send(status, {"Content-Type": JSON_TYPE, **headers}, len(text), [text])

    def send_failure(self, failure: ParticipantFailure) -> None:
        """Send a failure as a JSON error response."""
        self.send_json(failure.status, failure.body(), failure.headers)

    def refuse_malformed(self, failure: ParticipantFailure) -> None:
        """Reject input that isn't valid HTTP, and close the connection."""
        self._closes, self._is_head, self._owes_continue = True, False, False
        self._body_left = None
        self.send_failure(failure)
        self._linger()

    def close_after_answer(self) -> None:
        """Close the connection after the current response."""
        self._closes = True

    def finish_exchange(self) -> bool:
        """Return whether another request can follow.

        Unread bytes are read first. Closing a connection with unread data would reset it, and the client could lose the
        response.
        """
        if self._body_left != 0 and not self._owes_continue:
            self._linger()
        return not self._closes

    def is_caller_gone(self) -> bool:
        """Return whether the client has disconnected, without reading pending data."""
        if hasattr(select, "POLLRDHUP"):
            watch = select.poll()
            watch.register(self._socket, select.POLLRDHUP)
            return bool(watch.poll(0))
        try:
            readable, _, _ = select.select([self._socket], [], [], 0)
            return bool(readable) and socket.socket.recv(self._socket, 1, socket.MSG_PEEK) == b""
        except (OSError, ValueError):
            return True

    def interrupt(self) -> None:
        """Shut down the socket to end any pending read or write."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def _read_head(self) -> Optional[bytes]:
        buffer = bytearray(self._buffer)
        self._buffer = b""
        deadline = time.monotonic() + (HEAD_SECONDS if buffer else IDLE_SECONDS)
        while True:
            # Some old clients send an empty line after a body.
            while buffer.startswith(b"\r\n"):
                del buffer[:2]
            end = buffer.find(b"\r\n\r\n", 0, MAX_HEAD_BYTES + 4)
            if end >= 0:
                self._buffer = bytes(buffer[end + 4 :])
                return bytes(buffer[:end])
            if len(buffer) > MAX_HEAD_BYTES:
                raise MalformedRequest
            piece = self._receive(deadline - time.monotonic())
            if not piece:
                if buffer.strip():
                    raise CallerGone
                return None
            if not buffer:
                deadline = min(deadline, time.monotonic() + HEAD_SECONDS)
                # Input that cannot start a request is rejected immediately, because its sender may be waiting.
                if not 0x41 <= piece.lstrip(b"\r\n")[:1].ljust(1, b"A")[0] <= 0x7A:
                    raise MalformedRequest
            buffer += piece

    def _sized_body(self, pace: _Pace) -> Iterator[bytes]:
        while self._body_left:
            piece = self._take(self._body_left, pace)
            self._body_left -= len(piece)
            yield piece

    def _chunked_body(self, pace: _Pace) -> Iterator[bytes]:
        while True:
            size_text = self._read_line(pace).split(b";", 1)[0].strip()
            if not 1 <= len(size_text) <= 15 or size_text.translate(None, b"0123456789abcdefABCDEF"):
                raise self._broken_chunks()
            left = int(size_text, 16)
            if left == 0:
                break
            while left > 0:
                piece = self._take(left, pace)
                left -= len(piece)
                yield piece
            if self._read_line(pace) != b"":
                raise self._broken_chunks()
        trailer_bytes = 0
        while True:
            line = self._read_line(pace)
            if line == b"":
                break
            trailer_bytes += len(line)
            if trailer_bytes > MAX_TRAILER_BYTES:
                raise self._broken_chunks()
        self._body_left = 0

    def _broken_chunks(self) -> MalformedRequest:
        # The start of the next request cannot be found, so the connection must close.
        self._closes = True
        return MalformedRequest()

    def _read_line(self, pace: _Pace) -> bytes:
        while b"\n" not in self._buffer:
            if len(self._buffer) > MAX_LINE_BYTES:
                raise self._broken_chunks()
            self._buffer += self._receive_body(pace)
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line[:-1] if line.endswith(b"\r") else line

    def _take(self, limit: int, pace: _Pace) -> bytes:
        """Return the next bytes of the body, at most ``limit``."""
        if not self._buffer:
            self._buffer = self._receive_body(pace)
        if len(self._buffer) <= limit:
            piece, self._buffer = self._buffer, b""
        else:
            piece, self._buffer = self._buffer[:limit], self._buffer[limit:]
        return piece

    def _receive_body(self, pace: _Pace) -> bytes:
        piece = self._receive(SILENCE_SECONDS)
        if not piece:
            raise CallerGone
        if pace.is_too_slow(len(piece)):
            raise BadRequest("the body stopped arriving")
        return piece

    def _receive(self, seconds: float) -> bytes:
        if seconds <= 0:
            raise socket.timeout
        self._socket.settimeout(seconds)
        try:
            return self._socket.recv(RECEIVE_BYTES)
        except socket.timeout:
            raise
        except OSError as error:
            raise CallerGone from error

    def _send(self, data: BytesLike) -> None:
        self._socket.settimeout(STALL_SECONDS)
        try:
            self._socket.sendall(data)
        except OSError as error:
            self._closes = True
            raise CallerGone from error

    def _format_head(self, status: int, headers: Mapping[str, str], length: int) -> bytes:
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"Date: {formatdate(usegmt=True)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if status != HTTPStatus.NO_CONTENT:
            lines.append(f"Content-Length: {length}")
        lines.append(f"Connection: {'close' if self._closes else 'keep-alive'}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")

    def _linger(self) -> None:
        deadline = time.monotonic() + LINGER_SECONDS
        try:
            self._socket.shutdown(socket.SHUT_WR)
            while self._receive(deadline - time.monotonic()):
                continue
        except (OSError, CallerGone):
            return


class _Pace:
    """Speed check that detects clients that send a body too slowly."""

    def __init__(self) -> None:
        self._started_at = time.monotonic()
        self._received = 0

    def is_too_slow(self, count: int) -> bool:
        self._received += count
        elapsed = time.monotonic() - self._started_at
        return elapsed > PATIENCE_SECONDS and self._received < elapsed * SLOWEST_BYTES_PER_SECOND


def _first(address: Any) -> str:
    return str(address[0]) if isinstance(address, tuple) and address else ""
