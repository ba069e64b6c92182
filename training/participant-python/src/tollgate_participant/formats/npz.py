"""The .npz format, a zip archive with one .npy file per tensor. The writer doesn't compress."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

from ..failures import IncompatibleParameters
from .npy import npy_header, read_npy
from .tensor_set import MAX_TENSORS, Bytes, Tensor, TensorSet, check_tensors, quote

# Limits the total size of decompressed files. Uncompressed files use no more memory than the archive itself.
MAX_INFLATED_BYTES = 1024**3

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_STORED, _DEFLATED = 0, 8
_ENCRYPTED, _SIZES_FOLLOW, _UTF8 = 0x0001, 0x0008, 0x0800
# A streaming writer puts the checksum and sizes after the data, in up to this many bytes.
_SIZES_BYTES = 24
_VERSION = 20
_MIDNIGHT_1980 = (0, 0x0021)
_MAX_UINT32 = 2**32 - 1


def read_npz(data: Bytes) -> dict[str, Tensor]:
    """Return the arrays by name, without copying uncompressed data. The directory must account for every byte."""
    view = memoryview(data).cast("B")
    members, directory_start = _read_directory(view)
    if sum(member.size for member in members if member.method == _DEFLATED) > MAX_INFLATED_BYTES:
        raise _refusal(f"compressed arrays of more than {MAX_INFLATED_BYTES} bytes")
    tensors: dict[str, Tensor] = {}
    end = slack = 0
    for member in sorted(members, key=lambda member: member.position):
        if not end <= member.position <= end + slack:
            raise _refusal(f"overlapping or unexplained bytes before {quote(member.name)}")
        start = _data_start(view, member)
        end, slack = start + member.packed, _SIZES_BYTES if member.sizes_follow else 0
        tensors[member.name] = read_npy(_unpack(view[start:end], member), member.name)
    if not end <= directory_start <= end + slack:
        raise _refusal("overlapping or unexplained bytes before its directory")
    return {member.name: tensors[member.name] for member in members}


def write_npz(tensors: TensorSet) -> bytes:
    """Write the tensors as one archive.

    The same tensors always give the same bytes. Files are uncompressed, in tensor order, and dated 1980-01-01.
    """
    check_tensors(tensors)
    parts: list[Bytes] = []
    directory: list[bytes] = []
    position = 0
    for tensor_name, tensor in tensors.items():
        name = f"{tensor_name}.npy".encode()
        header = npy_header(tensor_name, tensor)
        size = len(header) + memoryview(tensor.data).nbytes
        flags = 0 if name.isascii() else _UTF8
        if len(name) > 0xFFFF or position + size > _MAX_UINT32 or len(tensors) > 0xFFFE:
            raise IncompatibleParameters("These tensors are too large for an npz archive; use safetensors")
        described = (
            flags,
            _STORED,
            *_MIDNIGHT_1980,
            zlib.crc32(tensor.data, zlib.crc32(header)),
            size,
            size,
            len(name),
        )
        local = _LOCAL.pack(b"PK\x03\x04", _VERSION, *described, 0) + name
        directory.append(_CENTRAL.pack(b"PK\x01\x02", _VERSION, _VERSION, *described, 0, 0, 0, 0, 0, position) + name)
        parts += [local, header, tensor.data]
        position += len(local) + size
    listing = b"".join(directory)
    count = len(directory)
    return b"".join([*parts, listing, _END.pack(b"PK\x05\x06", 0, 0, count, count, len(listing), position, 0)])


class _Member(NamedTuple):
    name: str
    raw_name: bytes
    method: int
    sizes_follow: bool
    checksum: int
    packed: int
    size: int
    position: int


def _read_directory(view: memoryview) -> tuple[list[_Member], int]:
    if len(view) < _END.size:
        raise _refusal("no directory")
    signature, disk, start_disk, here, count, size, start, comment = _END.unpack_from(view, len(view) - _END.size)
    if signature != b"PK\x05\x06" or comment != 0:
        raise _refusal("no directory")
    if disk or start_disk or here != count or start + size + _END.size != len(view) or count > MAX_TENSORS:
        raise _refusal("an inconsistent directory")
    members: dict[str, _Member] = {}
    position = start
    for _ in range(count):
        member, position = _read_entry(view, position)
        if member.name in members:
            raise IncompatibleParameters(f"The archive contains two arrays named {quote(member.name)}")
        members[member.name] = member
    if position != start + size:
        raise _refusal("an inconsistent directory")
    return list(members.values()), start


def _read_entry(view: memoryview, position: int) -> tuple[_Member, int]:
    if position + _CENTRAL.size > len(view):
        raise _refusal("an inconsistent directory")
    fields = _CENTRAL.unpack_from(view, position)
    signature, _, _, flags, method, _, _, checksum, packed, size, name_length, extra, comment, disk, _, _, offset = (
        fields
    )
    end = position + _CENTRAL.size + name_length
    raw_name = bytes(view[position + _CENTRAL.size : end])
    if signature != b"PK\x01\x02" or len(raw_name) != name_length or disk != 0:
        raise _refusal("an inconsistent directory")
    if flags & _ENCRYPTED:
        raise _refusal("encrypted files")
    if _MAX_UINT32 in (packed, size, offset):
        raise _refusal("arrays of 4 GiB or more; use safetensors")
    if method not in (_STORED, _DEFLATED) or (method == _STORED and packed != size):
        raise _refusal("an unknown compression")
    try:
        name = raw_name.decode()
    except UnicodeDecodeError:
        raise _refusal("a name that is not UTF-8") from None
    if not name.endswith(".npy"):
        hint = " It contains a pickle, which is never loaded; use safetensors." if name.endswith(".pkl") else ""
        raise IncompatibleParameters(f"The archive's file {quote(name)} is not a numpy array.{hint}")
    member = _Member(name[:-4], raw_name, method, bool(flags & _SIZES_FOLLOW), checksum, packed, size, offset)
    return member, end + extra + comment


def _data_start(view: memoryview, member: _Member) -> int:
    if member.position + _LOCAL.size > len(view):
        raise _refusal(f"no data for {quote(member.name)}")
    fields = _LOCAL.unpack_from(view, member.position)
    signature, method, name_length, extra = fields[0], fields[3], fields[9], fields[10]
    name_start = member.position + _LOCAL.size
    start: int = name_start + name_length + extra
    same_name = bytes(view[name_start : name_start + name_length]) == member.raw_name
    if signature != b"PK\x03\x04" or method != member.method or not same_name or start + member.packed > len(view):
        raise _refusal(f"data that does not match its directory at {quote(member.name)}")
    return start


def _unpack(packed: memoryview, member: _Member) -> Bytes:
    data: Bytes = packed if member.method == _STORED else _inflate(packed, member)
    if zlib.crc32(data) != member.checksum:
        raise IncompatibleParameters(f"The archive's file {quote(f'{member.name}.npy')} is damaged")
    return data


def _inflate(packed: memoryview, member: _Member) -> bytes:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        # Allows one extra byte to detect data that is longer than declared.
        data = inflater.decompress(packed, member.size + 1)
    except zlib.error:
        raise _wrong_size(member) from None
    if len(data) != member.size or not inflater.eof or inflater.unused_data or inflater.unconsumed_tail:
        raise _wrong_size(member)
    return data


def _wrong_size(member: _Member) -> IncompatibleParameters:
    return IncompatibleParameters(
        f"The archive's file {quote(f'{member.name}.npy')} does not decompress to its declared size"
    )


def _refusal(what: str) -> IncompatibleParameters:
    return IncompatibleParameters(f"Not a readable archive of numpy arrays: it has {what}.")
