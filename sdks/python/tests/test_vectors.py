"""The vectors that both SDKs keep, made by numpy and the reference safetensors library and by neither of us."""

from __future__ import annotations

import base64
import json
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tollgate_participant.aggregation.krum import krum, multi_krum
from tollgate_participant.aggregation.mean import fed_avg, fed_avg_delta
from tollgate_participant.aggregation.norms import cosine, norm, squared_distance
from tollgate_participant.aggregation.robust import median, trimmed_mean
from tollgate_participant.failures import IncompatibleParameters
from tollgate_participant.formats.parameters import read_tensors, write_tensors
from tollgate_participant.formats.tensor_set import Tensor, TensorSet

FOLDER = Path(__file__).parents[2] / "vectors"
VECTORS = json.loads((FOLDER / "vectors.json").read_text())


def names(part: str, *fields: str) -> list[str]:
    return [f"{index} {' '.join(str(vector[field]) for field in fields)}" for index, vector in enumerate(VECTORS[part])]


@pytest.mark.parametrize("vector", VECTORS["files"], ids=names("files", "name"))
def test_files_of_other_libraries_are_read_and_written_to_the_byte(vector: dict[str, Any]) -> None:
    file = base64.b64decode(vector["file"])
    tensors = read_tensors(file, vector["format"])
    assert [
        {
            "name": name,
            "dtype": tensor.dtype,
            "shape": list(tensor.shape),
            "data": base64.b64encode(tensor.data).decode(),
        }
        for name, tensor in tensors.items()
    ] == vector["tensors"]
    if vector["canonical"]:
        assert write_tensors(tensors, vector["format"]) == file


@pytest.mark.parametrize("vector", VECTORS["refused"], ids=names("refused", "name"))
def test_hostile_files_are_refused(vector: dict[str, Any]) -> None:
    with pytest.raises(IncompatibleParameters):
        read_tensors(base64.b64decode(vector["file"]))


def test_hostile_files_bring_no_pickle_into_the_process() -> None:
    program = """
import base64, json, sys
from tollgate_participant.failures import IncompatibleParameters
from tollgate_participant.aggregation.fed_avg_aggregate import fed_avg_aggregate
for vector in json.load(open(sys.argv[1]))["refused"]:
    try:
        fed_avg_aggregate()([base64.b64decode(vector["file"])], None)
        raise SystemExit("accepted " + vector["name"])
    except IncompatibleParameters:
        pass
assert "pickle" not in sys.modules and "_pickle" not in sys.modules
"""
    command = [sys.executable, "-c", program, str(FOLDER / "vectors.json")]
    subprocess.run(command, check=True, env={"PYTHONPATH": "src"})


@pytest.mark.parametrize("with_numpy", [False, True])
@pytest.mark.parametrize("vector", VECTORS["aggregations"], ids=names("aggregations", "method", "arguments", "weights"))
def test_aggregations_agree_bit_for_bit(
    vector: dict[str, Any], with_numpy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if with_numpy:
        pytest.importorskip("numpy")
    else:
        monkeypatch.delitem(sys.modules, "numpy", raising=False)
    members = [read_tensors(base64.b64decode(member)) for member in vector["members"]]
    base = read_tensors(base64.b64decode(vector["base"])) if vector["base"] else {}
    result = aggregate(vector["method"], vector["arguments"], base, members, vector["weights"])
    expected = read_tensors(base64.b64decode(vector["result"]))
    for name, tensor in expected.items():
        assert (name, bytes(result[name].data)) == (name, bytes(tensor.data))
    assert write_tensors(result) == base64.b64decode(vector["result"])


@pytest.mark.parametrize("vector", VECTORS["measures"], ids=names("measures", "measure"))
def test_measures_agree_bit_for_bit(vector: dict[str, Any]) -> None:
    sets = [read_tensors(base64.b64decode(each)) for each in vector["sets"]]
    measure = vector["measure"]
    if measure == "norm":
        assert norm(sets[0]) == vector["value"]
    elif measure == "distance":
        assert math.sqrt(squared_distance(sets[0], sets[1])) == vector["value"]
    else:
        assert measure == "cosine"
        assert cosine(sets[0], sets[1]) == vector["value"]


def aggregate(
    method: str,
    arguments: dict[str, Any],
    base: TensorSet,
    members: Sequence[TensorSet],
    weights: Sequence[float] | None,
) -> dict[str, Tensor]:
    if method == "fedavg":
        return fed_avg(members, weights)
    if method == "delta":
        return fed_avg_delta(base, members, weights)
    if method == "norm_clip":
        return fed_avg_delta(base, members, weights, max_norm=arguments["norm"])
    if method == "median":
        return median(members)
    if method == "trimmed_mean":
        return trimmed_mean(members, arguments["beta"])
    if method == "krum":
        return krum(members, arguments["f"])
    return multi_krum(members, arguments["f"], arguments["m"])
