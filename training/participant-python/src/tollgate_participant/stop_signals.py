"""Waiting for a stop signal."""

from __future__ import annotations

import signal
import socket
import threading
from contextlib import suppress
from types import FrameType
from typing import Optional

ASKING = (signal.SIGTERM, signal.SIGINT)


class StopSignals:
    """Context manager that handles SIGTERM and SIGINT while it is active.

    Python allows signal handlers only in the main thread. In any other thread, only ``wake`` ends the wait. ``wait``
    blocks on a socket instead of a lock because the interpreter writes to the socket no matter which thread the signal
    interrupts.
    """

    def __init__(self) -> None:
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._takes_signals = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> StopSignals:
        if self._takes_signals:
            self._previous = {number: signal.getsignal(number) for number in ASKING}
            self._previous_fd = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
            for number in ASKING:
                signal.signal(number, _note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._takes_signals:
            signal.set_wakeup_fd(self._previous_fd)
            for number, handler in self._previous.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._reader.close()
        self._writer.close()

    def wait(self) -> bool:
        """Block until a stop signal arrives or ``wake`` is called. Return True for a signal and False for ``wake``."""
        while True:
            number = self._reader.recv(1)[0]
            # The interpreter also writes the numbers of other signals to this socket.
            if number in (0, *ASKING):
                return number != 0

    def wake(self) -> None:
        """End the wait without a signal. Can be called from any thread, and after the wait has ended."""
        with suppress(OSError):
            self._writer.send(b"\0")


def _note(_number: int, _frame: Optional[FrameType]) -> None:
    """Do nothing, because the interpreter has already written the signal number to the socket."""
