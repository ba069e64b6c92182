"""Conversion between tensor bytes and Python floats. Rounding is to nearest, ties to even.

Results never come from ``sum``, which is used only to test whether values are finite. Since Python 3.12, ``sum``
compensates for rounding errors, so results would depend on the Python version.
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
    """Convert bytes to floats without loss."""
    if dtype == "F16":
        return struct.unpack(f"<{len(data) // 2}e", data)
    values = array(_CODES[dtype])
    values.frombytes(_widen(data) if dtype == "BF16" else data)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def to_bytes(dtype: str, values: Sequence[float]) -> bytes:
    """Round the values to this type and return their bytes. Raise OverflowError if a result isn't finite."""
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
    """Return whether all values are finite.

    If the sum is finite, so are all values. The sum of finite doubles can overflow, so each value is checked if the sum
    is not finite.
    """
    values = values if isinstance(values, Sequence) else list(values)
    return math.isfinite(sum(values)) or all(map(math.isfinite, values))


def _widen(data: Bytes) -> bytearray:
    """Convert BF16 to F32 by using the BF16 bytes as the upper half."""
    wide = bytearray(2 * len(data))
    wide[2::4] = data[0::2]
    wide[3::4] = data[1::2]
    return wide


def _narrow(values: array[float]) -> bytes:
    bits = array("I", values.tobytes())
    narrow = array("H", [(word + 0x7FFF + (word >> 16 & 1)) >> 16 for word in bits])
    # The largest floats round up to infinity, which has an exponent of all ones.
    if any(half & 0x7F80 == 0x7F80 for half in narrow):
        raise OverflowError
    if sys.byteorder == "big":
        narrow.byteswap()
    return narrow.tobytes()
