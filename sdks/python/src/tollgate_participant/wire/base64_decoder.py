"""Base64 as RFC 4648 writes it, checked character by character: the standard decoder drops bad ones silently."""

from __future__ import annotations

import binascii
from typing import Callable

ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class InvalidBase64(ValueError):
    """The text is not base64 of any bytes."""


class Base64Decoder:
    """Decodes text that arrives in pieces, cut anywhere. Padding may be missing, but not halved."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._tail = b""
        self._padding = 0

    def feed(self, piece: bytes) -> None:
        """Decodes what is whole so far."""
        text = piece.rstrip(b"=")
        if text.translate(None, ALPHABET) or (self._padding > 0 and text):
            raise InvalidBase64("a character outside the alphabet")
        self._padding += len(piece) - len(text)
        if self._padding > 2:
            raise InvalidBase64("too much padding")
        if self._tail:
            text = self._tail + text
        whole = len(text) & ~3
        self._tail = text[whole:]
        if whole == len(text):
            self._write(binascii.a2b_base64(text))
        elif whole > 0:
            self._write(binascii.a2b_base64(memoryview(text)[:whole]))

    def finish(self) -> None:
        """Decodes the end, where a lost character shows."""
        left = len(self._tail)
        if left == 1 or (self._padding > 0 and left + self._padding != 4):
            raise InvalidBase64("the length is not that of whole bytes")
        if left == 0:
            return
        unused_bits = 0b1111 if left == 2 else 0b11
        if ALPHABET.index(self._tail[-1:]) & unused_bits:
            raise InvalidBase64("bits are left over at the end")
        self._write(binascii.a2b_base64(self._tail + b"=" * (4 - left)))
