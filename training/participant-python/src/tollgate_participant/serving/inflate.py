"""Decompression of gzip bodies in pieces of bounded size."""

from __future__ import annotations

import zlib
from typing import Iterable, Iterator

from ..failures import BadRequest

PIECE_BYTES = 256 * 1024
GZIP_WINDOW = 31


def inflate(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the decompressed bytes as they arrive. Multiple gzip members form one body."""
    member = zlib.decompressobj(GZIP_WINDOW)
    has_data = False
    try:
        for piece in pieces:
            while piece:
                has_data = True
                if member.eof:
                    # Some compressors pad the last block with zeros.
                    piece = piece.lstrip(b"\0")
                    if not piece:
                        break
                    member = zlib.decompressobj(GZIP_WINDOW)
                inflated = member.decompress(piece, PIECE_BYTES)
                if inflated:
                    yield inflated
                piece = member.unused_data if member.eof else member.unconsumed_tail
        while has_data and not member.eof:
            inflated = member.decompress(b"", PIECE_BYTES)
            if not inflated:
                raise BadRequest("the body is not valid gzip")
            yield inflated
    except zlib.error as error:
        raise BadRequest("the body is not valid gzip") from error
    if not has_data:
        raise BadRequest("the body is not valid gzip")
