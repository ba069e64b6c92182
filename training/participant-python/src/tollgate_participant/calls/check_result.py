"""Validation of the values that the registered functions return."""

from __future__ import annotations

import math
from typing import Any, Mapping, Optional, Union

from ..failures import ParticipantFailure
from ..handlers import AggregateResult, EvaluateResult, TrainResult
from ..to_number import to_number
from ..wire.stored_bytes import BytesLike
from ..wire.whole_number import LARGEST_EXACT_INTEGER


def check_result(operation: str, returned: Any) -> tuple[dict[str, Any], Optional[BytesLike]]:
    """Return the response fields and the parameters. Raise INVALID_RESULT if the returned value is invalid."""
    if operation == "evaluate":
        return _check_evaluation(returned), None
    return _check_parameters(operation, returned)


def _check_evaluation(returned: Any) -> dict[str, Any]:
    result = returned
    if isinstance(returned, tuple) and len(returned) == 2:
        result = EvaluateResult(returned[0], num_examples=returned[1])
    elif not isinstance(returned, EvaluateResult):
        result = EvaluateResult(returned)
    accuracy = to_number(result.accuracy)
    if accuracy is None:
        raise _invalid(f"evaluate returned {_name_type(result.accuracy)}; expected a number")
    if not math.isfinite(accuracy):
        raise _invalid("evaluate returned an accuracy that is not finite")
    return {"accuracy": accuracy, **_read_extras("evaluate", result.num_examples, result.metrics)}


def _check_parameters(operation: str, returned: Any) -> tuple[dict[str, Any], BytesLike]:
    result = returned
    if operation == "train" and isinstance(returned, tuple) and len(returned) == 2:
        result = TrainResult(returned[0], num_examples=returned[1])
    elif not isinstance(returned, (TrainResult, AggregateResult)):
        result = AggregateResult(returned)
    parameters = result.parameters
    if not isinstance(parameters, (bytes, bytearray, memoryview)):
        raise _invalid(f"{operation} returned {_name_type(parameters)}; expected bytes")
    if isinstance(parameters, memoryview):
        parameters = parameters.cast("B") if parameters.c_contiguous else bytes(parameters)
    if len(parameters) == 0 and not result.allow_empty:
        raise _invalid(f"{operation} returned empty parameters; set allow_empty if this is intended")
    num_examples = result.num_examples if operation == "train" and isinstance(result, TrainResult) else None
    return _read_extras(operation, num_examples, result.metrics), parameters


def _read_extras(operation: str, num_examples: Any, metrics: Any) -> dict[str, Any]:
    """Validate the optional fields. The response omits fields that the function didn't set."""
    fields: dict[str, Any] = {}
    if num_examples is not None:
        count = _to_integer(num_examples)
        if count is None or not 0 <= count <= LARGEST_EXACT_INTEGER:
            raise _invalid(f"{operation} returned num_examples that is not a non-negative integer")
        fields["num_examples"] = count
    if metrics is not None:
        numbers = _to_numbers(metrics)
        if numbers is None:
            raise _invalid(f"{operation} returned metrics that are not finite numbers")
        fields["metrics"] = numbers
    return fields


def _to_numbers(metrics: Any) -> Optional[dict[str, Union[int, float]]]:
    if not isinstance(metrics, Mapping):
        return None
    numbers: dict[str, Union[int, float]] = {}
    for name, value in metrics.items():
        number = to_number(value)
        if number is None or not math.isfinite(number):
            return None
        numbers[str(name)] = number
    return numbers


def _to_integer(value: Any) -> Optional[int]:
    if type(value).__name__ in ("bool", "bool_") or not hasattr(value, "__index__"):
        return None
    try:
        return int(value.__index__())
    except TypeError:
        return None


def _name_type(value: Any) -> str:
    return "None" if value is None else type(value).__name__


def _invalid(message: str) -> ParticipantFailure:
    return ParticipantFailure("INVALID_RESULT", message)
