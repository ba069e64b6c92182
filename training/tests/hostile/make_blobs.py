"""Print blobs that a participant must reject, one JSON object per line: {"name", "base64"}. The output never changes.

The only argument is a path. Every blob that contains code creates this path if the code runs.
"""

from __future__ import annotations

import base64
import bz2
import collections
import io
import json
import lzma
import marshal
import pickle
import random
import struct
import sys
import zipfile
import zlib

MARKER = sys.argv[1]
MAGIC_OF_OLD_TORCH = 0x1950A86A20F9469CFC6C


class Runs:
    """Object that creates the marker file when it is unpickled."""

    def __init__(self, how):
        self.how = how

    def __reduce__(self):
        import os

        if self.how == "system":
            return os.system, (f"touch {MARKER}",)
        if self.how == "open":
            return open, (MARKER, "w")
        return eval, (f"open({MARKER!r}, 'w').close()",)


def blobs():
    yield from pickles()
    yield from packed_pickles()
    yield from npy_files()
    yield from npz_files()
    yield from safetensors_files()
    yield from other_files()


def pickles():
    contents = {
        "system": Runs("system"),
        "open": Runs("open"),
        "eval": Runs("eval"),
        "state": collections.OrderedDict([("layer.weight", [0.5, 1.5]), ("hook", Runs("open"))]),
        "floats": {"w": [1.0, 2.0, 3.0]},
        "bytes": b"\x00" * 64,
    }
    for protocol in range(6):
        for name, content in contents.items():
            yield f"pickle {protocol} {name}", pickle.dumps(content, protocol=protocol)
    dumped = pickle.dumps(Runs("open"), protocol=4)
    yield "truncated pickle", dumped[:-3]
    yield "pickle padded to a multiple of four bytes", dumped + b"\x00" * (-len(dumped) % 4)
    yield "pickle after leading spaces", b"  " + dumped
    yield "pickle after a safetensors length", struct.pack("<Q", len(dumped)) + dumped
    yield "hand-written pickle", f"cos\nsystem\n(S'touch {MARKER}'\ntR.".encode()


def packed_pickles():
    dumped = pickle.dumps(Runs("open"), protocol=2)
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        members = {"archive/data.pkl": dumped, "archive/version": b"3\n", "archive/data/0": b"\x00" * 16}
        yield f"torch archive {method}", zip_of(members, method)
    yield "torch archive with a pickle named as an array", zip_of({"archive/data.npy": dumped})
    old = [pickle.dumps(part, protocol=2) for part in (MAGIC_OF_OLD_TORCH, 1001, {"little_endian": True}, Runs("open"))]
    yield "torch file in the legacy format", b"".join(old)
    yield "pickle in zlib", zlib.compress(dumped)
    yield "pickle in gzip", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + zlib.compress(dumped)[2:-4] + b"\x00" * 8
    yield "pickle in bzip2", bz2.compress(dumped)
    yield "pickle in xz", lzma.compress(dumped)
    code = compile(f"open({MARKER!r}, 'w').close()", "<blob>", "exec")
    yield "marshaled code", marshal.dumps(code)


