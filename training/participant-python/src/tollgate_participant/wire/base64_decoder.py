"""Strict RFC 4648 base64 decoder. The standard library's decoder silently drops invalid characters."""

from __future__ import annotations

import binascii
from typing import Callable

ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class InvalidBase64(ValueError):
    """Error for text that isn't valid base64."""


class Base64Decoder:
    """Decoder for text that arrives in pieces. Padding can be omitted entirely but not partly."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._tail = b""
        self._padding = 0

    def feed(self, piece: bytes) -> None:
        """Decode all complete groups received so far."""
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
        """Decode the last group. Raise InvalidBase64 if the text is incomplete."""
        left = len(self._tail)
        if left == 1 or (self._padding > 0 and left + self._padding != 4):
            raise InvalidBase64("the length is not that of whole bytes")
        if left == 0:
            return
        unused_bits = 0b1111 if left == 2 else 0b11
        if ALPHABET.index(self._tail[-1:]) & unused_bits:
            raise InvalidBase64("bits are left over at the end")
        self._write(binascii.a2b_base64(self._tail + b"=" * (4 - left)))
