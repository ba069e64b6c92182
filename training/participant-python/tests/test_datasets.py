"""Tests for datasets: rows in a request, local datasets, and named datasets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import pytest

from participants import Log, serving
from tollgate_participant.datasets.row_files import READ_CHARACTERS, DatasetError, read_row_file


def as_json(parameters: Optional[bytes], dataset: list[dict[str, Any]]) -> bytes:
    return json.dumps(dataset).encode()


def rows_of(answer: Any) -> Any:
    return json.loads(answer.parameters)


def test_request_rows_reach_the_function_unchanged() -> None:
    rows = [{"a": 1, "b": None, "c": [1, {"d": "é"}]}, {}]
    with serving(as_json) as caller:
        assert rows_of(caller.post("/train", {"dataset": rows})) == rows


def test_request_without_dataset_uses_the_local_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(as_json) as caller:
        assert rows_of(caller.post("/train", {"dataset": None})) == []
    with serving(as_json, dataset=[{"a": 1}]) as caller:
        assert rows_of(caller.post("/train", {})) == [{"a": 1}]
    file = tmp_path / "own.jsonl"
    file.write_text('{"a": 2}\n\n{"a": 3}')
    monkeypatch.setenv("DATASET_PATH", str(file))
    with serving(as_json) as caller:
        assert rows_of(caller.post("/train", {"dataset": None})) == [{"a": 2}, {"a": 3}]


def test_named_dataset_supports_splits_and_limits() -> None:
    splits = {"train": [{"i": index} for index in range(5)], "test": lambda: iter([{"i": 9}])}
    with serving(as_json, datasets={"digits": {"splits": splits}, "plain": [{"p": 1}, {"p": 2}]}) as caller:

        def ask(**dataset: Any) -> Any:
            return caller.post("/train", {"dataset": dataset})

        assert rows_of(ask(ref="digits", split="train", limit=2)) == [{"i": 0}, {"i": 1}]
        assert rows_of(ask(ref="digits", split="test", limit=100)) == [{"i": 9}]
        assert rows_of(ask(ref="plain", limit=1.0)) == [{"p": 1}]
        assert (ask(ref="digits").status, ask(ref="digits", split="x").status) == (400, 404)
        assert (ask(ref="plain", split="train").status, ask(ref="unknown").status) == (404, 404)


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "file:x", "http://x", "a/b", "", "a" * 65, 7, None, "x\n"]
)
def test_invalid_dataset_name_is_rejected(name: Any) -> None:
    with serving(as_json, datasets={"x": []}) as caller:
        answer = caller.post("/train", {"dataset": {"ref": name}})
        assert (answer.status, answer.json["code"]) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize(
    "dataset", ["x", 7, True, {}, {"rows": []}, [1], [[]], {"ref": "x", "limit": 0}, {"ref": "x", "split": 1}]
)
def test_dataset_of_invalid_type_is_rejected(dataset: Any) -> None:
    with serving(as_json, datasets={"x": []}) as caller:
        assert caller.post("/train", {"dataset": dataset}).status == 400


def test_lazy_dataset_is_read_row_by_row_through_the_context() -> None:
    given = []

    def rows() -> Iterator[dict[str, Any]]:
        for index in range(10**9):
            given.append(index)
            yield {"i": index}

    def train(parameters: Optional[bytes], dataset: list[dict[str, Any]], context: Any) -> bytes:
        assert dataset == []
        source = context.rows()
        return json.dumps([next(source), next(source)]).encode()

    with serving(train, dataset={"rows": rows, "lazy": True}) as caller:
        assert rows_of(caller.post("/train", {})) == [{"i": 0}, {"i": 1}]
    assert len(given) == 2


def test_error_for_an_unreadable_dataset_does_not_reveal_its_path(tmp_path: Path) -> None:
    log = Log()
    with serving(as_json, dataset=str(tmp_path / "gone.csv"), logger=log) as caller:
        answer = caller.post("/train", {})
    assert (answer.status, answer.json["code"], answer.json["error"]) == (
        500,
        "HANDLER_ERROR",
        "the dataset could not be read",
    )
    assert str(tmp_path) not in answer.body.decode()
    assert "gone.csv" in log.text


def read(tmp_path: Path, name: str, text: str) -> list[dict[str, Any]]:
    file = tmp_path / name
    file.write_bytes(text.encode())
    return list(read_row_file(str(file)))


def test_csv_reader_converts_numbers_and_keeps_other_values_as_text(tmp_path: Path) -> None:
    text = (
        '\ufeffname,value\r\n"a,""b""\nc",1\nx,-2.5e3\ny,007\nz,9007199254740993\nw,1e999\nv,\n\nu,9007199254740991\n'
    )
    assert read(tmp_path, "rows.csv", text) == [
        {"name": 'a,"b"\nc', "value": 1},
        {"name": "x", "value": -2500.0},
        {"name": "y", "value": "007"},
        {"name": "z", "value": "9007199254740993"},
        {"name": "w", "value": "1e999"},
        {"name": "v", "value": ""},
        {"name": "u", "value": 9007199254740991},
    ]


def test_json_array_larger_than_one_piece_is_read_completely(tmp_path: Path) -> None:
    rows = [{"i": index, "text": 'x]}"{[' * 20} for index in range(3000)]
    rows.insert(7, {"i": -1, "text": "y" * (2 * READ_CHARACTERS)})
    assert read(tmp_path, "rows.json", json.dumps(rows, indent=1)) == rows


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"a":1}'),
        ("a.json", '[{"a":1}'),
        ("a.json", '[{"a":1},]'),
        ("a.json", '[{"a":1}{"a":2}]'),
        ("a.json", "[1]"),
        ("a.json", '[{"a":1}] x'),
        ("a.json", '[{"a":}]'),
        ("a.jsonl", '{"a":1}\n[1]\n'),
        ("a.jsonl", '{"a":1'),
        ("a.csv", "a,b\n1,2\n3\n"),
        ("a.csv", 'a,b\n1,"2\n'),
    ],
)
def test_malformed_file_raises_dataset_error(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(DatasetError):
        read(tmp_path, name, text)
