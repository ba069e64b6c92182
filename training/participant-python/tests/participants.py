"""Test participants, each on a free port, and a minimal HTTP client."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Optional

from tollgate_participant import Participant, RunningParticipant

# Ends a wait that would never end, also on a slow machine.
PATIENCE_SECONDS = 60.0


class Log:
    """Logger that records messages."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def info(self, message: str) -> None:
        self.lines.append(message)

    def warning(self, message: str) -> None:
        self.lines.append(message)

    def error(self, message: str) -> None:
        self.lines.append(message)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True)
class Answer:
    """Complete response with lowercase header names."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def parameters(self) -> bytes:
        return base64.b64decode(self.json["parameters"], validate=True)


class Caller:
    """Client that opens one connection per request."""

    def __init__(self, port: int, tls: Optional[ssl.SSLContext] = None) -> None:
        self.port = port
        self._tls = tls

    def send(self, method: str, path: str, body: Any = None, headers: Optional[Mapping[str, str]] = None) -> Answer:
        connection = self.connect()
        try:
            data = json.dumps(body) if isinstance(body, (dict, list)) else body
            connection.request(method, path, data, dict(headers or {}))
            response = connection.getresponse()
            given = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, given, response.read())
        finally:
            connection.close()

    def connect(self) -> http.client.HTTPConnection:
        if self._tls is not None:
            return http.client.HTTPSConnection("localhost", self.port, timeout=PATIENCE_SECONDS, context=self._tls)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)

    def open_socket(self) -> socket.socket:
        """Open a connection to which the test writes raw bytes."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS)

    def get(self, path: str, headers: Optional[Mapping[str, str]] = None) -> Answer:
        return self.send("GET", path, None, headers)

    def post(self, path: str, body: Any = None, headers: Optional[Mapping[str, str]] = None) -> Answer:
        return self.send("POST", path, {} if body is None else body, headers)


@contextmanager
def serving(
    train: Optional[Callable[..., Any]] = None,
    evaluate: Optional[Callable[..., Any]] = None,
    aggregate: Optional[Callable[..., Any]] = None,
    **options: Any,
) -> Iterator[Caller]:
    """Run a participant with the given functions until the test ends."""
    participant = Participant(**{"port": 0, "logger": Log(), "drain_seconds": 0, "grace_seconds": 0.5, **options})
    if train is not None:
        participant.register_train(train)
    if evaluate is not None:
        participant.register_evaluate(evaluate)
    if aggregate is not None:
        participant.register_aggregate(aggregate)
    running: RunningParticipant = participant.start(require=[])
    try:
        yield Caller(running.port)
    finally:
        running.close()


class Gate:
    """Functions that block until the test releases them."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()
        self.signalled = threading.Event()
        self.calls = 0

    def hold(self, context: Any = None) -> None:
        self.calls += 1
        self.reached.set()
        while not self.opened.wait(0.005):
            if context is not None and context.cancelled:
                self.signalled.set()
                raise RuntimeError("stopped")

    def train(self, parameters: Optional[bytes], dataset: list[dict[str, Any]], context: Any) -> bytes:
        self.hold(context)
        return parameters or b"trained"

    def ignoring_train(self, parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
        self.hold()
        return parameters or b"trained"


class Background:
    """Request that runs in a background thread."""

    def __init__(self, call: Callable[[], Answer]) -> None:
        self._answer: Optional[Answer] = None
        self._thread = threading.Thread(target=self._run, args=(call,), daemon=True)
        self._thread.start()

    def _run(self, call: Callable[[], Answer]) -> None:
        self._answer = call()

    def answer(self) -> Answer:
        self._thread.join(PATIENCE_SECONDS)
        if self._answer is None:
            raise AssertionError("no response arrived")
        return self._answer


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until the condition is true. Fail if it takes too long."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("the condition did not become true in time")
        threading.Event().wait(0.005)
