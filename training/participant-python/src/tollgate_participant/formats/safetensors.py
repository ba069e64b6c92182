"""The safetensors format, which consists of a header length, a JSON header, and the data of all tensors."""

from __future__ import annotations

import json
import struct
from typing import Any

from ..failures import IncompatibleParameters
from .tensor_set import (
    BYTES_PER_ELEMENT,
    MAX_TENSORS,
    Bytes,
    Tensor,
    TensorSet,
    byte_length,
    check_tensors,
    is_name,
    is_size,
    quote,
)

# No known model has enough tensors to reach this header size.
MAX_HEADER_BYTES = 16 * 1024 * 1024
MAX_DIGITS = 16


def read_safetensors(data: Bytes) -> dict[str, Tensor]:
    """Return the tensors in data order, as views of the input.

    The tensors must cover the bytes after the header exactly, without overlaps, gaps, or trailing bytes.
    """
    view = memoryview(data).cast("B")
    header, start = _read_header(view)
    entries = sorted((_check_entry(name, value) for name, value in header), key=lambda entry: entry[3:])
    tensors: dict[str, Tensor] = {}
    expected = 0
    for name, dtype, shape, begin, end in entries:
        if begin != expected:
            raise _refusal(f"{'overlapping data' if begin < expected else 'a gap in the data'} at tensor {quote(name)}")
        if byte_length(name, dtype, shape) != end - begin:
            raise _refusal(f"mismatched shape and data size at tensor {quote(name)}")
        expected = end
        tensors[name] = Tensor(dtype, shape, view[start + begin : start + end])
    if start + expected != len(view):
        raise _refusal(f"{len(view) - start} bytes of data where its header declares {expected}")
    return tensors


def write_safetensors(tensors: TensorSet) -> bytes:
    """Write the tensors in order, without metadata. The same tensors always give the same bytes."""
    check_tensors(tensors)
    header: dict[str, Any] = {}
    end = 0
    for name, tensor in tensors.items():
        begin, end = end, end + memoryview(tensor.data).nbytes
        header[name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    # Data that starts at a multiple of eight can be used without a copy.
    text += b" " * (-len(text) % 8)
    return b"".join([struct.pack("<Q", len(text)), text, *(tensor.data for tensor in tensors.values())])


def _read_header(view: memoryview) -> tuple[list[tuple[str, Any]], int]:
    if len(view) < 8:
        raise _refusal("no header")
    (length,) = struct.unpack_from("<Q", view)
    if length > min(MAX_HEADER_BYTES, len(view) - 8):
        raise _refusal(f"a header of {length} bytes, which exceeds the file or the limit")
    start = 8 + length
    try:
        text = str(view[8:start], "utf-8")
    except UnicodeDecodeError:
        raise _refusal("a header that is not UTF-8") from None
    if not text.startswith("{"):
        raise _refusal("a header that is not a JSON object")
    try:
        header = json.loads(text, object_pairs_hook=_unique, parse_int=_parse_size, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise _refusal("a header that is not JSON") from None
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise _refusal("metadata values that are not strings")
    entries = list(header.items())
    if len(entries) > MAX_TENSORS:
        raise _refusal(f"more than {MAX_TENSORS} tensors")
    return entries, start


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # The default parser keeps the last of two equal names, so two readers could see different tensors in one file.
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise _refusal(f"a duplicate name {quote(name)} in its header")
        fields[name] = value
    return fields


def _parse_size(digits: str) -> int:
    # Python takes quadratic time to parse long numbers.
    if len(digits) > MAX_DIGITS:
        raise ValueError("too many digits")
    return int(digits)


def _no_constant(constant: str) -> None:
    raise ValueError(constant)


def _check_entry(name: str, value: Any) -> tuple[str, str, tuple[int, ...], int, int]:
    if not isinstance(value, dict):
        raise _refusal(f"no description of tensor {quote(name)}")
    if not is_name(name):
        raise _refusal("a name that is not Unicode text")
    dtype, shape, offsets = value.get("dtype"), value.get("shape"), value.get("data_offsets")
    if not isinstance(dtype, str) or dtype not in BYTES_PER_ELEMENT:
        raise _refusal(f"the element type {quote(dtype)} at tensor {quote(name)}, which is not supported")
    if not isinstance(shape, list) or not all(map(is_size, shape)):
        raise _refusal(f"no shape at tensor {quote(name)}")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(is_size, offsets)):
        raise _refusal(f"no data offsets at tensor {quote(name)}")
    begin, end = offsets
    if end < begin:
        raise _refusal(f"reversed data offsets at tensor {quote(name)}")
    return name, dtype, tuple(shape), begin, end


def _refusal(what: str) -> IncompatibleParameters:
    return IncompatibleParameters(f"Not a valid safetensors file: it has {what}.")
