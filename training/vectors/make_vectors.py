"""Generate vectors.json, the parameter files and aggregations that both SDKs must agree on. See README.md."""

import base64
import io
import json
import math
import pickle
import struct
import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np
from safetensors.numpy import save as save_safetensors

TYPES = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "I16": np.dtype("<i2"),
    "I8": np.dtype("i1"),
    "U64": np.dtype("<u8"),
    "U32": np.dtype("<u4"),
    "U16": np.dtype("<u2"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}
NAMES = {dtype: name for name, dtype in TYPES.items()}
FLOATS = ("F64", "F32", "F16", "BF16")


def main():
    random = np.random.default_rng(20260101)
    vectors = {
        "files": files(random),
        "refused": refused(),
        "aggregations": aggregations(random),
        "measures": measures(random),
    }
    Path(__file__).with_name("vectors.json").write_text(json.dumps(vectors, indent=2, ensure_ascii=False) + "\n")


# Files


def files(random):
    every = {f"t{index}.{name.lower()}": array(random, name, (2, 3)) for index, name in enumerate(TYPES)}
    plain = {name: values for name, values in every.items() if NAMES[values.dtype] != "BF16"}
    shapes = {
        "10": array(random, "F32", (2,)),
        "9": array(random, "F32", ()),
        "layer.é": array(random, "F32", (0, 4)),
        'quote"\\\n': array(random, "F32", (1, 1, 1)),
    }
    one = {"parameters": array(random, "F32", (3, 4))}
    cases = [
        file_case("all types", "safetensors", canonical_safetensors(every), every, True),
        file_case("names and shapes", "safetensors", canonical_safetensors(shapes), shapes, True),
        file_case("no tensors", "safetensors", canonical_safetensors({}), {}, True),
        file_case("without padding", "safetensors", safetensors_bytes(one, pad=1), one, False),
        reference_safetensors(every),
        file_case("numpy savez", "npz", saved(np.savez, plain), plain, False),
        file_case("numpy savez_compressed", "npz", saved(np.savez_compressed, plain), plain, False),
        file_case("raw floats", "f32", one["parameters"].tobytes(), {"parameters": one["parameters"].ravel()}, True),
    ]
    for version in ((1, 0), (2, 0), (3, 0)):
        stream = io.BytesIO()
        np.lib.format.write_array(stream, one["parameters"], version=version)
        cases.append(file_case(f"npy version {version[0]}", "npy", stream.getvalue(), one, version == (1, 0)))
    column = {"parameters": np.asfortranarray(array(random, "F64", (5,)))}
    cases.append(file_case("npy with one dimension", "npy", saved_npy(column["parameters"]), column, True))
    scalar = {"parameters": array(random, "I64", ())}
    cases.append(file_case("npy scalar", "npy", saved_npy(scalar["parameters"]), scalar, True))
    return cases


def reference_safetensors(tensors):
    """Return a file from the reference library, which orders tensors by type and then by name."""
    content = save_safetensors(tensors, metadata={"format": "np"})
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    header.pop("__metadata__")
    order = sorted(header, key=lambda name: header[name]["data_offsets"])
    return file_case("reference library", "safetensors", content, {name: tensors[name] for name in order}, False)


def file_case(name, format, content, tensors, canonical):
    listed = [
        {"name": key, "dtype": NAMES[value.dtype], "shape": list(value.shape), "data": encode(value.tobytes())}
        for key, value in tensors.items()
    ]
    return {"name": name, "format": format, "canonical": canonical, "file": encode(content), "tensors": listed}


