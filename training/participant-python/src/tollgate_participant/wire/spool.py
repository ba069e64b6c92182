"""Buffers for incoming bytes with limited memory use."""

from __future__ import annotations

import hashlib
import io
from typing import Optional, Union

from .spool_file import SpoolFile
from .stored_bytes import BytesLike, FileBytes, MemoryBytes


class SpoolRoom:
    """Memory limit and overflow file that all spools of one body share.

    Sharing keeps a body with a thousand entries within one memory limit and one open file.
    """

    def __init__(self, memory_bytes: int, folder: Optional[str]) -> None:
        self.memory_left = memory_bytes
        self._folder = folder
        self._file: Optional[SpoolFile] = None

    def file(self) -> SpoolFile:
        """Return the overflow file, creating it on first use."""
        if self._file is None:
            self._file = SpoolFile(self._folder)
        return self._file


class Spool:
    """Buffer that moves to the shared file when memory runs out. Only one spool of a room is written at a time."""

    def __init__(self, room: SpoolRoom) -> None:
        self._room = room
        self._memory: Optional[io.BytesIO] = io.BytesIO()
        self._file: Optional[SpoolFile] = None
        self._start = 0
        self._hash = hashlib.sha256()
        self.length = 0

    def write(self, data: BytesLike) -> None:
        """Append bytes."""
        if self._memory is not None and len(data) > self._room.memory_left:
            self._move_to_file(self._memory)
        if self._file is not None:
            self._file.append(data)
        elif self._memory is not None:
            self._memory.write(data)
            self._room.memory_left -= len(data)
        self._hash.update(data)
        self.length += len(data)

    def finish(self) -> Union[MemoryBytes, FileBytes]:
        """Return all written bytes for reading. The spool cannot be written to afterwards."""
        sha256 = self._hash.hexdigest()
        if self._file is not None:
            return FileBytes(self._file, self._start, self.length, sha256)
        memory, self._memory = self._memory, None
        if memory is None:
            raise RuntimeError("the spool was finished twice")
        # BytesIO returns its internal buffer here without a copy.
        return MemoryBytes(memory.getvalue(), sha256)

    def _move_to_file(self, memory: io.BytesIO) -> None:
        self._file = self._room.file()
        self._start = self._file.length
        with memory.getbuffer() as written:
            self._file.append(written)
        self._room.memory_left += self.length
        self._memory = None
