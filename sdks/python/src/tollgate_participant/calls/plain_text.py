"""Text that others wrote, made fit for an operator's terminal."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def plain_text(text: str, most_characters: int) -> str:
    """One line that steers no terminal; what callers wrote may be in it."""
    return _CONTROL.sub(" ", text[:most_characters])
