"""The .npy format for one numpy array. The header is a Python literal that is matched by a regex, never evaluated."""

from __future__ import annotations

import re
import struct

from ..failures import IncompatibleParameters
from .tensor_set import Bytes, Tensor, byte_length, quote

NPY_MAGIC = b"\x93NUMPY"

# numpy rejects headers above 10,000 bytes unless they are marked as trusted.
MAX_HEADER_BYTES = 64 * 1024

# Element types by numpy name. One-byte types have no byte order, and numpy has no name for BF16.
NUMPY_TYPES = {
    "<f8": "F64",
    "<f4": "F32",
    "<f2": "F16",
    "<i8": "I64",
    "<i4": "I32",
    "<i2": "I16",
    "|i1": "I8",
    "<u8": "U64",
    "<u4": "U32",
    "<u2": "U16",
    "|u1": "U8",
    "|b1": "BOOL",
}
_NUMPY_NAMES = {dtype: name for name, dtype in NUMPY_TYPES.items()}

_FIELD = re.compile(
    r"\s*'(descr|fortran_order|shape)'\s*:\s*('[^'\\]*'|True|False|\([0-9,\s]*\))\s*(,|(?=\}))", re.ASCII
)
_SHAPE = re.compile(r"\(\s*((?:[0-9]{1,16}\s*,\s*)*(?:[0-9]{1,16}\s*)?)\)", re.ASCII)


def read_npy(data: Bytes, name: str) -> Tensor:
    """Read the array of a .npy file, versions 1 to 3. The data length must match the header exactly."""
    view = memoryview(data).cast("B")
    header, start = _read_header(view)
    dtype, shape = _parse_header(header)
    expected = byte_length(name, dtype, shape)
    if len(view) - start != expected:
        raise _refusal(f"{len(view) - start} bytes of data where its header declares {expected}")
    return Tensor(dtype, shape, view[start:])


def npy_header(name: str, tensor: Tensor) -> bytes:
    """Return the header of a .npy file, byte for byte as numpy writes it."""
    descr = _NUMPY_NAMES.get(tensor.dtype)
    if descr is None:
        raise IncompatibleParameters(f"Tensor {quote(name)} is {tensor.dtype}, which numpy files do not support")
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(tensor.shape)}, }}"
    padding = -(len(NPY_MAGIC) + 4 + len(text) + 1) % 64
    header = text.encode() + b" " * padding + b"\n"
    return NPY_MAGIC + b"\x01\x00" + struct.pack("<H", len(header)) + header


def _read_header(view: memoryview) -> tuple[str, int]:
    if len(view) < 10 or bytes(view[:6]) != NPY_MAGIC:
        raise _refusal("no numpy header")
    major, minor = view[6], view[7]
    if major not in (1, 2, 3) or minor != 0:
        raise _refusal(f"the unknown version {major}.{minor}")
    start = 10 if major == 1 else 12
    if len(view) < start:
        raise _refusal("no numpy header")
    (length,) = struct.unpack_from("<H" if major == 1 else "<I", view, 8)
    if length > min(MAX_HEADER_BYTES, len(view) - start):
        raise _refusal(f"a header of {length} bytes, which exceeds the file or the limit")
    # The header is Latin-1 up to version 2 and UTF-8 from version 3. The parser accepts only ASCII.
    return str(view[start : start + length], "latin-1"), start + length


def _parse_header(header: str) -> tuple[str, tuple[int, ...]]:
    """Parse only the literal ``{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }``."""
    if re.search(r"'descr'\s*:\s*\[", header):
        raise _refusal("records instead of an array of numbers")
    values: dict[str, str] = {}
    position = 1
    while match := _FIELD.match(header, position):
        if match[1] in values:
            raise _refusal(f"a duplicate field {match[1]} in its header")
        values[match[1]] = match[2]
        position = match.end()
    if not header.startswith("{") or header[position:].strip() != "}":
        raise _refusal("a header that does not describe an array")
    dtype = _element_type(values.get("descr", ""))
    shape = _parse_shape(values.get("shape", ""))
    _check_order(values.get("fortran_order"), shape)
    return dtype, shape


def _element_type(literal: str) -> str:
    description = literal[1:-1]
    # One-byte types have no byte order, but some writers include one.
    known = f"|{description[1:]}" if re.fullmatch(r"[<>=][iub]1", description) else description
    if known in NUMPY_TYPES:
        return NUMPY_TYPES[known]
    if re.match(r"[|<>=]?O", description):
        raise _refusal("Python objects, which require pickle; pickles are never loaded")
    if description.startswith(">"):
        raise _refusal(f"big-endian numbers ({description[:40]}); save them as little-endian")
    raise _refusal(f"the element type {quote(description)}, which is not supported")


def _parse_shape(literal: str) -> tuple[int, ...]:
    match = _SHAPE.fullmatch(literal)
    sizes = [int(size) for size in re.findall(r"[0-9]+", match[1])] if match else []
    if match is None or (len(sizes) == 1 and "," not in literal):
        raise _refusal("no shape")
    return tuple(sizes)


def _check_order(literal: str | None, shape: tuple[int, ...]) -> None:
    if literal not in ("True", "False"):
        raise _refusal("no element order")
    # A one-dimensional array is the same in both orders.
    if literal == "True" and len(shape) > 1:
        raise _refusal("column-major order (Fortran order); save numpy.ascontiguousarray(array) instead")


def _refusal(what: str) -> IncompatibleParameters:
    return IncompatibleParameters(f"Not a readable numpy array: it has {what}.")
