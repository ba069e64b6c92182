"""Tests for hostile callers, invalid tokens, and machines that are out of threads."""

from __future__ import annotations

import gzip
import json
import math
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Optional

import pytest

from participants import PATIENCE_SECONDS, Caller, Log, serving, wait_until
from tollgate_participant import Participant

GZIP = {"Content-Encoding": "gzip"}


def echo(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
    return parameters or b"new"


def connect(caller: Caller, *lines: str) -> socket.socket:
    """Open a connection and send the head of a request."""
    connection = caller.open_socket()
    connection.sendall("\r\n".join((*lines, "", "")).encode())
    return connection


def test_gzip_body_is_rejected_at_size_limit_even_if_it_decompresses_to_zero_bytes() -> None:
    head = ("POST /train HTTP/1.1", "Host: x", "Content-Encoding: gzip", "Transfer-Encoding: chunked")
    empty_blocks = b"\x00\x00\x00\xff\xff" * 20_000
    with serving(echo, max_json_bytes=100_000) as caller, connect(caller, *head) as connection:
        connection.sendall(b"a\r\n" + gzip.compress(b"")[:10] + b"\r\n")
        connection.sendall(b"%x\r\n" % len(empty_blocks) + empty_blocks + b"\r\n")
        answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b'"limitBytes":100000' in answer


def test_number_of_concurrent_gzip_bodies_is_limited_regardless_of_size() -> None:
    head = ("POST /train HTTP/1.1", "Host: x", "Content-Encoding: gzip", "Content-Length: 100")
    with serving(echo) as caller, ExitStack() as open_ones:
        assert caller.post("/train", gzip.compress(b"{}"), GZIP).status == 200
        held = [open_ones.enter_context(connect(caller, *head)) for _ in range(4)]

        def is_full() -> bool:
            if caller.post("/train", gzip.compress(b"{}"), GZIP).status == 409:
                return True
            # A connection that arrives while this body is read is refused itself, so another one takes its place.
            for refused in select.select(held, [], [], 0)[0]:
                held[held.index(refused)] = open_ones.enter_context(connect(caller, *head))
            return False

        wait_until(is_full)
        assert caller.post("/train", {}).status == 200


def test_gzip_body_can_end_with_zero_padding() -> None:
    with serving(echo) as caller:
        padded = gzip.compress(b'{"parameters":"QUJD"}') + bytes(512)
        assert caller.post("/train", padded, GZIP).parameters == b"ABC"


def test_caller_text_cannot_inject_control_characters_or_lines_into_the_log() -> None:
    def train(parameters: Optional[bytes], dataset: list[dict[str, Any]], context: Any) -> bytes:
        raise ValueError(context.config["message"])

    log = Log()
    hostile = "\x1b[31mred\n12:00:00  train  forged" + "x" * 100_000
    with serving(train, logger=log, datasets={"d": {"splits": {"a": []}}}) as caller:
        answer = caller.post("/train", {"config": {"message": hostile}})
        assert (answer.status, answer.json["error"]) == (500, hostile[:2000])
        unknown = caller.post("/train", {"dataset": {"ref": "d", "split": hostile}})
        assert unknown.json["error"] == f'dataset "d" has no split "{hostile[:64]}"'
        assert caller.post("/train", b'{"a\\n12:00:00":1,"a\\n12:00:00":2}').status == 400
    assert "\x1b" not in log.text
    assert not any(line.startswith("12:00:00") for line in log.text.split("\n"))
    assert len(log.text) < 20_000


@pytest.mark.parametrize("token", ["a secret with spaces", "ein-schlüssel-mit-ü", "control\x07control-control"])
def test_token_that_is_invalid_in_a_header_is_rejected_without_appearing_in_the_error(token: str) -> None:
    with pytest.raises(ValueError, match="printable ASCII") as refusal:
        Participant(token=token)
    assert token not in str(refusal.value)


class Integer:
    """Number type from another library, which isn't an int but can be converted to one."""

    def __index__(self) -> int:
        return 3

    def __float__(self) -> float:
        return 3.0


def test_progress_accepts_number_types_from_other_libraries() -> None:
    done = threading.Event()

    def train(parameters: Optional[bytes], dataset: list[dict[str, Any]], context: Any) -> bytes:
        context.progress(Integer(), Integer(), {"loss": Integer()})
        done.wait(PATIENCE_SECONDS)
        return b"new"

    with serving(train) as caller:
        job = caller.post("/train", {}, {"Prefer": "respond-async"}).json["jobId"]
        wait_until(lambda: "progress" in caller.get(f"/jobs/{job}").json)
        progress = {"step": 3, "total": 3, "metrics": {"loss": 3.0}}
        assert caller.get(f"/jobs/{job}").json["progress"] == progress
        assert caller.get("/status").json["current"]["progress"] == progress
        done.set()


@pytest.mark.parametrize("progress", [(math.nan,), (1, math.inf), (1, 2, {"loss": math.nan}), ("first",)])
def test_progress_raises_an_error_for_non_finite_or_non_numeric_values(progress: tuple[Any, ...]) -> None:
    def train(parameters: Optional[bytes], dataset: list[dict[str, Any]], context: Any) -> bytes:
        context.progress(*progress)
        return b"new"

    with serving(train) as caller:
        answer = caller.post("/train", {})
        assert (answer.status, answer.json["error"]) == (500, "progress takes finite numbers: step, total, metrics")


@contextmanager
def no_new_threads() -> Iterator[None]:
    """Make thread creation fail by requesting an impossibly large stack."""
    before = threading.stack_size(2**46)
    try:
        yield
    finally:
        threading.stack_size(before)


def test_failed_thread_start_fails_one_request_and_leaves_the_slot_free() -> None:
    with serving(echo) as caller:
        connection = caller.connect()
        connection.request("GET", "/healthz")
        assert connection.getresponse().read() == b'{"status":"ok"}'
        with no_new_threads():
            connection.request("POST", "/train", "{}", {"Idempotency-Key": "k"})
            lost = connection.getresponse()
            assert (lost.status, json.loads(lost.read())["code"]) == (500, "HANDLER_ERROR")
        connection.close()
        assert caller.get("/status").json["busy"] is False
        assert caller.post("/train", {}, {"Idempotency-Key": "k"}).parameters == b"new"


def test_server_keeps_listening_after_a_connection_thread_fails_to_start() -> None:
    with serving(echo, max_connections=1) as caller:
        with no_new_threads(), caller.open_socket() as connection:
            assert connection.recv(1) == b""
        assert json.loads(caller.get("/healthz").body) == {"status": "ok"}
