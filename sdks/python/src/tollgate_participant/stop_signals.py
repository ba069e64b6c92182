"""Waits until the process is asked to end."""

from __future__ import annotations

import signal
import socket
import threading
from contextlib import suppress
from types import FrameType
from typing import Optional

ASKING = (signal.SIGTERM, signal.SIGINT)


class StopSignals:
    """
    Takes SIGTERM and SIGINT while it is entered. Only the main thread may; in another one ``wake`` alone ends the wait.
    A socket is waited on, not a lock: the interpreter writes to it whichever thread the signal interrupts.
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
        """True when one of the signals came, false when somebody called ``wake``."""
        while True:
            number = self._reader.recv(1)[0]
            # Other signals of the program are written here too.
            if number in (0, *ASKING):
                return number != 0

    def wake(self) -> None:
        """Ends the wait without a signal; may be called from any thread, and after the wait has ended."""
        with suppress(OSError):
            self._writer.send(b"\0")


def _note(_number: int, _frame: Optional[FrameType]) -> None:
    """The interpreter has written the number to the socket already."""