def npy_files():
    dumped = pickle.dumps([Runs("open")], protocol=2)
    for version in (1, 2, 3):
        yield (
            f"npy version {version} with objects",
            npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", dumped, version),
        )
    ones = struct.pack("<2f", 1, 1)
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
    for name, descr in {
        "an object": "'O'",
        "a record with an object": "[('a', '<f4'), ('b', '|O')]",
        "a record": "[('a', '<f4')]",
        "text": "'<U1'",
        "bytes": "'|S4'",
        "dates": "'<M8[ns]'",
        "complex numbers": "'<c8'",
        "void": "'|V4'",
        "three-byte floats": "'<f3'",
        "an empty type": "''",
        "a number as type": "4",
    }.items():
        yield f"npy with {name}", npy(header.replace("'<f4'", descr), ones)
    for name, shape in {
        "too many elements": "(3,)",
        "too few elements": "(1,)",
        "a negative size": "(-2,)",
        "two negative sizes": "(-1, -2)",
        "a billion elements": "(1000000000,)",
        "an overflowing product": "(9223372036854775807, 2)",
        "a 400-digit size": "(" + "9" * 400 + ",)",
        "a fractional size": "(2.0,)",
        "text": "'2'",
        "a Boolean size": "(True,)",
        "a function call": f"(open({MARKER!r}, 'w'),)",
        "101 dimensions": "(" + "1, " * 100 + "2)",
    }.items():
        yield f"npy shape with {name}", npy(header.replace("(2,)", shape), ones)
    for name, text in {
        "code": f"__import__('os').system('touch {MARKER}')",
        "a lambda": "(lambda: {})()",
        "a list": "[1]",
        "no text": "",
        "an open brace": "{",
        "no shape": "{'descr': '<f4', 'fortran_order': False, }",
        "an unknown key": header.replace("'shape'", "'size'"),
        "an extra key": header.replace("{", "{'extra': 1, "),
        "a duplicate key": header.replace("{", "{'descr': '|O', "),
        "an invalid order": header.replace("False", "'maybe'"),
        "two dictionaries": header + header,
        "deeply nested brackets": "(" * 60_000,
        "non-ASCII text": header.replace("descr", "d\u00e9scr"),
    }.items():
        yield f"npy header with {name}", npy(text, ones)
    whole = npy(header, ones)
    yield "npy of an unknown version", whole[:6] + b"\x09\x09" + whole[8:]
    yield "npy without a version", whole[:6]
    yield "npy with a truncated header", whole[:40]
    yield "npy with truncated data", whole[:-1]
    yield "npy with trailing bytes", whole + b"\x00"
    yield "npy with a header length past the end", whole[:8] + b"\xff\xff" + whole[10:]
    yield "npy with a non-finite value", npy(header, struct.pack("<2f", float("nan"), 1))


def npz_files():
    member = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", struct.pack("<2f", 1, 1))
    objects = npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", pickle.dumps([Runs("open")], protocol=2))
    good = zip_of({"w.npy": member})
    yield "npz with objects", zip_of({"w.npy": objects})
    yield "npz with an additional pickle", zip_of({"w.npy": member, "data.pkl": pickle.dumps(Runs("open"))})
    yield "npz inside an npz", zip_of({"w.npy": good})
    yield "npz with a truncated directory", good[:-10]
    yield "npz with truncated data", good[: len(good) // 2]
    yield "npz with a wrong checksum", good.replace(member[-8:], struct.pack("<2f", 2, 2), 1)
    yield (
        "npz with an unknown compression method",
        good.replace(b"PK\x03\x04\x14\x00\x00\x00\x00\x00", b"PK\x03\x04\x14\x00\x00\x00\x63\x00").replace(
            b"PK\x01\x02\x14\x03\x14\x00\x00\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x00\x00\x63\x00"
        ),
    )
    yield (
        "npz with the encryption flag",
        good.replace(b"PK\x03\x04\x14\x00\x00\x00", b"PK\x03\x04\x14\x00\x01\x00").replace(
            b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00"
        ),
    )
    sizes = struct.pack("<II", len(member), len(member))
    yield "npz with a declared size of 1 GiB", good.replace(sizes, struct.pack("<II", 1 << 30, 1 << 30))
    yield "npz with a declared size of zero", good.replace(sizes, struct.pack("<II", 0, 0))
    bomb = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (10000000,), }", bytes(40_000_000))
    packed = zip_of({"w.npy": bomb}, zipfile.ZIP_DEFLATED)
    yield "npz bomb with a small declared size", packed.replace(struct.pack("<I", len(bomb)), struct.pack("<I", 136))
    yield (
        "npz bomb with a declared size one byte too small",
        packed.replace(struct.pack("<I", len(bomb)), struct.pack("<I", len(bomb) - 1)),
    )
    yield "npz with a wrong directory offset", good[:-6] + struct.pack("<I", 5) + good[-2:]
    yield "npz with a directory offset past the end", good[:-6] + struct.pack("<I", 1 << 31) + good[-2:]
    yield "npz with a declared count of 60,000 members", good[:-14] + struct.pack("<HH", 60_000, 60_000) + good[-10:]
    twice = io.BytesIO()
    with zipfile.ZipFile(twice, "w") as archive:
        archive.writestr(fixed("a.npy"), member)
        archive.writestr(fixed("b.npy"), member)
    yield "npz with a duplicate name", twice.getvalue().replace(b"b.npy", b"a.npy")


