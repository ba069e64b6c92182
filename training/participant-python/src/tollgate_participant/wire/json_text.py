"""Strict JSON parser that rejects the nonstandard input that the standard library accepts."""

from __future__ import annotations

import json
from typing import Any, Sequence, Union

from ..failures import BadRequest

# Longer integers are parsed as floats, because parsing them takes quadratic time in older Python versions.
MAX_INTEGER_DIGITS = 400


def parse_json_object(text: Union[bytes, bytearray], cuts: Sequence[tuple[int, int]] = ()) -> dict[str, Any]:
    """Parse the JSON object in ``text``.

    ``cuts`` lists where bytes of the body were removed, so that error positions refer to the original body.
    """
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_json(error.start, cuts) from error
    try:
        value = json.loads(decoded, parse_constant=_refuse_constant, parse_int=_parse_integer)
    except json.JSONDecodeError as error:
        raise _not_json(len(decoded[: error.pos].encode("utf-8", "surrogatepass")), cuts) from error
    except (ValueError, RecursionError) as error:
        raise BadRequest("the body is not valid JSON") from error
    if not isinstance(value, dict):
        raise BadRequest("the body must be a JSON object")
    return value


def _not_json(position: int, cuts: Sequence[tuple[int, int]]) -> BadRequest:
    removed = sum(length for at, length in cuts if at <= position)
    return BadRequest("the body is not valid JSON", {"position": position + removed})


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _parse_integer(digits: str) -> Union[int, float]:
    return int(digits) if len(digits) <= MAX_INTEGER_DIGITS else float(digits)
