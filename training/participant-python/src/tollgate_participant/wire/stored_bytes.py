"""Stored bytes of a request or response, in memory or in a file."""

from __future__ import annotations

import hashlib
import io
from typing import Iterator, Optional, Protocol, Union

from .spool_file import SpoolFile

READ_BYTES = 768 * 1024

BytesLike = Union[bytes, bytearray, memoryview]


class StoredBytes(Protocol):
    """Bytes that can be read repeatedly from any thread. They are freed with their last reference."""

    @property
    def length(self) -> int: ...

    @property
    def sha256(self) -> str: ...

    def read_all(self) -> bytes:
        """Return all bytes as one object, without an extra copy."""
        ...

    def chunks(self) -> Iterator[BytesLike]:
        """Yield pieces. The length of each piece except the last is a multiple of three."""
        ...


class MemoryBytes:
    """Bytes that stay in memory without a copy. The hash is computed on first use."""

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
    """Range of a spool file."""

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
        # BytesIO returns its internal buffer without a copy, so the bytes exist only once.
        buffer = io.BytesIO()
        for piece in self.chunks():
            buffer.write(piece)
        return buffer.getvalue()

    def chunks(self) -> Iterator[BytesLike]:
        for start in range(0, self._length, READ_BYTES):
            yield self._file.read(self._start + start, min(READ_BYTES, self._length - start))