def safetensors_files():
    ones = struct.pack("<2f", 1, 1)
    tensor = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    for name, header in {
        "an unknown type": {"w": {**tensor, "dtype": "F33"}},
        "objects": {"w": {**tensor, "dtype": "O"}},
        "no type": {"w": {"shape": [2], "data_offsets": [0, 8]}},
        "no shape": {"w": {"dtype": "F32", "data_offsets": [0, 8]}},
        "no offsets": {"w": {"dtype": "F32", "shape": [2]}},
        "offsets past the end": {"w": {**tensor, "shape": [4], "data_offsets": [0, 16]}},
        "reversed offsets": {"w": {**tensor, "data_offsets": [8, 0]}},
        "negative offsets": {"w": {**tensor, "data_offsets": [-8, 0]}},
        "fractional offsets": {"w": {**tensor, "data_offsets": [0.5, 8]}},
        "three offsets": {"w": {**tensor, "data_offsets": [0, 4, 8]}},
        "offsets above 64 bits": {"w": {**tensor, "data_offsets": [0, 2**70]}},
        "a gap": {"w": {**tensor, "shape": [1], "data_offsets": [4, 8]}},
        "data without a tensor": {"w": {**tensor, "shape": [1], "data_offsets": [0, 4]}},
        "shared data": {"a": tensor, "b": tensor},
        "a shape that is too large": {"w": {**tensor, "shape": [3]}},
        "a shape that is too small": {"w": {**tensor, "shape": [1]}},
        "a negative shape": {"w": {**tensor, "shape": [-2]}},
        "two negative sizes": {"w": {**tensor, "shape": [-1, -2]}},
        "a shape that overflows": {"w": {**tensor, "shape": [2**62, 8]}},
        "text as size": {"w": {**tensor, "shape": ["2"]}},
        "a Boolean size": {"w": {**tensor, "shape": [True, 2]}},
        "a tensor that is a list": {"w": [1]},
        "a tensor that is null": {"w": None},
        "numbers in the metadata": {"__metadata__": {"a": 1}, "w": tensor},
        "metadata that is a list": {"__metadata__": [], "w": tensor},
    }.items():
        yield f"safetensors with {name}", safetensors(json.dumps(header), ones)
    good = json.dumps({"w": tensor})
    for name, text in {
        "a duplicate name": good[:-1] + ", " + good[1:],
        "a header that is a list": "[]",
        "a header that is a string": '"w"',
        "a header that is not JSON": "{'w'",
        "two headers": good + good,
        "deeply nested brackets": '{"w":' + "[" * 50_000,
        "a byte order mark": "\ufeff" + good,
        "an infinite size": good.replace("[2]", "[Infinity]"),
        "no header": "",
    }.items():
        yield f"safetensors with {name}", safetensors(text, ones)
    yield "safetensors with a Latin-1 header", struct.pack("<Q", 8) + b'{"\xe9":1}' + ones
    yield "safetensors with a non-finite value", safetensors(good, struct.pack("<2f", 1, float("inf")))
    yield "safetensors with a header length past the end", struct.pack("<Q", 1 << 20) + good.encode() + ones
    yield "safetensors with the maximum header length", b"\xff" * 8 + good.encode() + ones
    yield "safetensors with truncated data", safetensors(good, ones)[:-1]
    yield "safetensors with trailing bytes", safetensors(good, ones + b"\x00")
    yield "safetensors with a truncated header length", b"\x10\x00\x00"


def other_files():
    noise = random.Random(20261115)
    for size in (1, 7, 64, 4096):
        yield f"{size} random bytes", bytes(noise.randrange(256) for _ in range(size))
    yield "zeros", bytes(4096)
    yield "an executable", b"\x7fELF\x02\x01\x01" + bytes(57)
    yield "a script", f"#!/bin/sh\ntouch {MARKER}\n".encode()
    yield "an HTML page", b"<!doctype html><script>alert(1)</script>"
    yield "XML entities", b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'
    yield "tagged YAML", f"!!python/object/apply:os.system ['touch {MARKER}']\n".encode()
    yield "JSON", b'[{"w": [1, 2, 3]}]'
    yield "an HDF5 file", b"\x89HDF\r\n\x1a\n" + bytes(88)


def npy(header, data, version=1):
    size = "<H" if version == 1 else "<I"
    text = header.encode("latin1" if version < 3 else "utf-8") + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(size, len(text)) + text + data


def safetensors(header, data):
    text = header.encode()
    return struct.pack("<Q", len(text)) + text + data


def zip_of(members, method=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(fixed(name), data, method)
    return stream.getvalue()


def fixed(name):
    return zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))


for blob_name, blob in blobs():
    print(json.dumps({"name": blob_name, "base64": base64.b64encode(blob).decode()}))
