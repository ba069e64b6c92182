"""Tests for registering functions and running a participant."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Optional

import pytest

import tollgate_participant
from participants import PATIENCE_SECONDS, Caller, Log, serving, wait_until
from tollgate_participant import (
    AggregateResult,
    BadRequest,
    EvaluateResult,
    IncompatibleParameters,
    Participant,
    TrainResult,
)

SOURCE = Path(tollgate_participant.__file__).parent.parent
REPOSITORY = SOURCE.parent.parent.parent


def train(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
    return (parameters or b"new") + str(len(dataset)).encode()


def first(parameters_list: list[bytes]) -> bytes:
    return parameters_list[0]


def test_plain_client_can_call_all_three_operations() -> None:
    with serving(train, lambda parameters, dataset: 0.5, first) as caller:
        trained = caller.post("/train", {"parameters": "QUJD", "dataset": [{"a": 1}]})
        assert (trained.status, trained.json) == (200, {"parameters": "QUJDMQ=="})
        evaluated = caller.post("/evaluate", {"parameters": None, "dataset": []})
        assert (evaluated.status, evaluated.json) == (200, {"accuracy": 0.5})
        aggregated = caller.post("/aggregate", {"parameters_list": ["QUJD", "REVG"]})
        assert (aggregated.status, aggregated.json) == (200, {"parameters": "QUJD"})


def test_aggregate_rejects_an_empty_list_and_train_ignores_it() -> None:
    with serving(train, None, first) as caller:
        refused = caller.post("/aggregate", {"parameters_list": []})
        assert (refused.status, refused.json["error"]) == (400, "parameters_list must have 1 to 1000 entries")
        assert caller.post("/train", {"parameters_list": []}).status == 200


def test_register_returns_the_function_and_works_as_a_decorator() -> None:
    participant = Participant(port=0, logger=Log())

    @participant.register_train
    def decorated(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
        return b"x"

    assert decorated(None, []) == b"x"
    assert participant.register_evaluate(train) is train
    assert participant.functions == {"train": decorated, "evaluate": train}


def test_registering_twice_uses_the_last_function_and_logs_a_warning() -> None:
    log = Log()
    participant = Participant(port=0, logger=log)
    participant.register_train(lambda parameters, dataset: b"first")
    participant.register_train(lambda parameters, dataset: b"second")
    assert "train was registered twice" in log.text
    with participant.start(require=["train"]) as running:
        assert Caller(running.port).post("/train").parameters == b"second"
        with pytest.raises(RuntimeError, match="after run"):
            participant.register_train(train)


def test_missing_function_prevents_start_and_returns_501_if_not_required() -> None:
    participant = Participant(port=0, logger=Log())
    participant.register_train(train)
    with pytest.raises(RuntimeError, match="no evaluate, no aggregate function is registered"):
        participant.start()
    with participant.start(require=["train"]) as running:
        answer = Caller(running.port).post("/evaluate")
        assert (answer.status, answer.json["code"]) == (501, "NOT_REGISTERED")


@pytest.mark.parametrize("function", [lambda: b"", lambda a: b"", lambda a, b, c, d: b"", 7])
def test_function_with_wrong_signature_is_rejected_at_registration(function: Any) -> None:
    with pytest.raises(TypeError):
        Participant(port=0, logger=Log()).register_train(function)


def test_context_is_passed_only_to_functions_that_accept_it() -> None:
    seen: dict[str, Any] = {}

    def with_context(parameters: Optional[bytes], dataset: list[dict[str, Any]], context: Any) -> bytes:
        seen.update(round=context.round, run=context.run_id, config=context.config, job=context.job_id)
        return b"x"

    def with_weights(parameters_list: list[bytes], context: Any) -> bytes:
        seen["weights"] = context.weights
        return b"x"

    with serving(with_context, lambda *arguments: float(len(arguments)), with_weights) as caller:
        headers = {"X-Run-Id": "run-1", "X-Round": "4"}
        answer = caller.post("/train", {"config": {"rate": 0.5}}, headers)
        assert seen == {"round": 4, "run": "run-1", "config": {"rate": 0.5}, "job": answer.headers["x-job-id"]}
        assert caller.post("/train", {"round": 7}, headers).status == 200
        assert seen["round"] == 7
        caller.post("/aggregate", {"parameters_list": ["QQ", "QQ"], "weights": [1, 2.5]})
        assert seen["weights"] == [1, 2.5]
        assert caller.post("/evaluate").json == {"accuracy": 3.0}


def test_async_functions_share_one_event_loop() -> None:
    loops = []

    async def slow(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
        await asyncio.sleep(0)
        loops.append(asyncio.get_running_loop())
        return b"x"

    with serving(slow) as caller:
        assert caller.post("/train").parameters == b"x"
        assert caller.post("/train").parameters == b"x"
    assert loops[0] is loops[1]


class Number:
    """Number type from a numerical library."""

    def __init__(self, value: float) -> None:
        self._value = value

    def __float__(self) -> float:
        return self._value

    def __index__(self) -> int:
        return int(self._value)


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        (0.5, {"accuracy": 0.5}),
        (-3, {"accuracy": -3}),
        (Number(0.25), {"accuracy": 0.25}),
        ((0.5, 10), {"accuracy": 0.5, "num_examples": 10}),
        ((0.5, Number(3)), {"accuracy": 0.5, "num_examples": 3}),
        (EvaluateResult(1.0, metrics={"loss": Number(2.0)}), {"accuracy": 1.0, "metrics": {"loss": 2.0}}),  # type: ignore[dict-item]
    ],
)
def test_evaluate_can_return_a_number_a_pair_or_a_result(returned: Any, expected: Any) -> None:
    with serving(evaluate=lambda parameters, dataset: returned) as caller:
        assert caller.post("/evaluate").json == expected


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        (bytearray(b"AB"), {"parameters": "QUI="}),
        (memoryview(b"xABx")[1:3], {"parameters": "QUI="}),
        (memoryview(b"AxBx")[::2], {"parameters": "QUI="}),
        ((b"AB", 4), {"parameters": "QUI=", "num_examples": 4}),
        (TrainResult(b"AB", metrics={"loss": 1}), {"parameters": "QUI=", "metrics": {"loss": 1}}),
        (TrainResult(b"", allow_empty=True), {"parameters": ""}),
    ],
)
def test_train_can_return_bytes_a_pair_or_a_result(returned: Any, expected: Any) -> None:
    with serving(lambda parameters, dataset: returned) as caller:
        assert caller.post("/train").json == expected


@pytest.mark.parametrize(
    ("operation", "returned", "message"),
    [
        ("evaluate", "high", "evaluate returned str; expected a number"),
        ("evaluate", None, "evaluate returned None; expected a number"),
        ("evaluate", True, "evaluate returned bool; expected a number"),
        ("evaluate", float("nan"), "evaluate returned an accuracy that is not finite"),
        ("evaluate", 10**400, "evaluate returned an accuracy that is not finite"),
        ("evaluate", (0.5, -1), "evaluate returned num_examples that is not a non-negative integer"),
        (
            "evaluate",
            EvaluateResult(1.0, metrics={"loss": float("inf")}),
            "evaluate returned metrics that are not finite numbers",
        ),
        ("train", "text", "train returned str; expected bytes"),
        ("train", {"parameters": b"x"}, "train returned dict; expected bytes"),
        ("train", b"", "train returned empty parameters; set allow_empty if this is intended"),
        ("aggregate", 7, "aggregate returned int; expected bytes"),
        (
            "aggregate",
            AggregateResult(b""),
            "aggregate returned empty parameters; set allow_empty if this is intended",
        ),
    ],
)
def test_invalid_result_returns_an_explanation(operation: str, returned: Any, message: str) -> None:
    with serving(**{operation: lambda *arguments: returned}) as caller:
        answer = caller.post(f"/{operation}", {"parameters_list": ["QQ"]})
        assert (answer.status, answer.json["code"], answer.json["error"]) == (500, "INVALID_RESULT", message)


def test_exception_message_is_returned_without_its_stack_trace() -> None:
    log = Log()
    raised: list[BaseException] = [
        ValueError("boom"),
        BadRequest("no labels"),
        IncompatibleParameters("shape"),
        SystemExit(3),
    ]

    def failing(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
        raise raised.pop(0)

    with serving(failing, logger=log) as caller:
        answers = [caller.post("/train") for _ in range(4)]
    assert [(answer.status, answer.json["code"], answer.json["error"]) for answer in answers] == [
        (500, "HANDLER_ERROR", "boom"),
        (400, "VALIDATION_ERROR", "no labels"),
        (422, "INCOMPATIBLE_PARAMETERS", "shape"),
        (500, "HANDLER_ERROR", "3"),
    ]
    assert "Traceback" not in "".join(answer.body.decode() for answer in answers)
    assert f"failing in {__file__}" in log.text


def test_stack_trace_is_returned_only_if_expose_errors_is_set() -> None:
    def failing(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
        raise ValueError("boom")

    with serving(failing, expose_errors=True) as caller:
        assert "ValueError: boom" in caller.post("/train").json["details"]["stack"]


@pytest.mark.parametrize(
    "options",
    [
        {"port": 70_000},
        {"token": "short"},
        {"max_queue": -1},
        {"max_seconds": "long"},
        {"datasets": {"../x": []}},
        {"dataset": "rows.parquet"},
        {"slots": {"train": 0}},
        {"slots": {"other": 1}},
        {"unknown": 1},
    ],
)
def test_invalid_option_is_rejected_by_the_constructor(options: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        Participant(**options)


def test_error_for_a_short_token_does_not_contain_the_token() -> None:
    with pytest.raises(ValueError, match="PARTICIPANT_TOKEN") as caught:
        Participant(token="hunter2hunter2")
    assert "hunter2" not in str(caught.value)


def test_participant_refuses_to_listen_on_the_network_without_a_token() -> None:
    participant = Participant(host="0.0.0.0", port=0, logger=Log())
    participant.register_train(train)
    with pytest.raises(ValueError, match="without a token"):
        participant.start(require=["train"])
    for options in ({"insecure": True}, {"token": "0123456789abcdef"}):
        allowed = Participant(host="0.0.0.0", port=0, logger=Log(), **options)
        allowed.start(require=[]).close()


def run_program(program: str, **environment: str) -> subprocess.Popen[str]:
    variables = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


PROGRAM = """
import sys
from tollgate_participant import register_aggregate, register_evaluate, register_train, run
register_train(lambda parameters, dataset: parameters or b"x")
async def evaluate(parameters, dataset):
    return float("pickle" in sys.modules)
