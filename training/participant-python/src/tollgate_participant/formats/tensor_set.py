"""Tensor types and checks that all formats share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Union

from ..failures import IncompatibleParameters

Bytes = Union[bytes, bytearray, memoryview]

# Element types by safetensors name.
BYTES_PER_ELEMENT: Mapping[str, int] = {
    "F64": 8,
    "F32": 4,
    "F16": 2,
    "BF16": 2,
    "I64": 8,
    "I32": 4,
    "I16": 2,
    "I8": 1,
    "U64": 8,
    "U32": 4,
    "U16": 2,
    "U8": 1,
    "BOOL": 1,
}
FLOAT_TYPES = frozenset({"F64", "F32", "F16", "BF16"})

MAX_TENSORS = 100_000
MAX_DIMENSIONS = 64
# The largest integer that a double holds exactly, so that readers in every language compute the same size.
MAX_SIZE = 2**53 - 1


class Tensor(NamedTuple):
    """Array of little-endian numbers in row-major order. ``data`` can be a view of the bytes it was read from."""

    dtype: str
    shape: tuple[int, ...]
    data: Bytes


# A model's parameters by name, in the order in which they are written.
TensorSet = Mapping[str, Tensor]


def byte_length(name: str, dtype: str, shape: Sequence[int]) -> int:
    """Return the byte length of a tensor of this type and shape. Reject shapes that are invalid or too large."""
    if len(shape) > MAX_DIMENSIONS:
        raise IncompatibleParameters(f"Tensor {quote(name)} has more than {MAX_DIMENSIONS} dimensions")
    size = BYTES_PER_ELEMENT[dtype]
    for extent in shape:
        if not is_size(extent):
            raise IncompatibleParameters(f"Tensor {quote(name)} has an invalid shape")
        size *= extent
        # This check applies even if a later extent is zero, because a shape that overflows is invalid.
        if size > MAX_SIZE:
            raise IncompatibleParameters(f"Tensor {quote(name)} has a shape that is too large")
    return size


def check_tensors(tensors: TensorSet) -> None:
    """Reject tensors that no format can hold: invalid names, unknown types, invalid shapes, or wrong data lengths."""
    if len(tensors) > MAX_TENSORS:
        raise IncompatibleParameters(f"More than {MAX_TENSORS} tensors")
    for name, tensor in tensors.items():
        if not is_name(name):
            raise IncompatibleParameters("A tensor has a name that is not Unicode text")
        if name == "__metadata__":
            raise IncompatibleParameters("No tensor can be named __metadata__")
        if tensor.dtype not in BYTES_PER_ELEMENT:
            raise IncompatibleParameters(f"Tensor {quote(name)} has the unknown element type {quote(tensor.dtype)}")
        expected = byte_length(name, tensor.dtype, tensor.shape)
        actual = memoryview(tensor.data).nbytes
        if actual != expected:
            raise IncompatibleParameters(
                f"Tensor {quote(name)} has {actual} bytes of data where its shape requires {expected}"
            )


def is_size(value: object) -> bool:
    """Return whether the value is an integer that is valid as a dimension's extent or a file offset."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_SIZE


def is_name(value: object) -> bool:
    """Return whether the value is a string that can be encoded as UTF-8."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def quote(name: object) -> str:
    """Quote a name for a message, shortened to 80 characters and with control characters escaped."""
    text = str(name)
    return json.dumps(text if len(text) <= 80 else f"{text[:77]}...")
