"""Pieces of tensors as Python floats, and back by rounding to the nearest, ties to even.

Sums are never taken with ``sum``, except to see whether they are finite: from Python 3.12 on it compensates for
rounding, and then results would depend on the version.
"""

from __future__ import annotations

import math
import struct
import sys
from array import array
from collections.abc import Iterable, Sequence

from ..formats.tensor_set import Bytes

_CODES = {"F64": "d", "F32": "f", "BF16": "f"}


def to_floats(dtype: str, data: Bytes) -> Sequence[float]:
    """The numbers in these bytes, exactly."""
    if dtype == "F16":
        return struct.unpack(f"<{len(data) // 2}e", data)
    values = array(_CODES[dtype])
    values.frombytes(_widen(data) if dtype == "BF16" else data)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def to_bytes(dtype: str, values: Sequence[float]) -> bytes:
    """The numbers rounded to this type; OverflowError where one is not finite there."""
    if dtype == "F16":
        if not are_finite(values):
            raise OverflowError
        return struct.pack(f"<{len(values)}e", *values)
    rounded = array(_CODES[dtype], values)
    if not are_finite(rounded):
        raise OverflowError
    if dtype == "BF16":
        return _narrow(rounded)
    if sys.byteorder == "big":
        rounded.byteswap()
    return rounded.tobytes()


def are_finite(values: Iterable[float]) -> bool:
    """Whether none is infinite or not a number. A sum tells quickly; only doubles can overflow it and be finite."""
    values = values if isinstance(values, Sequence) else list(values)
    return math.isfinite(sum(values)) or all(map(math.isfinite, values))


def _widen(data: Bytes) -> bytearray:
    """BF16 is the upper half of F32."""
    wide = bytearray(2 * len(data))
    wide[2::4] = data[0::2]
    wide[3::4] = data[1::2]
    return wide


def _narrow(values: array[float]) -> bytes:
    bits = array("I", values.tobytes())
    narrow = array("H", [(word + 0x7FFF + (word >> 16 & 1)) >> 16 for word in bits])
    # The largest floats round up to infinity, whose exponent is all ones.
    if any(half & 0x7F80 == 0x7F80 for half in narrow):
        raise OverflowError
    if sys.byteorder == "big":
        narrow.byteswap()
    return narrow.tobytes()
