"""Validated input of a function call. Error messages name the invalid field."""

from __future__ import annotations

import math
from typing import Any, List, Mapping, Optional

from ..datasets.dataset_registry import DatasetRegistry, DatasetView
from ..failures import BadRequest
from ..wire.body import DecodedBody
from ..wire.stored_bytes import StoredBytes
from ..wire.whole_number import whole_number


class FunctionInput:
    """Function input that releases the parameters once the function has received them."""

    def __init__(self, operation: str, body: DecodedBody, datasets: DatasetRegistry) -> None:
        fields = body.fields
        self.operation = operation
        self.round = _read_round(fields.get("round"))
        self.config = _read_config(fields.get("config"))
        self.weights: Optional[List[float]] = None
        self.dataset: DatasetView = datasets.open([] if operation == "aggregate" else fields.get("dataset"))
        self._stored: List[StoredBytes] = []
        if operation == "aggregate":
            if body.parameters_list is None:
                raise BadRequest("parameters_list must be an array of base64 strings")
            if not body.parameters_list:
                raise BadRequest("parameters_list must have 1 to 1000 entries")
            self.weights = _read_weights(fields.get("weights"), len(body.parameters_list))
            self._stored = body.parameters_list
        else:
            self._stored = [] if body.parameters is None else [body.parameters]
        self.byte_length = sum(stored.length for stored in self._stored)

    def take_parameters(self) -> Optional[bytes]:
        """Return the parameters, or None if the request has none. Can be called only once."""
        taken = self.take_list()
        return taken[0] if taken else None

    def take_list(self) -> List[bytes]:
        """Return all parameters and release each stored entry after reading it. Can be called only once."""
        stored, self._stored = self._stored, []
        stored.reverse()
        taken: List[bytes] = []
        while stored:
            taken.append(stored.pop().read_all())
        return taken


def _read_round(value: Any) -> Optional[int]:
    if value is None:
        return None
    number = whole_number(value)
    if number is None or number < 0:
        raise BadRequest("round must be a non-negative integer")
    return number


def _read_config(value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadRequest("config must be an object")
    return value


def _read_weights(value: Any, count: int) -> Optional[List[float]]:
    if value is None:
        return None
    if not isinstance(value, list):
        raise BadRequest("weights must be an array of numbers")
    if len(value) != count:
        raise BadRequest("weights must have as many entries as parameters_list")
    for index, weight in enumerate(value):
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not weight >= 0:
            raise BadRequest(f"weights[{index}] must be a number of at least 0")
    total = _sum(value)
    if not (total > 0 and math.isfinite(total)):
        raise BadRequest("weights must have a finite sum above 0")
    return value


def _sum(weights: List[float]) -> float:
    total = 0.0
    try:
        for weight in weights:
            total += weight
    except OverflowError:
        return math.inf
    return total
