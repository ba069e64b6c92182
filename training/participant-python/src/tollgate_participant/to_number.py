"""Conversion of numbers from other libraries to Python numbers."""

from __future__ import annotations

import math
from typing import Any, Union


def to_number(value: Any) -> Union[None, int, float]:
    """Convert a value with ``__float__`` to a number. Return None for booleans and values that aren't numbers."""
    if type(value) in (int, float):
        # JSON readers that use doubles would read a larger integer as infinity.
        return math.inf if isinstance(value, int) and abs(value) > 2**1023 else value
    if type(value).__name__ in ("bool", "bool_") or not hasattr(value, "__float__"):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None