def refused():
    weights = np.arange(6, dtype="<f4").reshape(2, 3)
    good = canonical_safetensors({"a": weights, "b": weights})
    npy = saved_npy(weights)
    npz = saved(np.savez, {"a": weights})
    deflated = saved(np.savez_compressed, {"a": np.zeros(1000, "<f4")})
    objects = np.array([{"a": 1}, None], dtype=object)
    cases = {
        "empty file": b"",
        "HTML page": b"<html>502 Bad Gateway</html>",
        "JSON": b'{"parameters": [1, 2, 3]}',
        "raw floats": weights.tobytes(),
        "npy with objects": saved_npy(objects),
        "npz with objects": saved(np.savez, {"a": objects}),
        "npy with text": saved_npy(np.array(["a", "bc"])),
        "npy with complex numbers": saved_npy(weights.astype("<c8")),
        "npy with records": saved_npy(np.zeros(2, dtype=[("x", "<f4"), ("y", "<i4")])),
        "npy with dates": saved_npy(np.array(["2026-01-01"], dtype="datetime64[D]")),
        "npy with big-endian numbers": saved_npy(weights.astype(">f4")),
        "npy in column-major order": saved_npy(np.asfortranarray(weights)),
        "npy with truncated data": npy[:-1],
        "npy with trailing bytes": npy + b"\0",
        "npy without data": npy[:128],
        "npy with a truncated header": npy[:40],
        "npy version 9": npy[:6] + b"\x09" + npy[7:],
        "npy with a header length past the end": npy[:8] + b"\xff\xff" + npy[10:],
        "npy with a negative size": npy.replace(b"(2, 3)", b"(-2,3)"),
        "npy with a shape that doesn't match the data": npy.replace(b"(2, 3)", b"(2, 4)"),
        "npy with a huge shape": npy_with(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"
        ),
        "npy with a huge shape and a zero": npy_with(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (9007199254740991, 9007199254740991, 0), }"
        ),
        "npy with a fractional shape": npy.replace(b"(2, 3)", b"(2.,3)"),
        "npy with a number as shape": npy_with("{'descr': '<f4', 'fortran_order': False, 'shape': (6), }", 24),
        "npy with code in the header": npy_with(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (__import__('os'),), }"
        ),
        "npy with a duplicate field": npy_with(
            "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", 24
        ),
        "npy without a shape": npy_with("{'descr': '<f4', 'fortran_order': False, }", 24),
        "npy with an unknown field": npy_with(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'x': 'y', }", 24
        ),
        "npy with an unknown type": npy.replace(b"<f4", b"<q4"),
        "npz with truncated data": npz[:-30],
        "npz with damaged data": npz.replace(weights.tobytes(), weights[::-1].tobytes()),
        "npz without a directory": npz[: npz.index(b"PK\x01\x02")],
        "npz with a wrong decompressed size": lie_about_size(deflated, 8),
        "npz with the encryption flag": flag_encrypted(npz),
        "npz with a text file": zipped({"a.npy": npy, "readme.txt": b"hello"}),
        "npz with a path outside the archive": zipped({"../../etc/passwd": b"root"}),
        "npz with a duplicate name": zipped_twice("a.npy", npy),
        "npz with overlapping files": overlapping(npy),
        "npz with trailing bytes": npz + b"rest",
        "PyTorch archive with a pickle": zipped(
            {"archive/data.pkl": pickle.dumps(Bomb(), 2), "archive/data/0": b"\0" * 24}
        ),
        "safetensors with a header length past the end": struct.pack("<Q", len(good)) + good[8:],
        "safetensors with a huge header length": struct.pack("<Q", 2**62) + good[8:],
        "safetensors with a header length of 4 GiB": struct.pack("<Q", 2**32 + 8) + good[8:],
        "safetensors with truncated data": good[:-1],
        "safetensors with trailing bytes": good + b"\0",
        "safetensors with a truncated header": good[:100],
    }
    for name, header, data in hostile_headers():
        cases[f"safetensors with {name}"] = with_header(header, data)
    for protocol in range(6):
        cases[f"pickle protocol {protocol}"] = pickle.dumps(Bomb(), protocol)
        cases[f"pickled list protocol {protocol}"] = pickle.dumps([1.0, 2.0, 3.0], protocol)
    return [{"name": name, "file": encode(content)} for name, content in cases.items()]


