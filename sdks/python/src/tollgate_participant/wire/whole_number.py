"""Integers as JSON writes them."""

from __future__ import annotations

import math
from typing import Any, Optional

LARGEST_EXACT_INTEGER = 2**53 - 1


def whole_number(value: Any) -> Optional[int]:
    """The integer a JSON number is, also when it is written 2.0 or 1e2; None for all else and beyond exact doubles."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float) and (not math.isfinite(value) or not value.is_integer()):
        return None
    return int(value) if abs(value) <= LARGEST_EXACT_INTEGER else None
