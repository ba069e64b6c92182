"""Tests for the HTTP server: strict parsing, limits, and access control."""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import subprocess
from pathlib import Path
from typing import Any, Optional

import pytest

from participants import PATIENCE_SECONDS, Answer, Caller, Gate, Log, serving, wait_until
from tollgate_participant import Participant

TOKEN, OTHER_TOKEN = "0123456789abcdef", "fedcba9876543210"


def echo(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
    return parameters or b"new"


def exchange(caller: Caller, *pieces: bytes) -> bytes:
    """Send raw bytes and return everything received until the server closes the connection."""
    with caller.open_socket() as connection:
        for piece in pieces:
            connection.sendall(piece)
        received = b""
        while True:
            more = connection.recv(65_536)
            if not more:
                return received
            received += more


def read_answer(connection: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65_536)
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(65_536)
    return head + b"\r\n\r\n" + body


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n",
        b"POST /train HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"POST /train HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        b"POST /train HTTP/1.1\r\nHost: x\r\nContent-Length: -2\r\n\r\n{}",
        b"POST /train HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n{}",
        b"POST /train HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        b"GET /" + b"a" * 40_000,
    ],
)
def test_invalid_http_receives_a_json_error_and_the_connection_closes(request_bytes: bytes) -> None:
    with serving(echo) as caller:
        answer = exchange(caller, request_bytes)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"Connection: close" in head
    assert json.loads(body) == {"error": "the request is not valid HTTP", "code": "VALIDATION_ERROR"}


def test_chunked_body_is_read_completely_and_the_connection_stays_open() -> None:
    with serving(echo) as caller, caller.open_socket() as connection:
        for _ in range(3):
            connection.sendall(b"POST /train HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            for piece in (b'{"parame', b'ters":"QU', b'JD"}'):
                connection.sendall(b"%x;note=1\r\n%s\r\n" % (len(piece), piece))
            connection.sendall(b"0\r\nTrailer: x\r\n\r\n")
            assert read_answer(connection).endswith(b'{"parameters":"QUJD"}')


def test_pipelined_requests_are_answered_in_order() -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with serving(echo) as caller:
        assert exchange(caller, request * 3 + last).count(b'{"status":"ok"}') == 4


def test_expect_continue_request_is_refused_before_its_body_is_sent() -> None:
    head = b"POST /train HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n"
    with serving(echo) as caller:
        answer = exchange(caller, head)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"100 Continue" not in answer


def test_expect_continue_request_receives_100_continue() -> None:
    head = b"POST /train HTTP/1.1\r\nHost: x\r\nContent-Length: 21\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    with serving(echo) as caller, caller.open_socket() as connection:
        connection.sendall(head)
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b'{"parameters":"QUJD"}')
        assert read_answer(connection).endswith(b'{"parameters":"QUJD"}')


def test_chunked_body_over_the_limit_is_rejected_before_it_ends() -> None:
    piece = b" " * 1024
    chunk = b"400\r\n" + piece + b"\r\n"
    with serving(echo, max_json_bytes=10_240) as caller:
        # Sends eleven chunks without an end. The rejection must not wait for more.
        head = b"POST /train HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        with caller.open_socket() as connection:
            connection.sendall(head + chunk * 11)
            answer = read_answer(connection)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["details"] == {"limitBytes": 10_240}


def test_response_to_a_rejected_upload_arrives_while_the_client_is_still_sending() -> None:
    with serving(echo, max_json_bytes=1000) as caller:
        answer = caller.post("/train", b" " * 5_000_000)
    assert (answer.status, answer.json["code"]) == (413, "PAYLOAD_TOO_LARGE")


def test_gzip_body_is_decompressed_up_to_the_size_limit() -> None:
    headers = {"Content-Encoding": "gzip"}
    with serving(echo, max_json_bytes=100_000) as caller:
        assert caller.post("/train", gzip.compress(b'{"parameters":"QUJD"}'), headers).parameters == b"ABC"
        two = gzip.compress(b'{"parameters":') + gzip.compress(b'"QUJD"}')
        assert caller.post("/train", two, headers).parameters == b"ABC"
        bomb = caller.post("/train", gzip.compress(b" " * 10_000_000), headers)
        assert (bomb.status, bomb.json["code"]) == (413, "PAYLOAD_TOO_LARGE")
        broken = caller.post("/train", gzip.compress(b"{}")[:-3], headers)
        assert (broken.status, broken.json["error"]) == (400, "the body is not valid gzip")


def test_head_options_and_unsupported_methods_receive_correct_responses() -> None:
    with serving(echo) as caller:
        head = caller.send("HEAD", "/status")
        assert (head.status, head.body) == (200, b"")
        assert int(head.headers["content-length"]) > 100
        options = caller.send("OPTIONS", "/train")
        assert (options.status, options.headers["allow"]) == (204, "POST, OPTIONS")
        wrong = caller.get("/train")
        assert (wrong.status, wrong.json["error"]) == (405, "GET is not allowed here; use POST")
        assert caller.get("/nowhere").json == {"error": "unknown path", "code": "NOT_FOUND"}


def test_idle_connections_are_closed_to_make_room_for_new_ones() -> None:
    with serving(echo, max_connections=3) as caller:
        idle = [caller.open_socket() for _ in range(3)]
        try:
            assert caller.get("/healthz").status == 200
        finally:
            for connection in idle:
                connection.close()