register_evaluate(evaluate)
register_aggregate(lambda parameters_list: parameters_list[0])
run()
print("ended")
"""


def test_smallest_program_serves_on_the_configured_port_and_exits_cleanly() -> None:
    process = run_program(PROGRAM, PORT="0")
    assert process.stderr is not None
    first_line = process.stderr.readline()
    port = int(first_line.split()[1].rsplit(":", 1)[1])
    assert "train ✓  evaluate ✓  aggregate ✓" in first_line
    caller = Caller(port)
    assert caller.post("/train", {"parameters": "QUJD"}).parameters == b"ABC"
    # The process must not import pickle, either directly or through another module.
    assert caller.post("/evaluate").json == {"accuracy": 0.0}
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, output) == (0, "ended\n")


def test_force_exit_ends_the_process_if_a_function_never_ends() -> None:
    process = run_program(
        "import time\nfrom tollgate_participant import Participant\n"
        "app = Participant(port=0, max_seconds=0.05, grace_seconds=0.05, force_exit=True)\n"
        "app.register_train(lambda p, d: time.sleep(60))\n"
        "app.run(require=['train'])\n"
    )
    assert process.stderr is not None
    port = int(process.stderr.readline().split()[1].rsplit(":", 1)[1])
    answer = Caller(port).post("/train")
    assert (answer.status, answer.json["code"]) == (504, "HANDLER_TIMEOUT")
    process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 1


def test_close_ends_a_run_in_another_thread() -> None:
    participant = Participant(port=0, logger=Log())
    started: list[Any] = []
    thread = threading.Thread(target=participant.run, kwargs={"require": [], "on_start": started.append})
    thread.start()
    wait_until(lambda: bool(started))
    started[0].close()
    thread.join(PATIENCE_SECONDS)
    assert not thread.is_alive()


def test_served_schema_matches_the_typescript_sdk() -> None:
    with serving() as caller:
        served = caller.get("/openapi.json").json
    assert served == json.loads((REPOSITORY / "training/participant-typescript/participant-openapi.json").read_text())
    assert set(served["paths"]) >= {"/train", "/evaluate", "/aggregate", "/healthz", "/status", "/jobs/{jobId}"}


def test_example_runs_from_any_folder(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [str(REPOSITORY / "examples/participant/run-python")],
        cwd=tmp_path,
        env={**os.environ, "PORT": "0", "PYTHONIOENCODING": "utf-8"},
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert process.stderr is not None
    caller = Caller(int(process.stderr.readline().split()[1].rsplit(":", 1)[1]))
    assert caller.post("/train", {"parameters": None, "dataset": []}).json == {"parameters": ""}
    assert caller.post("/evaluate", {"parameters": "QQ", "dataset": []}).json == {"accuracy": 0.5}
    assert caller.post("/aggregate", {"parameters_list": ["QUJD"]}).json == {"parameters": "QUJD"}
    process.terminate()
    process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0
