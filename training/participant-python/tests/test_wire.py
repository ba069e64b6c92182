"""Tests for request and response bodies: splitting into pieces, limits, and rejection of invalid input."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from tollgate_participant.failures import ParticipantFailure
from tollgate_participant.wire.body import DecodedBody, DecodeOptions, decode_body, encode_body
from tollgate_participant.wire.stored_bytes import FileBytes, MemoryBytes


def options(is_frames: bool = False, max_bytes: int = 10**7, memory_bytes: int = 10**6) -> DecodeOptions:
    return DecodeOptions(is_frames, max_bytes, max_entries=1000, memory_bytes=memory_bytes, folder=None)


def cut(body: bytes, source: random.Random, longest: int) -> Iterator[bytes]:
    position = 0
    while position < len(body):
        step = source.randint(1, longest)
        yield body[position : position + step]
        position += step


def read(body: bytes, **given: Any) -> DecodedBody:
    return decode_body([body], options(**given))


def refusal(body: bytes, **given: Any) -> ParticipantFailure:
    with pytest.raises(ParticipantFailure) as caught:
        read(body, **given)
    return caught.value


def random_text(source: random.Random) -> str:
    return "".join(source.choice('a"\\/{}[],:é\u2028𝄞\n ') for _ in range(source.randrange(12)))


def random_value(source: random.Random, depth: int) -> Any:
    kind = source.randrange(7 if depth < 5 else 5)
    if kind == 5:
        return [random_value(source, depth + 1) for _ in range(source.randrange(4))]
    if kind == 6:
        return {random_text(source): random_value(source, depth + 1) for _ in range(source.randrange(4))}
    return [None, True, source.randrange(10**6), source.random(), random_text(source)][kind]


def random_body(source: random.Random) -> dict[str, Any]:
    fields = {f"{index}{random_text(source)}": random_value(source, 1) for index in range(source.randrange(5))}
    if source.random() < 0.8:
        fields["parameters"] = base64.b64encode(source.randbytes(source.randrange(1, 60))).decode()
    if source.random() < 0.5:
        entries = [source.randbytes(source.randrange(20)) for _ in range(source.randint(1, 4))]
        fields["parameters_list"] = [base64.b64encode(entry).decode() for entry in entries]
    items = list(fields.items())
    source.shuffle(items)
    return dict(items)


@pytest.mark.parametrize("seed", range(150))
def test_body_split_into_any_pieces_matches_the_standard_parser(seed: int) -> None:
    source = random.Random(seed)
    fields = random_body(source)
    text = json.dumps(fields, ensure_ascii=source.random() < 0.5, indent=source.choice([None, 1]))
    if source.random() < 0.3:
        text = text.replace('"parameters":', '"\\u0070arameters":')
    body = text.encode()
    decoded = decode_body(
        cut(body, source, source.choice([1, 3, 40])), options(memory_bytes=source.choice([0, 30, 999]))
    )
    expected = json.loads(text)
    parameters, entries = expected.pop("parameters", None), expected.pop("parameters_list", None)
    assert decoded.fields == expected
    assert (None if decoded.parameters is None else decoded.parameters.read_all()) == (
        None if parameters is None else base64.b64decode(parameters)
    )
    found = None if decoded.parameters_list is None else [entry.read_all() for entry in decoded.parameters_list]
    assert found == (None if entries is None else [base64.b64decode(entry) for entry in entries])
    assert decoded.sha256 == hashlib.sha256(body).hexdigest()


@pytest.mark.parametrize("seed", range(150))
def test_base64_is_accepted_only_if_a_strict_decoder_accepts_it(seed: int) -> None:
    source = random.Random(seed)
    text = base64.b64encode(source.randbytes(source.randrange(1, 9))).decode()
    if source.random() < 0.8:
        position = source.randrange(len(text) + 1)
        text = text[:position] + source.choice(["", "=", "-", "_", "A", "/", "é", " ", "\\n"]) + text[position + 1 :]
    body = f'{{"parameters":"{text}"}}'.encode()
    strict = strictly_decoded(text)
    if strict is None:
        assert refusal(body).message == "parameters is not valid base64"
        return
    decoded = decode_body(cut(body, source, 3), options())
    assert (b"" if decoded.parameters is None else decoded.parameters.read_all()) == strict


def strictly_decoded(text: str) -> Any:
    """Decode base64 with complete or no padding, and return None unless encoding restores the text."""
    bare = text.rstrip("=")
    padding = text[len(bare) :]
    whole = bare + "=" * (-len(bare) % 4)
    if len(bare) % 4 == 1 or (padding and bare + padding != whole):
        return None
    try:
        decoded = base64.b64decode(whole, validate=True)
    except ValueError:
        return None
    return decoded if base64.b64encode(decoded).decode() == whole else None


def test_escaped_slash_is_decoded_wherever_the_body_is_split() -> None:
    body = rb'{"parameters":"\/\/8\/AA=="}'
    for longest in range(1, 6):
        decoded = decode_body(cut(body, random.Random(longest), longest), options())
        assert decoded.parameters is not None
        assert decoded.parameters.read_all() == base64.b64decode("//8/AA==")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body is not valid JSON"),
        (b"not json", "the body is not valid JSON"),
        (b"[1]", "the body must be a JSON object"),
        (b'["a","a"]', "the body must be a JSON object"),
        (b"12", "the body must be a JSON object"),
        (b'{"a":1}x', "the body is not valid JSON"),
        (b'{"a":1}{}', "the body is not valid JSON"),
        (b'{"a":NaN}', "the body is not valid JSON"),
        (b'{"a":"\xff"}', "the body is not valid JSON"),
        (b'\xef\xbb\xbf{"a":1}', "the body is not valid JSON"),
        (b'{"parameters":"QUJD', "the body is not valid JSON"),
        (b'{"parameters":tr"QUJD"ue}', "the body is not valid JSON"),
        (b'{"parameters":"QUJD" "QUJD"}', "the body is not valid JSON"),
        (b'{"a":1,"\\u0061":2}', 'the field "a" appears twice'),
        (b'{"parameters":"QQ","parameters":"QQ"}', 'the field "parameters" appears twice'),
        (b'{"parameters":{"a":1}}', "parameters must be a base64 string or null"),
        (b'{"parameters_list":["QQ",null]}', "parameters_list[1] must be a base64 string"),
        (b'{"parameters_list":[["QQ"]]}', "parameters_list[0] must be a base64 string"),
        (b'{"parameters_list":["QQ","Q"]}', "parameters_list[1] is not valid base64"),
        (b'{"parameters_list":[' + b",".join([b'"QQ"'] * 1001) + b"]}", "parameters_list must have 1 to 1000 entries"),
        (b'{"a":' + b"[" * 64 + b"]" * 64 + b"}", "the body is nested deeper than 64 levels"),
        (b"[" * 100_000, "the body is nested deeper than 64 levels"),
    ],
)
def test_invalid_json_body_is_rejected_with_a_message(body: bytes, message: str) -> None:
    failure = refusal(body)
    assert (failure.code, failure.message) == ("VALIDATION_ERROR", message)


def test_values_too_large_for_memory_are_rejected_before_parsing() -> None:
    failure = refusal(b'{"dataset":[' + b"{}," * 15_000_000 + b"{}]}", max_bytes=10**8)
    assert (failure.code, failure.message) == ("PAYLOAD_TOO_LARGE", "the body holds more values than fit in memory")


def test_body_can_have_up_to_1000_fields() -> None:
    def fields(count: int) -> bytes:
        return json.dumps({str(index): index for index in range(count)}).encode()

    assert len(read(fields(1000)).fields) == 1000
    assert refusal(fields(1001)).message == "the body has more than 1000 fields"


def test_body_can_be_nested_64_levels_deep() -> None:
    assert read(b'{"a":' + b"[" * 63 + b"]" * 63 + b"}").parameters is None


def test_error_position_includes_the_decoded_parameters_before_it() -> None:
    failure = refusal(b'{"parameters":"QUJDQUJD","a":!}')
    assert failure.details == {"position": 29}


def test_body_over_the_limit_is_rejected_before_the_rest_is_read() -> None:
    asked = []

    def pieces() -> Iterator[bytes]:
        for index in range(100):
            asked.append(index)
            yield b" " * 100

    with pytest.raises(ParticipantFailure) as caught:
        decode_body(pieces(), options(max_bytes=1000))
    assert (caught.value.code, caught.value.details) == ("PAYLOAD_TOO_LARGE", {"limitBytes": 1000})
    assert "application/vnd.tollgate.frames" in caught.value.message
    assert len(asked) == 11


def test_entries_over_the_memory_limit_share_one_file() -> None:
    entries = [bytes([index]) * 100 for index in range(50)]
    text = json.dumps({"parameters_list": [base64.b64encode(entry).decode() for entry in entries]})
    decoded = read(text.encode(), memory_bytes=1000)
    assert decoded.parameters_list is not None
    in_files = [entry for entry in decoded.parameters_list if isinstance(entry, FileBytes)]
    assert 40 <= len(in_files) < 50
    assert len({id(entry._file) for entry in in_files}) == 1
    assert [entry.read_all() for entry in decoded.parameters_list] == entries


def frames(header: Any, *blobs: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return b"TGF1" + struct.pack("<Q", len(text)) + text + b"".join(blobs)


def describe(*blobs: bytes) -> list[dict[str, Any]]:
    return [{"length": len(blob), "sha256": hashlib.sha256(blob).hexdigest()} for blob in blobs]


@pytest.mark.parametrize("seed", range(30))
def test_frames_split_into_any_pieces_are_read_completely(seed: int) -> None:
    source = random.Random(seed)
    blobs = [source.randbytes(source.randrange(50)) for _ in range(source.randint(1, 5))]
    order = list(range(len(blobs)))
    source.shuffle(order)
    header = {"parameters_list": [{"$frame": index} for index in order], "frames": describe(*blobs), "weights": [1]}
    given = options(is_frames=True, memory_bytes=source.choice([0, 40, 999]))
    decoded = decode_body(cut(frames(header, *blobs), source, source.choice([1, 7, 99])), given)
    assert decoded.parameters_list is not None
    assert [entry.read_all() for entry in decoded.parameters_list] == [blobs[index] for index in order]
    assert decoded.fields == {"weights": [1]}


ONE = describe(b"abc")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body ends inside the frames header"),
        (b"TGF2" + bytes(8), "the body does not start with TGF1"),
        (b"TGF1" + struct.pack("<Q", 2**40), "the frames header is longer than 16 MiB"),
        (b"TGF1" + struct.pack("<Q", 5) + b"{}", "the body ends inside the frames header"),
        (frames(b"[]"), "the frames header is not a JSON object"),
        (frames(b"\xff"), "the frames header is not a JSON object"),
        (frames({}), "the frames header must list each frame's length and sha256"),
        (
            frames({"frames": [{"length": -1, "sha256": "0" * 64}]}),
            "the frames header must list each frame's length and sha256",
        ),
        (
            frames({"frames": [{"length": 1, "sha256": "0" * 63}]}),
            "the frames header must list each frame's length and sha256",
        ),
        (frames({"frames": ONE}, b"abc"), "frame 0 is not used"),
        (frames({"parameters": {"$frame": 1}, "frames": ONE}, b"abc"), "unknown frame 1"),
        (frames({"parameters": {"$frame": 0.5}, "frames": ONE}, b"abc"), "unknown frame 0.5"),
        (frames({"parameters": "QUJD", "frames": []}), 'parameters must be {"$frame": <index>} or null'),
        (
            frames({"parameters": {"$frame": 0}, "parameters_list": [{"$frame": 0}], "frames": ONE}, b"abc"),
            "frame 0 is used twice",
        ),
        (frames({"parameters": {"$frame": 0}, "frames": ONE}, b"ab"), "the body ends inside frame 0"),
        (
            frames({"parameters": {"$frame": 0}, "frames": ONE}, b"abd"),
            "frame 0 does not match the sha256 in its header",
        ),
        (frames({"parameters": {"$frame": 0}, "frames": ONE}, b"abcd"), "the body continues after the last frame"),
    ],
)
def test_invalid_frames_are_rejected(body: bytes, message: str) -> None:
    failure = refusal(body, is_frames=True)
    assert (failure.code, failure.message) == ("VALIDATION_ERROR", message)


def test_frames_that_declare_more_than_the_limit_are_rejected_before_they_arrive() -> None:
    header = {"parameters": {"$frame": 0}, "frames": [{"length": 10**9, "sha256": "0" * 64}]}
    assert refusal(frames(header), is_frames=True, max_bytes=10**6).code == "PAYLOAD_TOO_LARGE"


@pytest.mark.parametrize("as_frames", [False, True])
@pytest.mark.parametrize("size", [0, 1, 2, 3, 768 * 1024, 768 * 1024 + 1, 2_000_003])
def test_response_has_its_declared_length_and_can_be_decoded(size: int, as_frames: bool) -> None:
    data = random.Random(size).randbytes(size)
    encoded = encode_body({"num_examples": 3}, MemoryBytes(data), as_frames)
    body = b"".join(encoded.chunks)
    assert len(body) == encoded.length
    decoded = read(body, is_frames=as_frames)
    assert decoded.fields == {"num_examples": 3}
    assert (b"" if decoded.parameters is None else decoded.parameters.read_all()) == data
