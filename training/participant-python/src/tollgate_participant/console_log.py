"""Default logger. It writes to standard error so that the program can use standard output."""

from __future__ import annotations

import sys


class ConsoleLog:
    """Logger that writes one line per message to standard error and ignores write errors."""

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
        # A closed or missing standard error must not stop a training job.
        return
