"""Unnamed temporary file that only this process can read and that is deleted even after a crash."""

from __future__ import annotations

import tempfile
import threading
import weakref
from typing import Optional, Union


class SpoolFile:
    """File that is appended to and read at any offset, from any thread. It closes with its last reference."""

    def __init__(self, folder: Optional[str]) -> None:
        self._file = tempfile.TemporaryFile(buffering=0, prefix="tollgate-", dir=folder)  # noqa: SIM115
        self._lock = threading.Lock()
        self.length = 0
        weakref.finalize(self, self._file.close)

    def append(self, data: Union[bytes, bytearray, memoryview]) -> None:
        """Append all bytes."""
        view = memoryview(data)
        with self._lock:
            self._file.seek(self.length)
            while len(view) > 0:
                written = self._file.write(view)
                self.length += written
                view = view[written:]

    def read(self, start: int, length: int) -> bytes:
        """Return exactly ``length`` bytes from ``start``."""
        with self._lock:
            self._file.seek(start)
            data = self._file.read(length)
            while len(data) < length:
                more = self._file.read(length - len(data))
                if not more:
                    raise OSError("the spool file is shorter than what was written to it")
                data += more
        return data
