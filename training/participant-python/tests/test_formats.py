"""Tests for parameter formats: round trips, compatibility with numpy, and rejection of invalid files."""

from __future__ import annotations

import contextlib
import io
import json
import random
import struct
import zipfile
import zlib
from typing import Any

import pytest

from tollgate_participant.failures import BadRequest, IncompatibleParameters
from tollgate_participant.formats.npz import MAX_INFLATED_BYTES
from tollgate_participant.formats.parameters import detect_format, read_tensors, write_tensors
from tollgate_participant.formats.tensor_set import BYTES_PER_ELEMENT, Tensor


def random_set(seed: int, dtypes: list[str]) -> dict[str, Tensor]:
    source = random.Random(seed)
    tensors = {}
    for index in range(source.randrange(6)):
        dtype = source.choice(dtypes)
        shape = tuple(source.randrange(4) for _ in range(source.randrange(4)))
        size = BYTES_PER_ELEMENT[dtype]
        for extent in shape:
            size *= extent
        name = source.choice(["", "0", "w.b/é", 'quo"te', "line\n", "模型"]) + str(index)
        tensors[name] = Tensor(dtype, shape, source.getrandbits(8 * size).to_bytes(size, "little") if size else b"")
    return tensors


def plain(tensors: dict[str, Tensor]) -> list[tuple[str, str, tuple[int, ...], bytes]]:
    return [(name, tensor.dtype, tensor.shape, bytes(tensor.data)) for name, tensor in tensors.items()]


@pytest.mark.parametrize("format", ["safetensors", "npz"])
@pytest.mark.parametrize("seed", range(40))
def test_tensors_round_trip_in_order_and_their_format_is_detected(format: str, seed: int) -> None:
    dtypes = [dtype for dtype in BYTES_PER_ELEMENT if format == "safetensors" or dtype != "BF16"]
    tensors = random_set(seed, dtypes)
    data = write_tensors(tensors, format)
    assert detect_format(data) == format
    assert plain(read_tensors(bytearray(data))) == plain(tensors)
    assert write_tensors(read_tensors(data), format) == data


def test_npy_and_f32_hold_one_tensor_named_parameters() -> None:
    tensor = Tensor("F32", (2,), struct.pack("<2f", 1.5, -0.0))
    assert plain(read_tensors(write_tensors({"parameters": tensor}, "npy"))) == plain({"parameters": tensor})
    assert write_tensors({"any": tensor}, "f32") == tensor.data
    assert plain(read_tensors(tensor.data, "f32")) == plain({"parameters": tensor})


def test_safetensors_bytes_match_the_documented_layout() -> None:
    data = write_tensors({"b": Tensor("U8", (1,), b"\x07"), "10": Tensor("BOOL", (), b"\x01")})
    header = (
        b'{"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"10":{"dtype":"BOOL","shape":[],"data_offsets":[1,2]}}'
    )
    header += b" " * (-len(header) % 8)
    assert data == struct.pack("<Q", len(header)) + header + b"\x07\x01"


def test_tensors_that_a_format_cannot_hold_are_rejected() -> None:
    one, half = Tensor("F32", (1,), bytes(4)), Tensor("BF16", (1,), bytes(2))
    for tensors, format in [
        ({}, "npy"),
        ({"a": one, "b": one}, "f32"),
        ({"a": half}, "npy"),
        ({"a": half}, "npz"),
        ({"a": half}, "f32"),
        ({"a": Tensor("F32", (2,), bytes(4))}, "safetensors"),
        ({"a": Tensor("F32", (-1,), bytes(4))}, "safetensors"),
        ({"a": Tensor("C64", (1,), bytes(8))}, "safetensors"),
        ({"\ud800": one}, "safetensors"),
        ({"__metadata__": one}, "safetensors"),
    ]:
        with pytest.raises(IncompatibleParameters):
            write_tensors(tensors, format)
    with pytest.raises(BadRequest):
        write_tensors({"a": one}, "pickle")


