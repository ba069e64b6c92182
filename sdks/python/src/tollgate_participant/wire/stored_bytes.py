"""Bytes that arrived or are to be sent: in memory while they are few, in a file when they are many."""

from __future__ import annotations

import hashlib
import io
from typing import Iterator, Optional, Protocol, Union

from .spool_file import SpoolFile

READ_BYTES = 768 * 1024

BytesLike = Union[bytes, bytearray, memoryview]


class StoredBytes(Protocol):
    """Readable any number of times, from any thread; gone when the last reference is."""

    @property
    def length(self) -> int: ...

    @property
    def sha256(self) -> str: ...

    def read_all(self) -> bytes:
        """All of it in one object, without a second copy on the way."""
        ...

    def chunks(self) -> Iterator[BytesLike]:
        """Pieces whose lengths are multiples of three, except the last."""
        ...


class MemoryBytes:
    """Bytes held as they are: nothing is copied, and hashing waits until somebody asks."""

    def __init__(self, data: BytesLike, sha256: Optional[str] = None) -> None:
        self._data = data
        self._sha256 = sha256

    @property
    def length(self) -> int:
        return len(self._data)

    @property
    def sha256(self) -> str:
        if self._sha256 is None:
            self._sha256 = hashlib.sha256(self._data).hexdigest()
        return self._sha256

    def read_all(self) -> bytes:
        return self._data if isinstance(self._data, bytes) else bytes(self._data)

    def chunks(self) -> Iterator[BytesLike]:
        view = memoryview(self._data)
        for start in range(0, len(view), READ_BYTES):
            yield view[start : start + READ_BYTES]


class FileBytes:
    """A part of a spool file."""

    def __init__(self, file: SpoolFile, start: int, length: int, sha256: str) -> None:
        self._file = file
        self._start = start
        self._length = length
        self._sha256 = sha256

    @property
    def length(self) -> int:
        return self._length

    @property
    def sha256(self) -> str:
        return self._sha256

    def read_all(self) -> bytes:
        # It grows in place and hands out the object it wrote into, so the bytes exist once.
        buffer = io.BytesIO()
        for piece in self.chunks():
            buffer.write(piece)
        return buffer.getvalue()

    def chunks(self) -> Iterator[BytesLike]:
        for start in range(0, self._length, READ_BYTES):
            yield self._file.read(self._start + start, min(READ_BYTES, self._length - start))
