"""Aggregation methods whose results a minority of members cannot move outside the range of the other members.

These methods ignore weights, because a malicious member could claim a high weight. Non-float tensors, such as counters
and flags, come from the first member.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import add, truediv

from ..failures import BadRequest
from ..formats.tensor_set import Tensor, TensorSet
from .members import check_members, is_float, like, pieces, read_piece, write_piece

_Row = tuple[float, ...]


def median(members: Sequence[TensorSet]) -> dict[str, Tensor]:
    """Return the median of every coordinate. For an even number of members, use the mean of the two middle values."""
    count = len(members)
    if 0 < count < 3:
        raise BadRequest(f"The median requires at least 3 members, but there are {count}")
    middle = count // 2

    def middles(rows: Iterable[_Row]) -> list[float]:
        # Adding zero turns negative zero into positive zero, so that their sort order doesn't affect the result.
        if count % 2 == 1:
            return [sorted(row)[middle] + 0.0 for row in rows]
        pairs = (sorted(row)[middle - 1 : middle + 1] for row in rows)
        return [(low + high) / 2 + 0.0 for low, high in pairs]

    return _by_coordinate(members, middles)


def trimmed_mean(members: Sequence[TensorSet], beta: float) -> dict[str, Tensor]:
    """Return the mean of every coordinate without its ``floor(beta * n)`` lowest and highest values."""
    count = len(members)
    if not 0 < beta < 0.5:
        raise BadRequest("The share to trim must be above 0 and below 0.5")
    trimmed = math.floor(beta * count)

    def means(rows: Iterable[_Row]) -> list[float]:
        columns = list(zip(*map(sorted, rows)))[trimmed : count - trimmed]
        sums: Iterable[float] = repeat(0.0)
        for column in columns:
            sums = map(add, sums, column)
        return list(map(truediv, sums, repeat(float(len(columns)))))

    return _by_coordinate(members, means)


def _by_coordinate(
    members: Sequence[TensorSet],
    combine: Callable[[Iterable[_Row]], list[float]],
) -> dict[str, Tensor]:
    check_members(members)
    result: dict[str, Tensor] = {}
    for name, tensor in members[0].items():
        if not is_float(tensor):
            result[name] = tensor
            continue
        parts = []
        for begin, end in pieces(tensor, len(members)):
            columns = [read_piece(member[name], begin, end, name, index) for index, member in enumerate(members)]
            parts.append(write_piece(tensor.dtype, combine(zip(*columns)), name))
        result[name] = like(tensor, parts)
    return result