def test_busy_connections_are_not_closed_to_make_room() -> None:
    gate = Gate()
    with serving(gate.train, max_connections=2) as caller:
        busy = caller.connect()
        busy.request("POST", "/train", "{}")
        assert gate.reached.wait(PATIENCE_SECONDS)
        assert [caller.get("/healthz").status for _ in range(5)] == [200] * 5
        gate.opened.set()
        assert busy.getresponse().status == 200
        busy.close()


def authorized(caller: Caller, token: Optional[str], path: str = "/status") -> Answer:
    return caller.get(path, {} if token is None else {"Authorization": f"Bearer {token}"})


def test_participant_with_tokens_accepts_only_valid_tokens() -> None:
    with serving(echo, token=f"{TOKEN},{OTHER_TOKEN}") as caller:
        assert authorized(caller, TOKEN).status == authorized(caller, OTHER_TOKEN).status == 200
        for token in (None, TOKEN[:-1], TOKEN + "0", f"{TOKEN},{OTHER_TOKEN}"):
            refused = authorized(caller, token)
            assert (refused.status, refused.json["code"]) == (401, "UNAUTHORIZED")
            assert refused.headers["www-authenticate"] == "Bearer"
        assert authorized(caller, None, "/healthz").status == 200
        assert authorized(caller, None, "/nowhere").status == 401


def test_failed_token_attempts_are_rate_limited_and_a_valid_token_still_works() -> None:
    with serving(echo, token=TOKEN) as caller:
        statuses = [authorized(caller, "wrong-wrong-wrong-wrong").status for _ in range(12)]
        assert statuses == [401] * 10 + [429] * 2
        assert int(authorized(caller, None).headers["retry-after"]) <= 60
        assert authorized(caller, TOKEN).status == 200


def test_browser_page_cannot_call_a_participant_without_tokens() -> None:
    with serving(echo) as caller:
        assert caller.post("/train", {}, {"Origin": "https://example.com"}).status == 401
        assert caller.post("/train", {}, {"Origin": "null"}).status == 401
        assert caller.post("/train", {}, {"Origin": "http://localhost:3000"}).status == 200


def test_tokens_and_parameters_are_not_logged() -> None:
    log = Log()
    with serving(echo, token=TOKEN, logger=log) as caller:
        caller.post("/train", {"parameters": "c2VjcmV0d2VpZ2h0cw=="}, {"Authorization": f"Bearer {TOKEN}"})
        caller.post("/train", {"parameters": "c2VjcmV0!"}, {"Authorization": f"Bearer {TOKEN}"})
        caller.post("/train", {}, {"Authorization": f"Bearer {OTHER_TOKEN}"})
    assert "13 B in  13 B out" in log.text
    for secret in (TOKEN, OTHER_TOKEN, "c2VjcmV0", "secretweights"):
        assert secret not in log.text


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    for name in ("server", "client"):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
            + ["-keyout", f"{name}.key", "-out", f"{name}.crt", "-days", "2"]
            + ["-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost"],
            cwd=folder,
            check=True,
            capture_output=True,
        )
    return folder


def test_tls_accepts_only_clients_with_a_trusted_certificate(certificates: Path) -> None:
    tls = {name: str(certificates / file) for name, file in (("cert", "server.crt"), ("key", "server.key"))}
    participant = Participant(port=0, logger=Log(), tls={**tls, "client_ca": str(certificates / "client.crt")})
    participant.register_train(echo)
    with participant.start(require=[]) as running:
        assert running.url.startswith("https://")
        stranger = ssl.create_default_context(cafile=str(certificates / "server.crt"))
        known = ssl.create_default_context(cafile=str(certificates / "server.crt"))
        known.load_cert_chain(certificates / "client.crt", certificates / "client.key")
        assert Caller(running.port, known).post("/train", {"parameters": "QUJD"}).parameters == b"ABC"
        with pytest.raises(OSError):
            Caller(running.port, stranger).get("/healthz")


def test_tls_client_disconnect_stops_the_job(certificates: Path) -> None:
    gate = Gate()
    tls = {"cert": str(certificates / "server.crt"), "key": str(certificates / "server.key")}
    with serving(gate.train, tls=tls) as caller:
        trusting = ssl.create_default_context(cafile=str(certificates / "server.crt"))
        connection = Caller(caller.port, trusting).connect()
        connection.request("POST", "/train", "{}")
        assert gate.reached.wait(PATIENCE_SECONDS)
        connection.close()
        assert gate.signalled.wait(PATIENCE_SECONDS)


def test_call_path_is_served_only_if_enabled() -> None:
    with serving(echo) as caller:
        assert caller.post("/call", {"method": "train"}).status == 404
    with serving(echo, compat={"call": True}) as caller:
        assert caller.post("/call", {"method": "train", "parameters": "QUJD"}).parameters == b"ABC"
        assert caller.post("/call", {"method": "forget"}).status == 400
        assert caller.post("/call", {"method": "evaluate"}).status == 501


def test_status_contains_the_fields_that_a_coordinator_needs() -> None:
    with serving(echo, datasets={"digits": [{"a": 1}], "lazy": {"rows": lambda: iter([]), "lazy": True}}) as caller:
        status = caller.get("/status").json
        wait_until(lambda: caller.get("/status").json["busy"] is False)
    assert status["apiVersion"] == "1"
    assert status["handlers"] == {"train": True, "evaluate": False, "aggregate": False}
    assert status["datasets"] == [{"name": "digits", "rows": 1}, {"name": "lazy"}]
    assert status["formats"] == ["json", "frames"]
    assert status["limits"]["maxJsonBytes"] == 256 * 1024 * 1024
