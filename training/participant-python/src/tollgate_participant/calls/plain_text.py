"""Removal of control characters from untrusted text."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def plain_text(text: str, most_characters: int) -> str:
    """Return one line without control characters, because the text can come from callers."""
    return _CONTROL.sub(" ", text[:most_characters])
