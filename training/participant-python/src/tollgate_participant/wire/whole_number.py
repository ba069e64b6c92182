"""Parsing of JSON numbers as integers."""

from __future__ import annotations

import math
from typing import Any, Optional

LARGEST_EXACT_INTEGER = 2**53 - 1


def whole_number(value: Any) -> Optional[int]:
    """Return a JSON number as an integer, including 2.0 and 1e2.

    Return None for other values and for integers that a double cannot hold exactly.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float) and (not math.isfinite(value) or not value.is_integer()):
        return None
    return int(value) if abs(value) <= LARGEST_EXACT_INTEGER else None
