"""Checks and piecewise access that all aggregation methods share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Optional

from ..failures import BadRequest, IncompatibleParameters
from ..formats.tensor_set import BYTES_PER_ELEMENT, FLOAT_TYPES, Bytes, Tensor, TensorSet, check_tensors, quote
from .numbers import are_finite, to_bytes, to_floats

# The maximum number of floats that a method holds in memory, over all members. It's independent of the model size.
PIECE_ELEMENTS = 2**16

MAX_DIFFERENCES = 10


def check_members(members: Sequence[TensorSet]) -> None:
    """Reject an empty list and members that differ in names, types, or shapes. The error lists the differences."""
    if len(members) == 0:
        raise BadRequest("No parameters to aggregate")
    first = members[0]
    check_tensors(first)
    for index, member in enumerate(members[1:], 1):
        check_tensors(member)
        differences = list(_differences(first, member))
        if differences:
            listed = differences[:MAX_DIFFERENCES]
            more = f" and {len(differences) - MAX_DIFFERENCES} more" if len(differences) > MAX_DIFFERENCES else ""
            raise IncompatibleParameters(
                f"Member {index} does not match the others: {'; '.join(listed)}{more}",
                {"member": index, "differences": listed},
            )


def check_weights(weights: Optional[Sequence[float]], count: int) -> list[float]:
    """Validate the weights and return them as floats, or return 1.0 for each member if ``weights`` is None."""
    if weights is None:
        return [1.0] * count
    values = [float(weight) for weight in weights]
    if len(values) != count:
        raise BadRequest(f"{count} members require {count} weights, but there are {len(values)}")
    if not all(math.isfinite(weight) and weight >= 0 for weight in values):
        raise BadRequest("Weights must be finite and non-negative")
    total = total_of(values)
    if not (total > 0 and math.isfinite(total)):
        raise BadRequest("The sum of the weights must be finite and more than zero")
    return values


def total_of(values: Sequence[float]) -> float:
    """Return the sum of the values, added in order with rounding after each addition."""
    total = 0.0
    for value in values:
        total += value
    return total


def heaviest(weights: Sequence[float]) -> int:
    """Return the index of the first member with the highest weight, which supplies tensors that have no mean."""
    return max(range(len(weights)), key=weights.__getitem__)


def is_float(tensor: Tensor) -> bool:
    """Return whether the tensor has a floating-point type."""
    return tensor.dtype in FLOAT_TYPES


def pieces(tensor: Tensor, members: int) -> Iterator[tuple[int, int]]:
    """Yield element ranges that cover the tensor, small enough to hold one range of every member in memory."""
    count = memoryview(tensor.data).nbytes // BYTES_PER_ELEMENT[tensor.dtype]
    size = max(1, PIECE_ELEMENTS // members)
    for begin in range(0, count, size):
        yield begin, min(begin + size, count)


def piece_of(tensor: Tensor, begin: int, end: int) -> memoryview:
    """Return the bytes of elements ``begin`` to ``end``."""
    size = BYTES_PER_ELEMENT[tensor.dtype]
    return memoryview(tensor.data).cast("B")[begin * size : end * size]


def read_piece(tensor: Tensor, begin: int, end: int, name: str, index: Optional[int] = None) -> Sequence[float]:
    """Return elements ``begin`` to ``end`` as floats. Reject non-finite values with an error that names the member."""
    values = to_floats(tensor.dtype, piece_of(tensor, begin, end))
    if not are_finite(values):
        whose = "This parameter set" if index is None else f"Member {index}"
        raise IncompatibleParameters(
            f"{whose} has a non-finite value in tensor {quote(name)}",
            {"tensor": name} if index is None else {"member": index, "tensor": name},
        )
    return values


def write_piece(dtype: str, values: Sequence[float], name: str) -> bytes:
    """Convert the results to bytes of the tensor's type. Reject results that aren't finite in that type."""
    try:
        return to_bytes(dtype, values)
    except OverflowError:
        raise IncompatibleParameters(f"Tensor {quote(name)}: the result is not finite") from None


def like(tensor: Tensor, parts: Sequence[Bytes]) -> Tensor:
    """Return a tensor with the same type and shape that contains these bytes."""
    return Tensor(tensor.dtype, tuple(tensor.shape), b"".join(parts))


def _differences(reference: TensorSet, member: TensorSet) -> Iterator[str]:
    for name, expected in reference.items():
        actual = member.get(name)
        if actual is None:
            yield f"tensor {quote(name)} is missing"
        elif _describe(actual) != _describe(expected):
            yield f"tensor {quote(name)} is {_describe(actual)} instead of {_describe(expected)}"
    for name in member:
        if name not in reference:
            yield f"tensor {quote(name)} is unexpected"


def _describe(tensor: Tensor) -> str:
    return f"{tensor.dtype} {list(tensor.shape)}"
