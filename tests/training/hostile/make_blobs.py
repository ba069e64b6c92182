"""Prints blobs that a participant must refuse, one JSON object a line: {"name", "base64"}. Always the same ones.

The only argument is a path that every blob with code in it would create when its code runs.
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
    """Creates the marker when it is unpickled."""

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
    yield "pickle cut short", dumped[:-3]
    yield "pickle padded to floats", dumped + b"\x00" * (-len(dumped) % 4)
    yield "pickle after spaces", b"  " + dumped
    yield "pickle after a safetensors length", struct.pack("<Q", len(dumped)) + dumped
    yield "pickle written by hand", f"cos\nsystem\n(S'touch {MARKER}'\ntR.".encode()


def packed_pickles():
    dumped = pickle.dumps(Runs("open"), protocol=2)
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        members = {"archive/data.pkl": dumped, "archive/version": b"3\n", "archive/data/0": b"\x00" * 16}
        yield f"torch archive {method}", zip_of(members, method)
    yield "torch archive named as arrays", zip_of({"archive/data.npy": dumped})
    old = [pickle.dumps(part, protocol=2) for part in (MAGIC_OF_OLD_TORCH, 1001, {"little_endian": True}, Runs("open"))]
    yield "torch file before archives", b"".join(old)
    yield "pickle in zlib", zlib.compress(dumped)
    yield "pickle in gzip", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + zlib.compress(dumped)[2:-4] + b"\x00" * 8
    yield "pickle in bzip2", bz2.compress(dumped)
    yield "pickle in xz", lzma.compress(dumped)
    code = compile(f"open({MARKER!r}, 'w').close()", "<blob>", "exec")
    yield "marshalled code", marshal.dumps(code)


def npy_files():
    dumped = pickle.dumps([Runs("open")], protocol=2)
    for version in (1, 2, 3):
        yield (
            f"npy of objects {version}",
            npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", dumped, version),
        )
    ones = struct.pack("<2f", 1, 1)
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
    for name, descr in {
        "object": "'O'",
        "record with an object": "[('a', '<f4'), ('b', '|O')]",
        "record": "[('a', '<f4')]",
        "text": "'<U1'",
        "bytes": "'|S4'",
        "dates": "'<M8[ns]'",
        "complex numbers": "'<c8'",
        "void": "'|V4'",
        "three bytes": "'<f3'",
        "no type": "''",
        "a number": "4",
    }.items():
        yield f"npy of {name}", npy(header.replace("'<f4'", descr), ones)
    for name, shape in {
        "too many": "(3,)",
        "too few": "(1,)",
        "a negative": "(-2,)",
        "two negatives": "(-1, -2)",
        "a billion": "(1000000000,)",
        "an overflow": "(9223372036854775807, 2)",
        "beyond all integers": "(" + "9" * 400 + ",)",
        "a fraction": "(2.0,)",
        "a text": "'2'",
        "true": "(True,)",
        "a call": f"(open({MARKER!r}, 'w'),)",
        "hundred dimensions": "(" + "1, " * 100 + "2)",
    }.items():
        yield f"npy with a shape of {name}", npy(header.replace("(2,)", shape), ones)
    for name, text in {
        "code": f"__import__('os').system('touch {MARKER}')",
        "a lambda": "(lambda: {})()",
        "an array": "[1]",
        "nothing": "",
        "an open brace": "{",
        "no shape": "{'descr': '<f4', 'fortran_order': False, }",
        "another key": header.replace("'shape'", "'size'"),
        "more keys": header.replace("{", "{'extra': 1, "),
        "a key twice": header.replace("{", "{'descr': '|O', "),
        "an order of maybe": header.replace("False", "'maybe'"),
        "two dictionaries": header + header,
        "deep brackets": "(" * 60_000,
        "text beyond ASCII": header.replace("descr", "d\u00e9scr"),
    }.items():
        yield f"npy with a header of {name}", npy(text, ones)
    whole = npy(header, ones)
    yield "npy of another version", whole[:6] + b"\x09\x09" + whole[8:]
    yield "npy without a version", whole[:6]
    yield "npy cut in its header", whole[:40]
    yield "npy cut in its data", whole[:-1]
    yield "npy with more behind", whole + b"\x00"
    yield "npy with a header beyond its end", whole[:8] + b"\xff\xff" + whole[10:]
    yield "npy that is not finite", npy(header, struct.pack("<2f", float("nan"), 1))


def npz_files():
    member = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", struct.pack("<2f", 1, 1))
    objects = npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", pickle.dumps([Runs("open")], protocol=2))
    good = zip_of({"w.npy": member})
    yield "npz of objects", zip_of({"w.npy": objects})
    yield "npz with a pickle beside", zip_of({"w.npy": member, "data.pkl": pickle.dumps(Runs("open"))})
    yield "npz in an npz", zip_of({"w.npy": good})
    yield "npz cut in its directory", good[:-10]
    yield "npz cut in its data", good[: len(good) // 2]
    yield "npz with a wrong checksum", good.replace(member[-8:], struct.pack("<2f", 2, 2), 1)
    yield (
        "npz with an unknown method",
        good.replace(b"PK\x03\x04\x14\x00\x00\x00\x00\x00", b"PK\x03\x04\x14\x00\x00\x00\x63\x00").replace(
            b"PK\x01\x02\x14\x03\x14\x00\x00\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x00\x00\x63\x00"
        ),
    )
    yield (
        "npz that is encrypted",
        good.replace(b"PK\x03\x04\x14\x00\x00\x00", b"PK\x03\x04\x14\x00\x01\x00").replace(
            b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00"
        ),
    )
    sizes = struct.pack("<II", len(member), len(member))
    yield "npz that says a gigabyte", good.replace(sizes, struct.pack("<II", 1 << 30, 1 << 30))
    yield "npz that says nothing", good.replace(sizes, struct.pack("<II", 0, 0))
    bomb = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (10000000,), }", bytes(40_000_000))
    packed = zip_of({"w.npy": bomb}, zipfile.ZIP_DEFLATED)
    yield "npz bomb that says it is small", packed.replace(struct.pack("<I", len(bomb)), struct.pack("<I", 136))
    yield (
        "npz bomb that says it is shorter",
        packed.replace(struct.pack("<I", len(bomb)), struct.pack("<I", len(bomb) - 1)),
    )
    yield "npz with a directory elsewhere", good[:-6] + struct.pack("<I", 5) + good[-2:]
    yield "npz with a directory beyond its end", good[:-6] + struct.pack("<I", 1 << 31) + good[-2:]
    yield "npz with sixty thousand members said", good[:-14] + struct.pack("<HH", 60_000, 60_000) + good[-10:]
    twice = io.BytesIO()
    with zipfile.ZipFile(twice, "w") as archive:
        archive.writestr(fixed("a.npy"), member)
        archive.writestr(fixed("b.npy"), member)
    yield "npz with a name twice", twice.getvalue().replace(b"b.npy", b"a.npy")


def safetensors_files():
    ones = struct.pack("<2f", 1, 1)
    tensor = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    for name, header in {
        "an unknown type": {"w": {**tensor, "dtype": "F33"}},
        "objects": {"w": {**tensor, "dtype": "O"}},
        "no type": {"w": {"shape": [2], "data_offsets": [0, 8]}},
        "no shape": {"w": {"dtype": "F32", "data_offsets": [0, 8]}},
        "no offsets": {"w": {"dtype": "F32", "shape": [2]}},
        "offsets beyond the end": {"w": {**tensor, "shape": [4], "data_offsets": [0, 16]}},
        "offsets turned round": {"w": {**tensor, "data_offsets": [8, 0]}},
        "negative offsets": {"w": {**tensor, "data_offsets": [-8, 0]}},
        "offsets of halves": {"w": {**tensor, "data_offsets": [0.5, 8]}},
        "three offsets": {"w": {**tensor, "data_offsets": [0, 4, 8]}},
        "offsets beyond integers": {"w": {**tensor, "data_offsets": [0, 2**70]}},
        "a hole": {"w": {**tensor, "shape": [1], "data_offsets": [4, 8]}},
        "unowned data": {"w": {**tensor, "shape": [1], "data_offsets": [0, 4]}},
        "two owners": {"a": tensor, "b": tensor},
        "a shape too large": {"w": {**tensor, "shape": [3]}},
        "a shape too small": {"w": {**tensor, "shape": [1]}},
        "a negative shape": {"w": {**tensor, "shape": [-2]}},
        "two negatives": {"w": {**tensor, "shape": [-1, -2]}},
        "a shape that overflows": {"w": {**tensor, "shape": [2**62, 8]}},
        "a shape of texts": {"w": {**tensor, "shape": ["2"]}},
        "a shape of true": {"w": {**tensor, "shape": [True, 2]}},
        "a tensor that is a list": {"w": [1]},
        "a tensor that is null": {"w": None},
        "metadata of numbers": {"__metadata__": {"a": 1}, "w": tensor},
        "metadata that is a list": {"__metadata__": [], "w": tensor},
    }.items():
        yield f"safetensors with {name}", safetensors(json.dumps(header), ones)
    good = json.dumps({"w": tensor})
    for name, text in {
        "a name twice": good[:-1] + ", " + good[1:],
        "a header that is a list": "[]",
        "a header that is a text": '"w"',
        "a header that is no JSON": "{'w'",
        "a header of two": good + good,
        "deep brackets": '{"w":' + "[" * 50_000,
        "a mark before its header": "\ufeff" + good,
        "an infinite number": good.replace("[2]", "[Infinity]"),
        "no header": "",
    }.items():
        yield f"safetensors with {name}", safetensors(text, ones)
    yield "safetensors of Latin-1", struct.pack("<Q", 8) + b'{"\xe9":1}' + ones
    yield "safetensors that is not finite", safetensors(good, struct.pack("<2f", 1, float("inf")))
    yield "safetensors with a length beyond its end", struct.pack("<Q", 1 << 20) + good.encode() + ones
    yield "safetensors with all the length there is", b"\xff" * 8 + good.encode() + ones
    yield "safetensors cut in its data", safetensors(good, ones)[:-1]
    yield "safetensors with more behind", safetensors(good, ones + b"\x00")
    yield "safetensors cut in its length", b"\x10\x00\x00"


def other_files():
    noise = random.Random(20261115)
    for size in (1, 7, 64, 4096):
        yield f"noise of {size}", bytes(noise.randrange(256) for _ in range(size))
    yield "zeros", bytes(4096)
    yield "a program", b"\x7fELF\x02\x01\x01" + bytes(57)
    yield "a script", f"#!/bin/sh\ntouch {MARKER}\n".encode()
    yield "a page", b"<!doctype html><script>alert(1)</script>"
    yield "entities", b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'
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
