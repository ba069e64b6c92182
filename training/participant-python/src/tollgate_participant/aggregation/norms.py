"""Norms and distances over all floating-point tensors, treated as one vector."""

from __future__ import annotations

import math
from functools import reduce
from operator import add, mul, sub
from typing import Optional

from ..failures import BadRequest
from ..formats.tensor_set import Tensor, TensorSet
from .members import check_members, is_float, like, pieces, read_piece, write_piece


def norm(tensors: TensorSet) -> float:
    """Return the Euclidean norm."""
    return math.sqrt(dot(tensors, tensors))


def dot(left: TensorSet, right: TensorSet) -> float:
    """Return the inner product, summed in the order of ``left``."""
    total = 0.0
    for name, tensor in left.items():
        if is_float(tensor):
            for begin, end in pieces(tensor, 2):
                a = read_piece(tensor, begin, end, name)
                total = reduce(add, map(mul, a, read_piece(right[name], begin, end, name)), total)
    return total


def squared_distance(left: TensorSet, right: TensorSet, index: Optional[int] = None) -> float:
    """Return the squared norm of ``left - right``, summed in the order of ``left``.

    ``index`` is the member index of ``left`` for error messages.
    """
    total = 0.0
    for name, tensor in left.items():
        if is_float(tensor):
            for begin, end in pieces(tensor, 2):
                values = read_piece(tensor, begin, end, name, index)
                changes = list(map(sub, values, read_piece(right[name], begin, end, name)))
                total = reduce(add, map(mul, changes, changes), total)
    return total


def clip_norm(tensors: TensorSet, max_norm: float) -> dict[str, Tensor]:
    """Return the tensors scaled down to ``max_norm``, or unchanged if their norm isn't larger."""
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
    """Return the cosine similarity of two tensor sets, from -1 to 1, or 0 if either norm is 0."""
    check_members([left, right])
    lengths = norm(left) * norm(right)
    return dot(left, right) / lengths if lengths > 0 else 0.0


def check_norm(max_norm: float) -> None:
    """Raise BadRequest unless the maximum norm is finite and above zero."""
    if not (math.isfinite(max_norm) and max_norm > 0):
        raise BadRequest("The maximum norm must be a finite number above zero")
