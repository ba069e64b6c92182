"""Lengths of parameters and of changes, taken over all their floating-point tensors as one long vector."""

from __future__ import annotations

import math
from functools import reduce
from operator import add, mul, sub
from typing import Optional

from ..failures import BadRequest
from ..formats.tensor_set import Tensor, TensorSet
from .members import check_members, is_float, like, pieces, read_piece, write_piece


def norm(tensors: TensorSet) -> float:
    """The Euclidean length."""
    return math.sqrt(dot(tensors, tensors))


def dot(left: TensorSet, right: TensorSet) -> float:
    """The inner product, summed in the order of ``left``."""
    total = 0.0
    for name, tensor in left.items():
        if is_float(tensor):
            for begin, end in pieces(tensor, 2):
                a = read_piece(tensor, begin, end, name)
                total = reduce(add, map(mul, a, read_piece(right[name], begin, end, name)), total)
    return total


def squared_distance(left: TensorSet, right: TensorSet, index: Optional[int] = None) -> float:
    """The square of the length of ``left - right``, summed in the order of ``left``, the member with this index."""
    total = 0.0
    for name, tensor in left.items():
        if is_float(tensor):
            for begin, end in pieces(tensor, 2):
                values = read_piece(tensor, begin, end, name, index)
                changes = list(map(sub, values, read_piece(right[name], begin, end, name)))
                total = reduce(add, map(mul, changes, changes), total)
    return total


def clip_norm(tensors: TensorSet, max_norm: float) -> dict[str, Tensor]:
    """The set scaled down to this length, or as it is when it is no longer than that."""
    check_members([tensors])
    check_norm(max_norm)
    length = norm(tensors)
    if length <= max_norm:
        return dict(tensors)
    scale = max_norm / length
    result: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if not is_float(tensor):
            result[name] = tensor
            continue
        parts = []
        for begin, end in pieces(tensor, 1):
            scaled = [value * scale for value in read_piece(tensor, begin, end, name)]
            parts.append(write_piece(tensor.dtype, scaled, name))
        result[name] = like(tensor, parts)
    return result


def cosine(left: TensorSet, right: TensorSet) -> float:
    """How much two sets point the same way, from -1 to 1; 0 when one of them has no length."""
    check_members([left, right])
    lengths = norm(left) * norm(right)
    return dot(left, right) / lengths if lengths > 0 else 0.0


def check_norm(max_norm: float) -> None:
    """Refuses a limit that is none."""
    if not (math.isfinite(max_norm) and max_norm > 0):
        raise BadRequest("The maximum norm must be a finite number above zero")
