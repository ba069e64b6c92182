"""Accepts connections, serves each in a thread of its own, and knows which of them wait for nothing."""

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
# How soon a connection that finds all threads taken is looked at again.
FULL_WAIT_SECONDS = 0.1
# How long answers that are still being read may take once all jobs have ended.
LAST_ANSWERS_SECONDS = 5.0


class Server:
    """Listens from its construction on; ``start`` begins to answer."""

    def __init__(self, settings: Settings, api: ParticipantApi) -> None:
        self._settings = settings
        self._api = api
        self._listener = _listen(settings.host, settings.port)
        self._changed = threading.Condition()
        self._threads = 0
        # Connections between two requests, longest idle first: they make room when there is none.
        self._idle: dict[Connection, None] = {}
        self._busy: set[Connection] = set()
        self._is_closing = False
        self.port: int = self._listener.getsockname()[1]

    def start(self) -> None:
        """Begins to answer."""
        threading.Thread(target=self._accept, name="participant-listener", daemon=True).start()

    def close(self) -> None:
        """Stops listening, lets answers on their way arrive, and ends every connection."""
        with self._changed:
            self._is_closing = True
        with suppress(OSError):
            # Closing alone would leave the accepting thread in its call.
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
                # Out of files, most likely; the next connection may find some again.
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
                # The machine has no room for another thread: this caller is let go, the next one may find some.
                accepted.close()
                self._leave(None)

    def _make_room(self) -> bool:
        """Takes a place for a connection that has come; false when the server closes meanwhile."""
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
            # Callers come and go; a connection that ends is no event.
            accepted.close()
        finally:
            self._leave(connection)

    def _leave(self, connection: Optional[Connection]) -> None:
        """Gives the place of a connection back."""
        with self._changed:
            self._threads -= 1
            if connection is not None:
                self._idle.pop(connection, None)
                self._busy.discard(connection)
            self._changed.notify_all()

    def _secure(self, accepted: socket.socket) -> socket.socket:
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A caller whose machine died while it waited for its job is noticed.
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
