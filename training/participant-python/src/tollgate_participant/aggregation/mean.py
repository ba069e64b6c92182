"""Weighted means of parameters or of the members' changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

from ..failures import IncompatibleParameters
from ..formats.tensor_set import Tensor, TensorSet
from .members import (
    check_members,
    check_weights,
    heaviest,
    is_float,
    like,
    piece_of,
    pieces,
    read_piece,
    total_of,
    write_piece,
)
from .norms import check_norm, squared_distance
from .numpy_mean import numpy_mean


def fed_avg(members: Sequence[TensorSet], weights: Optional[Sequence[float]] = None) -> dict[str, Tensor]:
    """Return the weighted mean of the members. Weights are equal by default.

    Non-float tensors, such as counters and flags, come from the member with the highest weight. All members must have
    the same names, types, and shapes, and finite values. Tensors are read in pieces to limit memory use.
    """
    check_members(members)
    shares = check_weights(weights, len(members))
    total = total_of(shares)
    chosen = members[heaviest(shares)]
    result: dict[str, Tensor] = {}
    for name, tensor in members[0].items():
        if not is_float(tensor):
            result[name] = like(tensor, [chosen[name].data])
            continue
        parts = []
        for begin, end in pieces(tensor, 1):
            weighted = ((share, piece_of(member[name], begin, end)) for share, member in zip(shares, members))
            fast = numpy_mean(tensor.dtype, weighted, total)
            parts.append(fast or _mean_of_piece(members, name, begin, end, shares, total))
        result[name] = like(tensor, parts)
    return result


def fed_avg_delta(
    base: TensorSet,
    members: Sequence[TensorSet],
    weights: Optional[Sequence[float]] = None,
    max_norm: Optional[float] = None,
) -> dict[str, Tensor]:
    """Return ``base`` plus the weighted mean of the members' changes to it.

    If ``max_norm`` is set, each member's change is first scaled down to that norm, which limits the influence of a
    single member.
    """
    check_members([base, *members])
    shares = check_weights(weights, len(members))
    total = total_of(shares)
    chosen = members[heaviest(shares)]
    scales = [
        1.0 if max_norm is None else _scale(base, member, max_norm, index) for index, member in enumerate(members)
    ]
    result: dict[str, Tensor] = {}
    for name, tensor in base.items():
        if not is_float(tensor):
            result[name] = like(tensor, [chosen[name].data])
            continue
        parts = []
        for begin, end in pieces(tensor, 1):
            origin = read_piece(tensor, begin, end, name)
            sums = [0.0] * (end - begin)
            for index, member in enumerate(members):
                values = read_piece(member[name], begin, end, name, index)
                weight, scale = shares[index], scales[index]
                sums = [
                    accumulated + weight * ((value - start) * scale)
                    for accumulated, value, start in zip(sums, values, origin)
                ]
            moved = [start + accumulated / total for start, accumulated in zip(origin, sums)]
            parts.append(write_piece(tensor.dtype, moved, name))
        result[name] = like(tensor, parts)
    return result


def _mean_of_piece(
    members: Sequence[TensorSet], name: str, begin: int, end: int, shares: Sequence[float], total: float
) -> bytes:
    sums = [0.0] * (end - begin)
    for index, member in enumerate(members):
        values = read_piece(member[name], begin, end, name, index)
        weight = shares[index]
        sums = [accumulated + weight * value for accumulated, value in zip(sums, values)]
    return write_piece(members[0][name].dtype, [accumulated / total for accumulated in sums], name)


def _scale(base: TensorSet, member: TensorSet, max_norm: Optional[float], index: int) -> float:
    if max_norm is None:
        return 1.0
    check_norm(max_norm)
    norm = math.sqrt(squared_distance(member, base, index))
    if not math.isfinite(norm):
        raise IncompatibleParameters(f"Member {index} changed too much to measure its norm", {"member": index})
    return max_norm / norm if norm > max_norm else 1.0
