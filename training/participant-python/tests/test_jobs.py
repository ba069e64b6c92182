"""Tests for jobs: slots, the queue, idempotency keys, cancellation, timeouts, and draining."""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Any, Optional

import pytest

from participants import PATIENCE_SECONDS, Answer, Background, Caller, Gate, Log, serving, wait_until
from tollgate_participant import Participant

ASYNC = {"Prefer": "respond-async"}


def echo(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
    return parameters or b"new"


def state_of(caller: Caller, job: str) -> Any:
    return caller.get(f"/jobs/{job}").json["state"]


def test_second_request_is_refused_immediately_while_the_slot_is_occupied() -> None:
    gate = Gate()
    with serving(gate.train, lambda parameters, dataset: 0.5) as caller:
        first = Background(lambda: caller.post("/train"))
        assert gate.reached.wait(PATIENCE_SECONDS)
        status = caller.get("/status").json
        second = caller.post("/evaluate")
        assert (second.status, second.json["code"], second.json["error"]) == (409, "BUSY", "busy with another job")
        assert second.json["details"] == {"currentJobId": status["current"]["jobId"]}
        assert int(second.headers["retry-after"]) > 0
        assert (status["busy"], status["current"]["op"]) == (True, "train")
        gate.opened.set()
        assert first.answer().status == 200


def test_slot_is_free_once_the_previous_response_has_been_read() -> None:
    with serving(echo) as caller:
        assert {caller.post("/train").status for _ in range(200)} == {200}


def test_separate_slots_let_evaluate_run_during_train() -> None:
    gate = Gate()
    with serving(gate.train, lambda parameters, dataset: 0.5, slots={"shared": False}) as caller:
        training = Background(lambda: caller.post("/train"))
        assert gate.reached.wait(PATIENCE_SECONDS)
        assert caller.post("/evaluate").status == 200
        gate.opened.set()
        assert training.answer().status == 200


def test_queued_jobs_run_in_arrival_order_and_a_full_queue_refuses_more() -> None:
    gate, order = Gate(), []

    def train(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
        if not gate.reached.is_set():
            gate.hold()
        order.append(parameters)
        return parameters or b"first"

    with serving(train, max_queue=2) as caller:
        first = Background(lambda: caller.post("/train"))
        assert gate.reached.wait(PATIENCE_SECONDS)
        second = Background(lambda: caller.post("/train", {"parameters": "QQ"}))
        wait_until(lambda: caller.get("/status").json["queue"] == 1)
        third = Background(lambda: caller.post("/train", {"parameters": "Qg"}))
        wait_until(lambda: caller.get("/status").json["queue"] == 2)
        assert caller.post("/train").json["code"] == "BUSY"
        gate.opened.set()
        assert [call.answer().status for call in (first, second, third)] == [200, 200, 200]
    assert order == [None, b"A", b"B"]


def test_idempotency_key_runs_the_job_once_for_concurrent_and_later_requests() -> None:
    gate = Gate()
    headers = {"Idempotency-Key": "run:1:a"}
    with serving(gate.train) as caller:
        calls = [Background(lambda: caller.post("/train", {"parameters": "QUJD"}, headers)) for _ in range(3)]
        assert gate.reached.wait(PATIENCE_SECONDS)
        conflict = caller.post("/train", {"parameters": "REVG"}, headers)
        assert (conflict.status, conflict.json["code"]) == (409, "CONFLICT")
        gate.opened.set()
        answers = [call.answer() for call in calls] + [caller.post("/train", {"parameters": "QUJD"}, headers)]
    assert gate.calls == 1
    assert {answer.body for answer in answers} == {b'{"parameters":"QUJD"}'}
    assert len({answer.headers["x-job-id"] for answer in answers}) == 1


def test_idempotency_key_of_a_failed_job_starts_a_new_job() -> None:
    outcomes: list[Any] = [ValueError("boom"), b"x"]

    def train(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> Any:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    with serving(train) as caller:
        statuses = [caller.post("/train", {}, {"Idempotency-Key": "k"}).status for _ in range(3)]
    assert statuses == [500, 200, 200]


def test_stored_result_is_unchanged_if_the_function_reuses_its_buffer() -> None:
    buffer = bytearray(b"first")

    def train(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytearray:
        return buffer

    with serving(train) as caller:
        caller.post("/train", {}, {"Idempotency-Key": "k"})
        buffer[:] = b"wrong"
        assert caller.post("/train", {}, {"Idempotency-Key": "k"}).parameters == b"first"


def test_results_over_the_age_or_size_limit_are_deleted() -> None:
    headers = {"Idempotency-Key": "k"}
    with serving(echo, retention_seconds=0.3) as caller:
        job = caller.post("/train", {}, headers).headers["x-job-id"]
        wait_until(lambda: caller.get(f"/jobs/{job}").status == 404)
    with serving(echo, max_stored_bytes=10) as caller:
        jobs = [
            caller.post("/train", {"parameters": "QUJDREVG"}, {"Idempotency-Key": key}).headers["x-job-id"]
            for key in "ab"
        ]
        gone, kept = (caller.get(f"/jobs/{job}/result") for job in jobs)
        assert (gone.status, gone.json["error"]) == (404, "the result has expired")
        assert kept.parameters == b"ABCDEF"


def test_async_job_reports_progress_and_stores_its_result() -> None:
    gate = Gate()

    def train(parameters: Optional[bytes], dataset: list[dict[str, Any]], context: Any) -> bytes:
        context.progress(2, 8, {"loss": 0.5})
        return gate.train(parameters, dataset, context)

    with serving(train) as caller:
        accepted = caller.post("/train", {"parameters": "QUJD", "round": 3}, ASYNC)
        job = accepted.json["jobId"]
        assert (accepted.status, accepted.json["state"]) == (202, "queued")
        assert accepted.headers["location"] == f"/jobs/{job}"
        assert gate.reached.wait(PATIENCE_SECONDS)
        view = caller.get(f"/jobs/{job}").json
        assert (view["state"], view["op"], view["round"]) == ("running", "train", 3)
        assert view["progress"] == {"step": 2, "total": 8, "metrics": {"loss": 0.5}}
        assert caller.get(f"/jobs/{job}/result").status == 202
        waiting = Background(lambda: caller.get(f"/jobs/{job}/result", {"Prefer": "wait=10"}))
        gate.opened.set()
        assert waiting.answer().parameters == b"ABC"
        assert caller.get(f"/jobs/{job}/result").parameters == b"ABC"
        assert state_of(caller, job) == "succeeded"


def test_async_request_with_wait_returns_a_quick_result_directly() -> None:
    with serving(echo) as caller:
        assert caller.post("/train", {}, {"Prefer": "respond-async, wait=10"}).parameters == b"new"


def test_failed_async_job_returns_its_error() -> None:
    def train(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
        raise ValueError("boom")

    with serving(train) as caller:
        job = caller.post("/train", {}, ASYNC).json["jobId"]
        answer = caller.get(f"/jobs/{job}/result", {"Prefer": "wait=10"})
        assert (answer.status, answer.json) == (500, {"error": "boom", "code": "HANDLER_ERROR", "jobId": job})
        assert caller.get(f"/jobs/{job}").json["error"] == {"error": "boom", "code": "HANDLER_ERROR"}


def test_canceled_job_receives_the_signal_and_its_callers_receive_410() -> None:
    gate = Gate()
    with serving(gate.train) as caller:
        call = Background(lambda: caller.post("/train", {}, {"Idempotency-Key": "k"}))
        assert gate.reached.wait(PATIENCE_SECONDS)
        job = caller.get("/status").json["current"]["jobId"]
        cancelled = caller.send("DELETE", f"/jobs/{job}")
        assert (cancelled.status, cancelled.json) == (200, {"jobId": job, "state": "cancelled"})
        assert gate.signalled.wait(PATIENCE_SECONDS)
        assert (call.answer().status, call.answer().json["code"]) == (410, "CANCELLED")
        assert caller.get(f"/jobs/{job}/result").status == 410
        wait_until(lambda: not caller.get("/status").json["busy"])
        gate.opened.set()
        assert caller.post("/train", {}, {"Idempotency-Key": "k"}).status == 200


def test_slot_stays_occupied_until_a_canceled_function_ends() -> None:
    gate = Gate()
    with serving(gate.ignoring_train) as caller:
        job = caller.post("/train", {}, ASYNC).json["jobId"]
        assert gate.reached.wait(PATIENCE_SECONDS)
        assert caller.send("DELETE", f"/jobs/{job}").json["state"] == "cancelled"
        assert caller.post("/train").json["code"] == "BUSY"
        gate.opened.set()
        wait_until(lambda: caller.post("/train").status == 200)


def test_canceled_queued_job_never_runs() -> None:
    gate = Gate()
    with serving(gate.train, max_queue=1) as caller:
        first = Background(lambda: caller.post("/train"))
        assert gate.reached.wait(PATIENCE_SECONDS)
        job = caller.post("/train", {}, ASYNC).json["jobId"]
        assert caller.send("DELETE", f"/jobs/{job}").json["state"] == "cancelled"
        gate.opened.set()
        assert first.answer().status == 200
        assert caller.post("/train").status == 200
    assert gate.calls == 2


def test_timeout_sets_the_signal_and_returns_504() -> None:
    gate = Gate()
    with serving(gate.train) as caller:
        answer = caller.post("/train", {}, {"X-Timeout-Seconds": "0.05"})
        assert (answer.status, answer.json["code"]) == (504, "HANDLER_TIMEOUT")
        assert answer.json["error"] == "train did not finish within 0.05 seconds"
        assert gate.signalled.is_set()


def test_function_that_ignores_its_signal_times_out_after_the_grace_period() -> None:
    gate = Gate()
    log = Log()
    with serving(gate.ignoring_train, max_seconds=0.05, grace_seconds=0.05, logger=log) as caller:
        assert caller.post("/train").json["code"] == "HANDLER_TIMEOUT"
        assert caller.post("/train").json["code"] == "BUSY"
        wait_until(lambda: "did not stop when requested" in log.text)
        gate.opened.set()


def test_function_that_ends_within_the_grace_period_returns_its_result() -> None:
    def train(parameters: Optional[bytes], dataset: list[dict[str, Any]], context: Any) -> bytes:
        assert context.signal.wait(PATIENCE_SECONDS)
        return b"as far as I came"

    with serving(train, max_seconds=0.05, grace_seconds=10) as caller:
        assert caller.post("/train").parameters == b"as far as I came"


def test_async_function_is_canceled_while_it_waits() -> None:
    reached, cleaned = threading.Event(), threading.Event()

    async def train(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
        reached.set()
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.set()
        return b"x"

    with serving(train) as caller:
        job = caller.post("/train", {}, ASYNC).json["jobId"]
        assert reached.wait(PATIENCE_SECONDS)
        caller.send("DELETE", f"/jobs/{job}")
        assert cleaned.wait(PATIENCE_SECONDS)
        wait_until(lambda: not caller.get("/status").json["busy"])


@pytest.mark.parametrize("key", [None, "k"])
def test_client_disconnect_stops_the_job_unless_it_has_an_idempotency_key(key: Optional[str]) -> None:
    gate = Gate()
    with serving(gate.train) as caller:
        connection = caller.connect()
        connection.request("POST", "/train", "{}", {} if key is None else {"Idempotency-Key": key})
        assert gate.reached.wait(PATIENCE_SECONDS)
        connection.close()
        if key is None:
            assert gate.signalled.wait(PATIENCE_SECONDS)
        else:
            gate.opened.set()
            assert caller.post("/train", {}, {"Idempotency-Key": key}).parameters == b"trained"
            assert gate.calls == 1


def test_older_round_is_rejected_unless_its_key_has_a_result() -> None:
    def post(caller: Caller, round_number: int, key: str, run: str = "r") -> Answer:
        headers = {"X-Run-Id": run, "X-Round": str(round_number), "Idempotency-Key": key}
        return caller.post("/train", {}, headers)

    with serving(echo) as caller:
        assert post(caller, 1, "a").status == 200
        assert post(caller, 3, "b").status == 200
        old = post(caller, 2, "c")
        assert (old.status, old.json["code"]) == (409, "CONFLICT")
        assert old.json["error"] == "round 2 is older than round 3, the latest round of this run"
        assert [post(caller, 1, "a").status, post(caller, 3, "d").status, post(caller, 0, "e", "other").status] == [
            200
        ] * 3


def test_draining_lets_a_running_job_finish_and_refuses_new_jobs() -> None:
    gate = Gate()
    participant = Participant(port=0, logger=Log(), drain_seconds=PATIENCE_SECONDS)
    participant.register_train(gate.train)
    running = participant.start(require=[])
    caller = Caller(running.port)
    training = Background(lambda: caller.post("/train"))
    assert gate.reached.wait(PATIENCE_SECONDS)
    closing = threading.Thread(target=running.close)
    closing.start()
    wait_until(lambda: caller.get("/healthz").status == 503)
    assert caller.get("/healthz").json == {"status": "draining"}
    refused = caller.post("/train")
    assert (refused.status, refused.json["code"]) == (503, "SHUTTING_DOWN")
    gate.opened.set()
    assert training.answer().parameters == b"trained"
    closing.join(PATIENCE_SECONDS)
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", running.port)).close()


def test_job_that_exceeds_the_drain_time_is_stopped() -> None:
    gate = Gate()
    participant = Participant(port=0, logger=Log(), drain_seconds=0.05)
    participant.register_train(gate.train)
    running = participant.start(require=[])
    training = Background(lambda: Caller(running.port).post("/train"))
    assert gate.reached.wait(PATIENCE_SECONDS)
    running.close()
    assert gate.signalled.is_set()
    assert training.answer().json["code"] == "SHUTTING_DOWN"
