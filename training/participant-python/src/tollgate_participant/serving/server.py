"""Server that accepts connections and serves each one in its own thread."""

from __future__ import annotations

import errno
import socket
import ssl
import threading
from contextlib import suppress
from typing import Optional

from ..settings import Settings
from .api import ParticipantApi
from .connection import CallerGone, Connection
from .http_request import MalformedRequest

BACKLOG = 128
HANDSHAKE_SECONDS = 20.0
# The interval between checks for a free thread when all threads are in use.
FULL_WAIT_SECONDS = 0.1
# How long to wait for responses in progress after all jobs have ended.
LAST_ANSWERS_SECONDS = 5.0


class Server:
    """HTTP server. It listens after construction and responds after ``start``."""

    def __init__(self, settings: Settings, api: ParticipantApi) -> None:
        self._settings = settings
        self._api = api
        self._listener = _listen(settings.host, settings.port)
        self._changed = threading.Condition()
        self._threads = 0
        # Connections without a request in progress, longest idle first. They are closed when the server is full.
        self._idle: dict[Connection, None] = {}
        self._busy: set[Connection] = set()
        self._is_closing = False
        self.port: int = self._listener.getsockname()[1]

    def start(self) -> None:
        """Start accepting connections in the background."""
        threading.Thread(target=self._accept, name="participant-listener", daemon=True).start()

    def close(self) -> None:
        """Stop listening, wait for responses in progress, and close all connections."""
        with self._changed:
            self._is_closing = True
        with suppress(OSError):
            # Closing the socket alone would leave the listener thread blocked in accept().
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._changed:
            for connection in list(self._idle):
                connection.interrupt()
            self._changed.wait_for(lambda: not self._busy, LAST_ANSWERS_SECONDS)
            for connection in list(self._busy):
                connection.interrupt()
            self._changed.wait_for(lambda: self._threads == 0, LAST_ANSWERS_SECONDS)

    def _accept(self) -> None:
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                if self._is_closing:
                    return
                # The process is probably out of file descriptors. A later attempt may succeed.
                with self._changed:
                    self._changed.wait(FULL_WAIT_SECONDS)
                continue
            if not self._make_room():
                accepted.close()
                return
            serving = threading.Thread(target=self._serve, args=(accepted,), name="participant-connection", daemon=True)
            try:
                serving.start()
            except RuntimeError:
                # No thread could be started, so this connection is closed. A later one may succeed.
                accepted.close()
                self._leave(None)

    def _make_room(self) -> bool:
        """Reserve a thread for a new connection. Return False if the server is closing."""
        with self._changed:
            while self._threads >= self._settings.max_connections and not self._is_closing:
                longest_idle = next(iter(self._idle), None)
                if longest_idle is not None:
                    self._idle.pop(longest_idle)
                    longest_idle.interrupt()
                self._changed.wait(FULL_WAIT_SECONDS)
            self._threads += 0 if self._is_closing else 1
            return not self._is_closing

    def _serve(self, accepted: socket.socket) -> None:
        connection: Optional[Connection] = None
        try:
            secured = self._secure(accepted)
            with secured:
                connection = Connection(secured)
                self._serve_requests(connection)
        except (OSError, CallerGone):
            # Disconnects are normal and aren't logged.
            accepted.close()
        finally:
            self._leave(connection)

    def _leave(self, connection: Optional[Connection]) -> None:
        """Release the connection's thread slot."""
        with self._changed:
            self._threads -= 1
            if connection is not None:
                self._idle.pop(connection, None)
                self._busy.discard(connection)
            self._changed.notify_all()

    def _secure(self, accepted: socket.socket) -> socket.socket:
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Detects clients that died while they waited for a job.
        accepted.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if self._settings.tls is None:
            return accepted
        accepted.settimeout(HANDSHAKE_SECONDS)
        secured: ssl.SSLSocket = self._settings.tls.wrap_socket(accepted, server_side=True)
        return secured

    def _serve_requests(self, connection: Connection) -> None:
        while True:
            self._mark(connection, is_busy=False)
            try:
                request = connection.read_request()
            except MalformedRequest as failure:
                connection.refuse_malformed(failure)
                return
            if request is None:
                return
            self._mark(connection, is_busy=True)
            self._api.handle(request, connection)
            if not connection.finish_exchange():
                return

    def _mark(self, connection: Connection, is_busy: bool) -> None:
        with self._changed:
            if is_busy:
                self._idle.pop(connection, None)
                self._busy.add(connection)
            else:
                self._busy.discard(connection)
                if self._is_closing:
                    raise CallerGone
                self._idle[connection] = None
            self._changed.notify_all()


def _listen(host: str, port: int) -> socket.socket:
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise OSError(error.errno, f"port {port} is in use; set PORT to another port") from None
        raise
    return listener
