"""Tests for simulated rounds."""

from __future__ import annotations

import struct
from typing import Any, Optional

import pytest

from tollgate_participant.failures import BadRequest, ParticipantFailure
from tollgate_participant.formats.parameters import read_tensors, write_tensors
from tollgate_participant.formats.tensor_set import Tensor
from tollgate_participant.simulate import simulate


class Fake:
    """Participant with given functions and rows."""

    def __init__(self, rows: int, **functions: Any) -> None:
        self.functions = functions
        self._rows = [{"x": index} for index in range(rows)]

    def local_rows(self) -> list[dict[str, Any]]:
        return self._rows


def value_of(parameters: Optional[bytes]) -> float:
    return 0.0 if parameters is None else float(struct.unpack("<f", read_tensors(parameters)["w"].data)[0])


def model(value: float) -> bytes:
    return write_tensors({"w": Tensor("F32", (1,), struct.pack("<f", value))})


def test_each_round_starts_from_the_mean_weighted_by_rows() -> None:
    async def slow_train(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
        return model(value_of(parameters) + 4)

    def train(parameters: Optional[bytes], dataset: list[dict[str, Any]], context: Any) -> tuple[bytes, int]:
        assert context.config == {"rate": 2}
        return model(value_of(parameters)), len(list(context.rows()))

    def evaluate(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> float:
        return value_of(parameters)

    rounds = simulate([Fake(1, train=slow_train), Fake(3, train=train, evaluate=evaluate)], 3, config={"rate": 2})
    assert [(each.round, each.accuracy, each.accuracies) for each in rounds] == [
        (1, 1.0, {1: 1.0}),
        (2, 2.0, {1: 2.0}),
        (3, 3.0, {1: 3.0}),
    ]
    assert value_of(rounds[-1].parameters) == 3.0


def test_participant_aggregate_function_is_used_with_opaque_parameters() -> None:
    def join(parameters_list: list[bytes], context: Any) -> bytes:
        return b"+".join(parameters_list) + str(context.weights).encode()

    rounds = simulate([Fake(2, train=lambda p, d: b"a"), Fake(0, train=lambda p, d: b"b", aggregate=join)], 1)
    assert rounds[0].parameters == b"a+b[2.0, 1.0]"
    assert rounds[0].accuracy is None


def test_invalid_results_fail_with_the_same_code_as_over_http() -> None:
    with pytest.raises(ParticipantFailure) as failure:
        simulate([Fake(1, train=lambda p, d: "text")], 1)
    assert failure.value.code == "INVALID_RESULT"
    with pytest.raises(BadRequest):
        simulate([Fake(1)], 1)
