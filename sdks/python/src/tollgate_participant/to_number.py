"""Numbers of other libraries as plain ones."""

from __future__ import annotations

import math
from typing import Any, Union


def to_number(value: Any) -> Union[None, int, float]:
    """Numbers of other libraries count too, if they say how they become one; a truth value is no number."""
    if type(value) in (int, float):
        # A whole number beyond every double would be infinite to any reader of the answer.
        return math.inf if isinstance(value, int) and abs(value) > 2**1023 else value
    if type(value).__name__ in ("bool", "bool_") or not hasattr(value, "__float__"):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None
