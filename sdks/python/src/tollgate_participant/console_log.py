"""Standard error, so that standard output stays the program's own."""

from __future__ import annotations

import sys


class ConsoleLog:
    """One line per message, and no failure when nobody reads."""

    def info(self, message: str) -> None:
        _write(message)

    def warning(self, message: str) -> None:
        _write(message)

    def error(self, message: str) -> None:
        _write(message)


def _write(message: str) -> None:
    try:
        text = f"{message}\n"
        encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
        sys.stderr.write(text.encode(encoding, "replace").decode(encoding))
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        # A closed or missing standard error must not end a training.
        return
