"""Conversion between tensors and numpy arrays. The rest of this package doesn't require numpy."""

from __future__ import annotations

from typing import Any

from ..failures import IncompatibleParameters
from .npy import NUMPY_TYPES
from .tensor_set import Tensor

_DESCRIPTIONS = {dtype: description for description, dtype in NUMPY_TYPES.items()}


def to_numpy(tensor: Tensor) -> Any:
    """Return a writable copy of the tensor as an array. BF16 is converted to float32 without loss."""
    import numpy

    if tensor.dtype == "BF16":
        bits = numpy.frombuffer(tensor.data, "<u2").astype("<u4") << 16
        return bits.view("<f4").reshape(tensor.shape)
    return numpy.frombuffer(tensor.data, _DESCRIPTIONS[tensor.dtype]).reshape(tensor.shape).copy()


def from_numpy(array: Any) -> Tensor:
    """Return a tensor with a copy of the array's values. The array can have any memory order."""
    import numpy

    little = numpy.asarray(array)
    if little.dtype.byteorder == ">" or (little.dtype.isnative and little.dtype.newbyteorder("<") != little.dtype):
        little = little.astype(little.dtype.newbyteorder("<"))
    dtype = NUMPY_TYPES.get(little.dtype.str)
    if dtype is None:
        raise IncompatibleParameters(f"An array of {little.dtype} cannot be converted to a tensor")
    return Tensor(dtype, tuple(int(size) for size in little.shape), little.tobytes())
