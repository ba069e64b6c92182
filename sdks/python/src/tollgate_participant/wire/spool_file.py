"""An unnamed temporary file that only this process can read and no crash leaves behind."""

from __future__ import annotations

import tempfile
import threading
import weakref
from typing import Optional, Union


class SpoolFile:
    """Written at its end and read anywhere, from any thread. Closed when nobody holds it any more."""

    def __init__(self, folder: Optional[str]) -> None:
        self._file = tempfile.TemporaryFile(buffering=0, prefix="tollgate-", dir=folder)  # noqa: SIM115
        self._lock = threading.Lock()
        self.length = 0
        weakref.finalize(self, self._file.close)

    def append(self, data: Union[bytes, bytearray, memoryview]) -> None:
        """Adds all of the bytes at the end."""
        view = memoryview(data)
        with self._lock:
            self._file.seek(self.length)
            while len(view) > 0:
                written = self._file.write(view)
                self.length += written
                view = view[written:]

    def read(self, start: int, length: int) -> bytes:
        """Exactly ``length`` bytes from ``start``."""
        with self._lock:
            self._file.seek(start)
            data = self._file.read(length)
            while len(data) < length:
                more = self._file.read(length - len(data))
                if not more:
                    raise OSError("the spool file is shorter than what was written to it")
                data += more
        return data