def hostile_headers():
    entry = '{"dtype":"F32","shape":[2],"data_offsets":[0,8]}'
    second = '{"dtype":"F32","shape":[2],"data_offsets":[8,16]}'
    data = b"\0" * 16
    yield "overlapping tensors", f'{{"a":{entry},"b":{{"dtype":"F32","shape":[3],"data_offsets":[4,16]}}}}', data
    yield "shared data", f'{{"a":{entry},"b":{entry}}}', data[:8]
    yield "a gap", f'{{"a":{entry},"b":{{"dtype":"F32","shape":[1],"data_offsets":[12,16]}}}}', data
    yield "a gap at the start", f'{{"b":{second}}}', data
    yield "data without a tensor", f'{{"a":{entry}}}', data
    yield "a duplicate name", f'{{"a":{entry},"a":{second}}}', data
    yield "a duplicate escaped name", f'{{"a":{entry},"\\u0061":{second}}}', data
    yield "a duplicate field", '{"a":{"dtype":"F64","dtype":"F32","shape":[2],"data_offsets":[0,8]}}', data[:8]
    yield "reversed offsets", '{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}', data[:8]
    yield "a negative offset", '{"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}}', data[:8]
    yield "one offset", '{"a":{"dtype":"F32","shape":[2],"data_offsets":[8]}}', data[:8]
    yield "three offsets", '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}}', data[:8]
    yield "text as offsets", '{"a":{"dtype":"F32","shape":[2],"data_offsets":["0","8"]}}', data[:8]
    yield "a huge offset", '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,1e300]}}', data[:8]
    yield "a shape that doesn't match the data", '{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}', data[:8]
    yield "negative sizes", '{"a":{"dtype":"F32","shape":[-1,-2],"data_offsets":[0,8]}}', data[:8]
    yield "a fractional size", '{"a":{"dtype":"F32","shape":[0.5,4],"data_offsets":[0,8]}}', data[:8]
    yield "a Boolean size", '{"a":{"dtype":"F32","shape":[true,2],"data_offsets":[0,8]}}', data[:8]
    yield (
        "an overflowing shape",
        '{"a":{"dtype":"F32","shape":[4294967296,4294967296,2],"data_offsets":[0,8]}}',
        data[:8],
    )
    yield (
        "an overflow hidden by a zero",
        ('{"a":{"dtype":"F32","shape":[9007199254740991,9007199254740991,0],"data_offsets":[0,0]}}'),
        b"",
    )
    yield "101 dimensions", f'{{"a":{{"dtype":"F32","shape":[2{",1" * 100}],"data_offsets":[0,8]}}}}', data[:8]
    yield "no shape", '{"a":{"dtype":"F32","data_offsets":[0,8]}}', data[:8]
    yield "no type", '{"a":{"shape":[2],"data_offsets":[0,8]}}', data[:8]
    yield "an unknown type", '{"a":{"dtype":"F33","shape":[2],"data_offsets":[0,8]}}', data[:8]
    yield (
        "a JavaScript property name as type",
        '{"a":{"dtype":"constructor","shape":[2],"data_offsets":[0,8]}}',
        data[:8],
    )
    yield "a lowercase type", '{"a":{"dtype":"f32","shape":[2],"data_offsets":[0,8]}}', data[:8]
    yield "NaN as size", '{"a":{"dtype":"F32","shape":[NaN],"data_offsets":[0,8]}}', data[:8]
    yield "a null tensor", '{"a":null}', b""
    yield "numbers in the metadata", f'{{"__metadata__":{{"a":1}},"a":{entry}}}', data[:8]
    yield "text after the header", f'{{"a":{entry}}} x', data[:8]
    yield "truncated JSON", f'{{"a":{entry}', data[:8]
    yield "deeply nested JSON", '{"a":' + "[" * 3000 + "]" * 3000 + "}", b""
    yield "a lone surrogate", f'{{"\\ud800":{entry}}}', data[:8]


class Bomb:
    """Object whose pickle runs a command when it is loaded."""

    def __reduce__(self):
        return (__import__("os").system, ("echo loaded > /tmp/tollgate-pickle-was-loaded",))


def saved(save, tensors):
    stream = io.BytesIO()
    save(stream, **tensors)
    return stream.getvalue()


def saved_npy(values):
    stream = io.BytesIO()
    np.save(stream, values, allow_pickle=values.dtype == object)
    return stream.getvalue()


def npy_with(header, data_bytes=0):
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + b"\0" * data_bytes


def with_header(header, data):
    return struct.pack("<Q", len(header.encode())) + header.encode() + data


