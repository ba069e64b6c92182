"""Rows of a ``.json`` array, a ``.jsonl`` or a ``.csv`` file, one at a time."""

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
    """A file of rows could not be read. The message is for the participant's operator; callers are not shown it."""


def is_row_file(path: str) -> bool:
    """Whether rows can be read from a file of this name."""
    return os.path.splitext(path)[1].lower() in _PARSERS


def read_row_file(path: str) -> Iterator[dict[str, Any]]:
    """Reads while it is asked for rows; raises DatasetError at the first that is none."""
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
    """The objects of one array: whatever is not yet whole is kept until more of the file has come."""
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
    # Reading as much as is left over keeps the work linear when one row is larger than a piece.
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
        # An empty line is no record.
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
    """Integers that a double cannot hold stay text, as do numbers that would overflow: neither may change silently."""
    if _NUMBER.fullmatch(text) is None:
        return text
    if _INTEGER.fullmatch(text) is not None:
        return int(text) if len(text) <= 17 and abs(int(text)) <= LARGEST_EXACT_INTEGER else text
    return float(text) if math.isfinite(float(text)) else text


_PARSERS = {".json": _parse_json_rows, ".jsonl": _parse_json_lines, ".csv": _parse_csv_rows}
