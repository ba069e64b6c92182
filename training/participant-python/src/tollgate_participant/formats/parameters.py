"""Readers and writers for parameters in a named or detected format."""

from __future__ import annotations

from ..failures import BadRequest, IncompatibleParameters
from .npy import NPY_MAGIC, npy_header, read_npy
from .npz import read_npz, write_npz
from .safetensors import read_safetensors, write_safetensors
from .tensor_set import Bytes, Tensor, TensorSet, check_tensors

FORMATS = ("safetensors", "npz", "npy", "f32")

_PICKLE_MARKS = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")

# The tensor name for formats that hold a single unnamed tensor.
ONLY_TENSOR = "parameters"


def read_tensors(data: Bytes, format: str = "auto") -> dict[str, Tensor]:
    """Read the tensors, without copying where possible. Raise IncompatibleParameters if the data is invalid."""
    if format == "auto":
        format = detect_format(data)
    _check_format(format)
    if format == "safetensors":
        return read_safetensors(data)
    if format == "npz":
        return read_npz(data)
    if format == "npy":
        return {ONLY_TENSOR: read_npy(data, ONLY_TENSOR)}
    return {ONLY_TENSOR: _read_f32(data)}


def write_tensors(tensors: TensorSet, format: str = "safetensors") -> bytes:
    """Write the tensors in one format. The same tensors always give the same bytes."""
    _check_format(format)
    if format == "safetensors":
        return write_safetensors(tensors)
    if format == "npz":
        return write_npz(tensors)
    check_tensors(tensors)
    if len(tensors) != 1:
        raise IncompatibleParameters(f"The format {format} holds exactly one tensor, but there are {len(tensors)}")
    (name, tensor) = next(iter(tensors.items()))
    if format == "npy":
        return npy_header(name, tensor) + tensor.data
    if tensor.dtype != "F32":
        raise IncompatibleParameters(f"The format f32 holds 32-bit floats, but the tensor is {tensor.dtype}")
    return bytes(tensor.data)


def detect_format(data: Bytes) -> str:
    """Detect the format from the first bytes. Never returns ``f32``, because raw floats have no signature."""
    view = memoryview(data).cast("B")
    if bytes(view[: len(NPY_MAGIC)]) == NPY_MAGIC:
        return "npy"
    if bytes(view[:2]) == b"PK":
        return "npz"
    # A safetensors header is far smaller than 2**32 bytes, so the upper half of its length is zero.
    if bytes(view[4:9]) == b"\x00\x00\x00\x00{":
        return "safetensors"
    if bytes(view[:2]) in _PICKLE_MARKS:
        raise IncompatibleParameters(
            "These parameters are a pickle. Pickles run code when they are loaded, so they are never read; "
            "save safetensors."
        )
    raise IncompatibleParameters(
        'These parameters are not safetensors, npz, or npy. A flat array of 32-bit floats requires format "f32".'
    )


def _check_format(format: str) -> None:
    if format not in FORMATS:
        raise BadRequest(f"The parameter format must be one of {', '.join(FORMATS)}")


def _read_f32(data: Bytes) -> Tensor:
    view = memoryview(data).cast("B")
    if len(view) % 4 != 0:
        raise IncompatibleParameters(f"{len(view)} bytes are not a whole number of 32-bit floats")
    return Tensor("F32", (len(view) // 4,), view)
