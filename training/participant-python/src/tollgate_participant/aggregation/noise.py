"""Gaussian noise for differential privacy."""

from __future__ import annotations

import math
from random import Random, SystemRandom
from typing import Optional

from ..failures import BadRequest
from ..formats.tensor_set import Tensor, TensorSet
from .members import check_members, is_float, like, pieces, read_piece, write_piece


def add_gaussian_noise(tensors: TensorSet, deviation: float, random: Optional[Random] = None) -> dict[str, Tensor]:
    """Return the tensors with independent Gaussian noise added to every floating-point value.

    By default, the noise comes from the operating system's random source, because predictable noise can be removed.
    """
    check_members([tensors])
    if not (math.isfinite(deviation) and deviation >= 0):
        raise BadRequest("The standard deviation of the noise must be finite and non-negative")
    source = random or SystemRandom()
    result: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if not is_float(tensor):
            result[name] = tensor
            continue
        parts = []
        for begin, end in pieces(tensor, 1):
            noisy = [value + source.gauss(0.0, deviation) for value in read_piece(tensor, begin, end, name)]
            parts.append(write_piece(tensor.dtype, noisy, name))
        result[name] = like(tensor, parts)
    return result