def safetensors(header: Any, data: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(dtype: Any = "F32", shape: Any = (1,), offsets: Any = (0, 4)) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


SAFETENSORS_LIES = {
    "empty": b"",
    "no header": b"\x01\x00\x00",
    "header longer than the file": safetensors({}, length=3),
    "huge header": safetensors({}, length=2**63),
    "header over the limit": safetensors(b"{" + b" " * (16 * 1024 * 1024 + 1) + b"}"),
    "not JSON": safetensors(b"{nope}"),
    "not UTF-8": safetensors(b'{"\xff":1}'),
    "deeply nested": safetensors(b'{"a":' * 100_000),
    "not an object": safetensors([]),
    "leading space": safetensors(b" {}"),
    "NaN": safetensors(b'{"a":NaN}'),
    "entry is a number": safetensors({"a": 1}),
    "empty entry": safetensors({"a": {}}),
    "unknown type": safetensors({"a": entry("F128")}, bytes(4)),
    "type is a list": safetensors({"a": entry(["F32"])}, bytes(4)),
    "object element type": safetensors({"a": entry("OBJECT")}, bytes(4)),
    "negative shape": safetensors({"a": entry(shape=[-1])}, bytes(4)),
    "two negative sizes": safetensors({"a": entry(shape=[-1, -1])}, bytes(4)),
    "fractional size": safetensors({"a": entry(shape=[1.0])}, bytes(4)),
    "Boolean size": safetensors({"a": entry(shape=[True])}, bytes(4)),
    "text as size": safetensors({"a": entry(shape=["1"])}, bytes(4)),
    "huge shape": safetensors({"a": entry(shape=[10**9, 10**9])}, bytes(4)),
    "huge shape with a zero": safetensors({"a": entry(shape=[2**40, 2**40, 0], offsets=[0, 0])}),
    "shape overflows to four bytes": safetensors({"a": entry(shape=[2**32, 2**32 + 1])}, bytes(4)),
    "5000-digit size": safetensors(
        b'{"a":{"dtype":"F32","shape":[' + b"9" * 5000 + b'],"data_offsets":[0,4]}}', bytes(4)
    ),
    "65 dimensions": safetensors({"a": entry(shape=[1] * 65)}, bytes(4)),
    "shape too small": safetensors({"a": entry(shape=[1], offsets=[0, 8])}, bytes(8)),
    "scalar without data": safetensors({"a": entry(shape=[], offsets=[0, 0])}),
    "offsets past the end": safetensors({"a": entry()}, bytes(3)),
    "bytes after the data": safetensors({"a": entry()}, bytes(5)),
    "data without a tensor": safetensors({}, bytes(1)),
    "reversed offsets": safetensors({"a": entry(offsets=[4, 0])}, bytes(4)),
    "negative offset": safetensors({"a": entry(offsets=[-4, 0])}, bytes(4)),
    "three offsets": safetensors({"a": entry(offsets=[0, 4, 8])}, bytes(8)),
    "gap between tensors": safetensors({"a": entry(), "b": entry(offsets=[8, 12])}, bytes(12)),
    "gap before the first tensor": safetensors({"a": entry(offsets=[4, 8])}, bytes(8)),
    "overlapping tensors": safetensors({"a": entry(), "b": entry(offsets=[2, 6])}, bytes(6)),
    "shared data": safetensors({"a": entry(), "b": entry()}, bytes(4)),
    "duplicate name": safetensors(b'{"a":%s,"a":%s}' % ((json.dumps(entry()).encode(),) * 2), bytes(4)),
    "duplicate field": safetensors(b'{"a":{"dtype":"F32","dtype":"U8","shape":[1],"data_offsets":[0,4]}}', bytes(4)),
    "lone surrogate in a name": safetensors(b'{"\\ud800":%s}' % json.dumps(entry()).encode(), bytes(4)),
}


@pytest.mark.parametrize("lie", SAFETENSORS_LIES)
def test_invalid_safetensors_are_rejected(lie: str) -> None:
    with pytest.raises(IncompatibleParameters):
        read_tensors(SAFETENSORS_LIES[lie], "safetensors")


def test_safetensors_metadata_from_other_writers_is_ignored() -> None:
    data = safetensors({"__metadata__": {"format": "pt"}, "a": entry()}, struct.pack("<f", 2.5))
    assert plain(read_tensors(data)) == [("a", "F32", (1,), struct.pack("<f", 2.5))]


def npy(header: str, data: bytes = b"", version: bytes = b"\x01\x00", length: int | None = None) -> bytes:
    text = header.encode("latin-1")
    size = struct.pack("<H" if version[0] == 1 else "<I", len(text) if length is None else length)
    return b"\x93NUMPY" + version + size + text + data


def npy_header(descr: str = "'<f4'", order: str = "False", shape: str = "(1,)") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


NPY_LIES = {
    "magic bytes only": b"\x93NUMPY",
    "truncated header length": b"\x93NUMPY\x02\x00\x01\x00\x00",
    "version 4": npy(npy_header(), bytes(4), b"\x04\x00"),
    "header longer than the file": npy("{}", length=60_000),
    "header over the limit": npy(npy_header() + " " * 70_000, bytes(4), b"\x02\x00"),
    "object elements": npy(npy_header("'|O'"), b"\x80\x04K\x01."),
    "pickled objects": npy(npy_header("'O'"), b"cos\nsystem\n(S'true'\ntR."),
    "records": npy(npy_header("[('a', '<f4')]"), bytes(4)),
    "big-endian numbers": npy(npy_header("'>f4'"), bytes(4)),
    "text elements": npy(npy_header("'<U1'"), bytes(4)),
    "complex numbers": npy(npy_header("'<c8'"), bytes(8)),
    "column-major order": npy(npy_header(order="True", shape="(2, 2)"), bytes(16)),
    "expression as shape": npy(npy_header(shape="(__import__('os').getpid(),)"), bytes(4)),
    "function call as header": npy("__import__('os').system('true')", bytes(4)),
    "negative size": npy(npy_header(shape="(-1,)"), bytes(4)),
    "number as shape": npy(npy_header(shape="(1)"), bytes(4)),
    "huge shape": npy(npy_header(shape="(9999999999999999, 9999999999999999)"), bytes(4)),
    "5000-digit size": npy(npy_header(shape=f"({'9' * 5000},)"), bytes(4)),
    "too few bytes": npy(npy_header(), bytes(3)),
    "too many bytes": npy(npy_header(), bytes(5)),
    "duplicate field": npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", bytes(4)),
    "missing field": npy("{'descr': '<f4', 'shape': (1,), }", bytes(4)),
    "unknown field": npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", bytes(4)),
    "text after the header": npy(npy_header() + " ()", bytes(4)),
    "unclosed header": npy(npy_header()[:-1], bytes(4)),
}


@pytest.mark.parametrize("lie", NPY_LIES)
def test_invalid_npy_arrays_are_rejected(lie: str) -> None:
    with pytest.raises(IncompatibleParameters):
        read_tensors(NPY_LIES[lie], "npy")


def archive(files: dict[str, bytes], **options: Any) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", **options) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return buffer.getvalue()


GOOD_NPY = npy(npy_header(), struct.pack("<f", 1.0))


def patched(data: bytes, signature: bytes, field: int, value: bytes) -> bytes:
    at = data.rindex(signature) + field
    return data[:at] + value + data[at + len(value) :]


def test_compressed_and_streamed_archives_are_read() -> None:
    expected = [("a", "F32", (1,), struct.pack("<f", 1.0)), ("b", "F32", (1,), struct.pack("<f", 1.0))]
    files = {"a.npy": GOOD_NPY, "b.npy": GOOD_NPY}
    assert plain(read_tensors(archive(files))) == expected
    assert plain(read_tensors(archive(files, compression=zipfile.ZIP_DEFLATED))) == expected

    class Pipe(io.RawIOBase):
        """Stream that cannot seek, so that the writer puts the sizes after the data."""

        written = b""

        def writable(self) -> bool:
            return True

        def write(self, piece: Any) -> int:
            self.written += bytes(piece)
            return len(piece)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w") as target:
        for name, content in files.items():
            target.writestr(name, content)
    assert plain(read_tensors(pipe.written)) == expected


def npz_lies() -> dict[str, bytes]:
    good = archive({"a.npy": GOOD_NPY})
    deflated = archive({"a.npy": GOOD_NPY}, compression=zipfile.ZIP_DEFLATED)
    entry_mark, end_mark = b"PK\x01\x02", b"PK\x05\x06"
    two = archive({"a.npy": GOOD_NPY, "b.npy": GOOD_NPY})
    return {
        "signature only": b"PK\x03\x04",
        "PyTorch archive with a pickle": archive({"archive/data.pkl": b"\x80\x02}q\x00."}),
        "pickle named as an array": archive({"a.npy": b"\x80\x02}q\x00."}),
        "text file": archive({"readme.txt": b"hello"}),
        "leading bytes": b"PK" + good,
        "trailing bytes": good + b"\x00",
        "archive comment": good[:-2] + b"\x01\x00x",
        "truncated archive": good[:-1],
        "damaged data": good[:60] + bytes([good[60] ^ 1]) + good[61:],
        "damaged compressed data": deflated[:40] + bytes([deflated[40] ^ 0xFF]) + deflated[41:],
        "encrypted file": patched(good, entry_mark, 8, b"\x01\x00"),
        "bzip2 compression": archive({"a.npy": GOOD_NPY}, compression=zipfile.ZIP_BZIP2),
        "declared size too small": patched(deflated, entry_mark, 24, struct.pack("<I", len(GOOD_NPY) - 1)),
        "declared size too large": patched(deflated, entry_mark, 24, struct.pack("<I", len(GOOD_NPY) + 1)),
        "declared size of 4 GiB": patched(good, entry_mark, 24, b"\xff\xff\xff\xff"),
        "declared size over the limit": patched(deflated, entry_mark, 24, struct.pack("<I", MAX_INFLATED_BYTES + 1)),
        "mismatched file names": good.replace(b"a.npy", b"b.npy", 1),
        "duplicate name": two.replace(b"b.npy", b"a.npy"),
        "shared data": patched(two, entry_mark, 42, struct.pack("<I", 0)),
        "wrong directory offset": patched(good, end_mark, 16, struct.pack("<I", 0)),
        "entry count too high": patched(good, end_mark, 8, b"\x02\x00\x02\x00"),
        "entry count too low": patched(two, end_mark, 8, b"\x01\x00\x01\x00"),
        "multi-volume archive": patched(good, end_mark, 4, b"\x01\x00"),
        "data past the end": patched(good, entry_mark, 42, struct.pack("<I", 2**31)),
    }


@pytest.mark.parametrize("lie", npz_lies())
def test_invalid_npz_archives_are_rejected(lie: str) -> None:
    with pytest.raises(IncompatibleParameters):
        read_tensors(npz_lies()[lie], "npz")


def test_decompression_bomb_is_rejected_at_its_declared_size() -> None:
    bomb = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = bomb.compress(bytes(20_000_000)) + bomb.flush()
    data = archive({"a.npy": packed})
    # The directory declares a small deflated file. Decompression stops when the data exceeds the declared size.
    data = patched(patched(data, b"PK\x01\x02", 10, b"\x08\x00"), b"PK\x01\x02", 24, struct.pack("<I", 100))
    data = data[:8] + b"\x08\x00" + data[10:]
    with pytest.raises(IncompatibleParameters, match="does not decompress to its declared size"):
        read_tensors(data)


@pytest.mark.parametrize(
    "data", [b"", b"\x80\x04\x95\x00\x00.", b"\x80\x02}q\x00.", b"\x80", b"(dp0\n.", b"hello", bytes(4), bytes(400)]
)
def test_bytes_of_unknown_format_are_never_read_as_floats(data: bytes) -> None:
    with pytest.raises(IncompatibleParameters):
        read_tensors(data)
    if len(data) % 4:
        with pytest.raises(IncompatibleParameters):
            read_tensors(data, "f32")


def test_randomly_damaged_files_are_read_or_rejected_without_other_errors() -> None:
    source = random.Random(5)
    tensors = {"a": Tensor("F32", (2, 2), bytes(range(16))), "b": Tensor("I64", (), bytes(8))}
    for format in ("safetensors", "npz", "npy"):
        good = write_tensors(tensors if format != "npy" else {"a": tensors["a"]}, format)
        for _ in range(1500):
            damaged = bytearray(good)
            for _ in range(source.randrange(1, 4)):
                damaged[source.randrange(len(damaged))] = source.randrange(256)
            cut = source.randrange(len(damaged)) if source.random() < 0.2 else len(damaged)
            with contextlib.suppress(IncompatibleParameters):
                read_tensors(bytes(damaged[:cut]), format)


def test_numpy_files_and_arrays_convert_without_loss() -> None:
    numpy = pytest.importorskip("numpy")
    from tollgate_participant.formats.numpy_arrays import from_numpy, to_numpy

    arrays = {
        "w": numpy.arange(6, dtype="<f4").reshape(2, 3),
        "t": numpy.arange(6, dtype="<f8").reshape(2, 3).T,
        "h": numpy.array([1.5, -0.0], "<f2"),
        "n": numpy.array(7, "<i8"),
        "m": numpy.array([True, False]),
        "big": numpy.array([1.0, 2.0], ">f4"),
    }
    tensors = {name: from_numpy(array) for name, array in arrays.items()}
    for name, array in arrays.items():
        assert numpy.array_equal(to_numpy(tensors[name]), array)
        buffer = io.BytesIO()
        if array.dtype.isnative:
            numpy.save(buffer, numpy.array(array, order="C"))
            assert write_tensors({name: tensors[name]}, "npy") == buffer.getvalue()
    for save in (numpy.savez, numpy.savez_compressed):
        buffer = io.BytesIO()
        save(buffer, **{name: numpy.array(to_numpy(tensor)) for name, tensor in tensors.items()})
        assert plain(read_tensors(buffer.getvalue())) == plain(tensors)
    loaded = numpy.load(io.BytesIO(write_tensors(tensors, "npz")))
    assert list(loaded) == list(arrays)
    assert all(numpy.array_equal(loaded[name], array) for name, array in arrays.items())
    assert to_numpy(Tensor("BF16", (1,), b"\x80\x3f"))[0] == 1.0
    to_numpy(tensors["w"])[0] = 5
    with pytest.raises(IncompatibleParameters):
        from_numpy(numpy.array([1j]))
