"""Datasets that a participant can train on. Callers refer to them by name, never by path or URL."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping as MappingType
from dataclasses import dataclass
from itertools import islice
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Union

from ..failures import BadRequest, ParticipantFailure
from ..wire.whole_number import whole_number
from .row_files import is_row_file, read_row_file

_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")

RowSource = Union[list, tuple, str, "os.PathLike[str]", Callable[[], Iterable[Any]]]  # type: ignore[type-arg]


@dataclass(frozen=True)
class DatasetView:
    """Rows of one job. Each call of ``rows`` starts from the first row."""

    # A lazy dataset is read only through the context, so that a large file is never fully loaded into memory.
    is_lazy: bool
    rows: Callable[[], Iterator[dict[str, Any]]]

    def as_list(self) -> list[dict[str, Any]]:
        """Return the rows for the function's dataset argument, or an empty list for a lazy dataset."""
        return [] if self.is_lazy else list(self.rows())


class DatasetRegistry:
    """Local and named datasets of a participant.

    A dataset is a list of rows, a file, a function that returns rows, or a mapping with ``rows`` or ``splits`` (and
    optionally ``lazy``). The constructor rejects invalid names and unsupported file types.
    """

    def __init__(self, local: Any, named: Mapping[str, Any]) -> None:
        self._local = [] if local is None else local
        self._named = dict(named)
        _check_source("dataset", self._local)
        for name, source in self._named.items():
            if _NAME.fullmatch(name) is None:
                raise ValueError(f'datasets: "{name}" is not a valid name (1 to 64 letters, digits, ".", "_", or "-")')
            _check_source(f"datasets.{name}", source)

    def describe(self) -> list[dict[str, Any]]:
        """Return dataset names for ``/status``, with row counts that are known without reading a file."""
        described: list[dict[str, Any]] = []
        for name, source in self._named.items():
            rows = source.get("rows") if isinstance(source, MappingType) else source
            size = {"rows": len(rows)} if isinstance(rows, (list, tuple)) else {}
            described.append({"name": name, **size})
        return described

    def open(self, dataset: Any) -> DatasetView:
        """Resolve the ``dataset`` field of a request. Reject values that aren't rows, null, or a known name."""
        if dataset is None:
            return _open_source(self._local, "the local dataset", None, None)
        if isinstance(dataset, list):
            for index, row in enumerate(dataset):
                if not isinstance(row, dict):
                    raise BadRequest(f"dataset[{index}] must be an object")
            return DatasetView(False, lambda: iter(dataset))
        if not isinstance(dataset, dict) or "ref" not in dataset:
            raise BadRequest('dataset must be an array of objects, null, or {"ref": "<name>"}')
        return self._open_named(dataset["ref"], dataset.get("split"), dataset.get("limit"))

    def _open_named(self, ref: Any, split: Any, limit: Any) -> DatasetView:
        if not isinstance(ref, str) or _NAME.fullmatch(ref) is None:
            raise BadRequest('dataset.ref must be a name of 1 to 64 letters, digits, ".", "_", or "-"')
        if split is not None and not isinstance(split, str):
            raise BadRequest("dataset.split must be a string")
        first_rows = None if limit is None else whole_number(limit)
        if limit is not None and (first_rows is None or first_rows < 1):
            raise BadRequest("dataset.limit must be an integer of at least 1")
        if ref not in self._named:
            raise ParticipantFailure("NOT_FOUND", f'unknown dataset "{ref}"')
        return _open_source(self._named[ref], ref, split, first_rows)


def _open_source(source: Any, name: str, split: Optional[str], limit: Optional[int]) -> DatasetView:
    rows = _select_split(source, name, split)
    is_lazy = isinstance(source, MappingType) and bool(source.get("lazy", False))
    return DatasetView(is_lazy, lambda: islice(_read(rows), limit))


def _select_split(source: Any, name: str, split: Optional[str]) -> Any:
    splits = source.get("splits") if isinstance(source, MappingType) else None
    if split is None:
        if splits is not None:
            raise BadRequest(f'dataset "{name}" has splits; choose one of {", ".join(splits)}')
        return source["rows"] if isinstance(source, MappingType) else source
    if splits is None or split not in splits:
        raise ParticipantFailure("NOT_FOUND", f'dataset "{name}" has no split "{split[:64]}"')
    return splits[split]


def _read(source: RowSource) -> Iterator[dict[str, Any]]:
    if isinstance(source, (str, os.PathLike)):
        return read_row_file(os.fspath(source))
    return iter(source() if callable(source) else source)


def _check_source(place: str, source: Any) -> None:
    parts = [source]
    if isinstance(source, MappingType):
        parts = [source["rows"]] if "rows" in source else list(source.get("splits", {}).values())
    for part in parts:
        if isinstance(part, (str, os.PathLike)):
            if not is_row_file(os.fspath(part)):
                raise ValueError(f'{place}: "{os.fspath(part)}" must end in .json, .jsonl, or .csv')
        elif not callable(part) and not isinstance(part, (list, tuple)):
            raise TypeError(f"{place} must be rows, a file, or a function that returns rows")