def zipped(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


def zipped_twice(name, content):
    """Return an archive with two members of the same name, created without a warning from zipfile."""
    other = "X" + name[1:]
    return zipped({name: content, other: content}).replace(other.encode(), name.encode())


def overlapping(content):
    """Return an archive with two directory entries that refer to the same bytes."""
    archive = bytearray(zipped({"a.npy": content, "b.npy": content}))
    first = archive.index(b"PK\x01\x02")
    second = archive.index(b"PK\x01\x02", first + 4)
    archive[second + 42 : second + 46] = archive[first + 42 : first + 46]
    archive[second + 46 : second + 51] = b"a.npy"
    return bytes(archive)


def lie_about_size(content, bytes_said):
    archive = bytearray(content)
    entry = archive.index(b"PK\x01\x02")
    archive[entry + 24 : entry + 28] = struct.pack("<I", bytes_said)
    return bytes(archive)


def flag_encrypted(content):
    archive = bytearray(content)
    archive[archive.index(b"PK\x01\x02") + 8] |= 1
    archive[archive.index(b"PK\x03\x04") + 6] |= 1
    return bytes(archive)


# Aggregation, with the order of operations that both SDKs guarantee


def aggregations(random):
    cases = []
    for count in (1, 2, 5):
        members = [model(random) for _ in range(count)]
        weights = [float(weight) for weight in random.integers(1, 500, count)]
        cases.append(aggregation("fedavg", {}, members, None, None, fed_avg(members, [1.0] * count)))
        cases.append(aggregation("fedavg", {}, members, weights, None, fed_avg(members, weights)))
    members = [model(random) for _ in range(3)]
    fractions = [0.1, 0.7, 0.2]
    cases.append(aggregation("fedavg", {}, members, fractions, None, fed_avg(members, fractions)))
    cases.append(aggregation("fedavg", {}, members, [0.0, 3.0, 3.0], None, fed_avg(members, [0.0, 3.0, 3.0])))
    same = model(random)
    cases.append(aggregation("fedavg", {}, [same] * 3, None, None, fed_avg([same] * 3, [1.0] * 3)))
    for count in (3, 4, 7):
        members = [model(random) for _ in range(count)]
        members[1] = {name: values.copy() for name, values in members[0].items()}
        cases.append(aggregation("median", {}, members, None, None, median(members)))
    for count, beta in ((3, 0.34), (5, 0.2), (10, 0.29), (4, 0.1)):
        members = [model(random) for _ in range(count)]
        cases.append(aggregation("trimmed_mean", {"beta": beta}, members, None, None, trimmed_mean(members, beta)))
    members = [model(random) for _ in range(7)]
    members[5] = members[2]
    cases.append(aggregation("krum", {"f": 2}, members, None, None, krum(members, 2)))
    cases.append(aggregation("krum", {"f": 0}, members, None, None, krum(members, 0)))
    cases.append(aggregation("multi_krum", {"f": 2, "m": 4}, members, None, None, multi_krum(members, 2, 4)))
    base = model(random)
    members = [model(random) for _ in range(4)]
    weights = [10.0, 20.0, 5.0, 65.0]
    cases.append(aggregation("delta", {}, members, weights, base, add_mean_change(base, members, weights, [1.0] * 4)))
    for limit in (1.5, 1e9):
        lengths = [length(difference(member, base)) for member in members]
        scales = [limit / value if value > limit else 1.0 for value in lengths]
        result = add_mean_change(base, members, weights, scales)
        cases.append(aggregation("norm_clip", {"norm": limit}, members, weights, base, result))
    return cases


def measures(random):
    first, second = model(random), model(random)
    sets = [encode(canonical_safetensors(first)), encode(canonical_safetensors(second))]
    product = sum_in_order(a * b for a, b in zip(doubles(first), doubles(second)))
    return [
        {"measure": "norm", "sets": sets[:1], "value": length(doubles(first))},
        {"measure": "distance", "sets": sets, "value": length(difference(first, second))},
        {"measure": "cosine", "sets": sets, "value": product / (length(doubles(first)) * length(doubles(second)))},
    ]


def fed_avg(members, weights):
    heaviest = members[max(range(len(members)), key=lambda index: weights[index])]
    total = sum_in_order(weights)

    def mean(columns):
        accumulated = np.zeros_like(columns[0])
        for weight, values in zip(weights, columns):
            accumulated = accumulated + weight * values
        return accumulated / total

    return combine(members, mean, heaviest)


def median(members):
    middle = len(members) // 2

    def middles(columns):
        ordered = np.sort(np.stack(columns), axis=0)
        if len(members) % 2 == 1:
            return ordered[middle] + 0.0
        return (ordered[middle - 1] + ordered[middle]) / 2 + 0.0

    return combine(members, middles, members[0])


def trimmed_mean(members, beta):
    dropped = math.floor(beta * len(members))

    def mean(columns):
        ordered = np.sort(np.stack(columns), axis=0)[dropped : len(columns) - dropped]
        accumulated = np.zeros_like(columns[0])
        for values in ordered:
            accumulated = accumulated + values
        return accumulated / len(ordered)

    return combine(members, mean, members[0])


def krum(members, f):
    return members[ranking(members, f)[0]]


def multi_krum(members, f, m):
    return fed_avg([members[index] for index in sorted(ranking(members, f)[:m])], [1.0] * m)


def ranking(members, f):
    scores = []
    for index, member in enumerate(members):
        others = [other for position, other in enumerate(members) if position != index]
        distances = sorted(sum_in_order(d * d for d in difference(member, other)) for other in others)
        scores.append(sum_in_order(distances[: len(members) - f - 2]))
    return sorted(range(len(members)), key=lambda index: (scores[index], index))


def add_mean_change(base, members, weights, scales):
    heaviest = members[max(range(len(members)), key=lambda index: weights[index])]
    total = sum_in_order(weights)

    def step(columns):
        start, *others = columns
        accumulated = np.zeros_like(start)
        for weight, scale, values in zip(weights, scales, others):
            accumulated = accumulated + weight * ((values - start) * scale)
        return start + accumulated / total

    return combine([base, *members], step, heaviest)


def combine(members, function, counters):
    result = {}
    for name, values in members[0].items():
        if NAMES[values.dtype] in FLOATS:
            columns = [member[name].astype(np.float64) for member in members]
            doubles_of_result = function(columns)
            through = np.float32 if NAMES[values.dtype] == "BF16" else np.float64
            result[name] = doubles_of_result.astype(through).astype(values.dtype)
        else:
            result[name] = counters[name]
    return result


def aggregation(method, arguments, members, weights, base, result):
    return {
        "method": method,
        "arguments": arguments,
        "weights": weights,
        "base": None if base is None else encode(canonical_safetensors(base)),
        "members": [encode(canonical_safetensors(member)) for member in members],
        "result": encode(canonical_safetensors(result)),
    }


def doubles(tensors):
    return [
        float(value)
        for values in tensors.values()
        if NAMES[values.dtype] in FLOATS
        for value in values.astype(np.float64).ravel()
    ]


def difference(first, second):
    return [a - b for a, b in zip(doubles(first), doubles(second))]


def length(values):
    return math.sqrt(sum_in_order(value * value for value in values))


def sum_in_order(values):
    # Since Python 3.12, the built-in sum compensates for rounding errors.
    total = 0.0
    for value in values:
        total += value
    return total


# Values


def model(random):
    """Return a small tensor set with values that test rounding, ties, and signed zeros."""
    edges = np.array([0.0, -0.0, 1e-45, -1e-45, 1e-38, 3e38, 1.0, 1.0000001], dtype="<f4")
    small = np.array([0.0, -0.0, 6e-8, -6e-8, 6.1e-5, 6.55e4, 1.0, 1.001], dtype="<f2")
    return {
        "dense.weight": array(random, "F32", (3, 4)),
        "edges": random.permutation(edges),
        "small": random.permutation(small),
        "half": array(random, "F16", (9,)),
        "brain": array(random, "BF16", (9,)),
        "double": array(random, "F64", (5,)),
        "integers": random.integers(-3, 4, 6).astype("<f4"),
        "steps": array(random, "I64", (2,)),
        "mask": array(random, "BOOL", (3,)),
        "byte": array(random, "U8", ()),
        "empty": array(random, "F32", (0, 2)),
    }


def array(random, name, shape):
    if name in FLOATS:
        return np.asarray(random.standard_normal(shape) * 3).astype(TYPES[name])
    if name == "BOOL":
        return np.asarray(random.integers(0, 2, shape)).astype("?")
    info = np.iinfo(TYPES[name])
    return np.asarray(random.integers(info.min, info.max, shape, dtype=TYPES[name], endpoint=True))


def canonical_safetensors(tensors):
    return safetensors_bytes(tensors, pad=8)


def safetensors_bytes(tensors, pad):
    header, data = {}, b""
    for name, values in tensors.items():
        content = values.tobytes()
        offsets = [len(data), len(data) + len(content)]
        header[name] = {"dtype": NAMES[values.dtype], "shape": list(values.shape), "data_offsets": offsets}
        data += content
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % pad)
    return struct.pack("<Q", len(text)) + text + data


def encode(content):
    return base64.b64encode(content).decode()


if __name__ == "__main__":
    main()
