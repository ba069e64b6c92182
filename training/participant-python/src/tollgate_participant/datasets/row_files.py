"""Readers that yield rows from ``.json``, ``.jsonl``, and ``.csv`` files one at a time."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from typing import IO, Any, Iterator

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"-?\d+", re.ASCII)
_SPACE = " \t\r\n"
LARGEST_EXACT_INTEGER = 2**53 - 1
READ_CHARACTERS = 256 * 1024
MAX_CSV_FIELD = 2**31 - 1


class DatasetError(Exception):
    """Error for a row file that cannot be read. The message is for operators and is never sent to callers."""


def is_row_file(path: str) -> bool:
    """Return whether rows can be read from a file with this name."""
    return os.path.splitext(path)[1].lower() in _PARSERS


def read_row_file(path: str) -> Iterator[dict[str, Any]]:
    """Yield rows as the caller consumes them. Raise DatasetError at the first invalid row."""
    parse = _PARSERS[os.path.splitext(path)[1].lower()]
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            yield from parse(file)
    except (OSError, ValueError, csv.Error, RecursionError) as error:
        raise DatasetError(f"{path}: {error}") from error


def _parse_json_lines(file: IO[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(file, 1):
        if line.strip():
            yield _to_row(json.loads(line), f"line {number}")


def _parse_json_rows(file: IO[str]) -> Iterator[dict[str, Any]]:
    """Yield the objects of one JSON array. Buffer incomplete text until more of the file is read."""
    decoder = json.JSONDecoder()
    text = file.read(READ_CHARACTERS)
    position = _skip_space(text, 0)
    if text[position : position + 1] != "[":
        raise ValueError("the file is not a JSON array of objects")
    position, count, wants_row = position + 1, 0, False
    while True:
        position = _skip_space(text, position)
        if position >= len(text):
            text, position = _read_on(file, text, position)
            continue
        character = text[position]
        if character == "]" and not wants_row:
            break
        if character == "," and count > 0 and not wants_row:
            position, wants_row = position + 1, True
            continue
        if character != "{" or (count > 0 and not wants_row):
            raise ValueError("the file is not a JSON array of objects")
        try:
            value, position = decoder.raw_decode(text, position)
        except json.JSONDecodeError:
            text, position = _read_on(file, text, position)
            continue
        count, wants_row = count + 1, False
        yield _to_row(value, f"row {count}")
    if (text[position + 1 :] + file.read()).strip(_SPACE):
        raise ValueError("the file continues after the JSON array")


def _read_on(file: IO[str], text: str, position: int) -> tuple[str, int]:
    # Each read is at least as long as the buffered text, which keeps the work linear if a row is larger than a piece.
    more = file.read(max(READ_CHARACTERS, len(text) - position))
    if not more:
        raise ValueError("the file is not a complete JSON array of objects")
    return text[position:] + more, 0


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in _SPACE:
        position += 1
    return position


def _parse_csv_rows(file: IO[str]) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(MAX_CSV_FIELD)
    records = csv.reader(file, strict=True)
    header: list[str] = []
    for record in records:
        # Empty lines are skipped.
        if not record:
            continue
        if not header:
            header = record
            continue
        if len(record) != len(header):
            raise ValueError(f"line {records.line_num} has {len(record)} fields, the header has {len(header)}")
        yield {name: _to_value(field) for name, field in zip(header, record)}


def _to_row(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{place} is not an object")
    return value


def _to_value(text: str) -> Any:
    """Convert a field to a number.

    Text, integers that a double cannot hold exactly, and numbers that would overflow are returned as text.
    """
    if _NUMBER.fullmatch(text) is None:
        return text
    if _INTEGER.fullmatch(text) is not None:
        return int(text) if len(text) <= 17 and abs(int(text)) <= LARGEST_EXACT_INTEGER else text
    return float(text) if math.isfinite(float(text)) else text


_PARSERS = {".json": _parse_json_rows, ".jsonl": _parse_json_lines, ".csv": _parse_csv_rows}
