"""Krum and Multi-Krum, which select the members closest to their neighbors and ignore weights."""

from __future__ import annotations

from collections.abc import Sequence

from ..failures import BadRequest
from ..formats.tensor_set import Tensor, TensorSet
from .mean import fed_avg
from .members import check_members, is_float, pieces, read_piece, total_of
from .norms import squared_distance


def krum(members: Sequence[TensorSet], f: int) -> dict[str, Tensor]:
    """Return the member closest to its neighbors. Tolerates ``f`` malicious members among at least ``2f + 3``."""
    return dict(members[_ranking(members, f)[0]])


def multi_krum(members: Sequence[TensorSet], f: int, m: int) -> dict[str, Tensor]:
    """Return the unweighted mean of the ``m`` members closest to their neighbors. ``m`` is at most ``n - f``."""
    if not 1 <= m <= len(members) - f:
        raise BadRequest(f"Multi-Krum can choose 1 to {len(members) - f} of {len(members)} members, not {m}")
    chosen = sorted(_ranking(members, f)[:m])
    return fed_avg([members[index] for index in chosen])


def _ranking(members: Sequence[TensorSet], f: int) -> list[int]:
    """Return member indexes from most to least trusted. If scores are equal, the lower index comes first."""
    check_members(members)
    count = len(members)
    if f < 0 or count < 2 * f + 3:
        raise BadRequest(f"Krum with f = {f} requires at least {2 * f + 3} members, but there are {count}")
    for index, member in enumerate(members):
        _check_finite(member, index)
    distances = [[0.0] * count for _ in members]
    for left in range(count):
        for right in range(left):
            distances[left][right] = distances[right][left] = squared_distance(members[right], members[left])
    scores = [_score(distances[index], index, count - f - 2) for index in range(count)]
    return sorted(range(count), key=scores.__getitem__)


def _score(distances: Sequence[float], own: int, neighbors: int) -> float:
    others = sorted(distance for index, distance in enumerate(distances) if index != own)
    return total_of(others[:neighbors])


def _check_finite(member: TensorSet, index: int) -> None:
    for name, tensor in member.items():
        if is_float(tensor):
            for begin, end in pieces(tensor, 1):
                read_piece(tensor, begin, end, name, index)
