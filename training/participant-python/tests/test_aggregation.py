"""Tests for aggregation methods: exact results, robustness against a minority, and rejection of invalid members."""

from __future__ import annotations

import math
import random
import struct
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Callable

import pytest

from tollgate_participant.aggregation.fed_avg_aggregate import fed_avg_aggregate
from tollgate_participant.aggregation.krum import krum, multi_krum
from tollgate_participant.aggregation.mean import fed_avg, fed_avg_delta
from tollgate_participant.aggregation.members import PIECE_ELEMENTS
from tollgate_participant.aggregation.noise import add_gaussian_noise
from tollgate_participant.aggregation.norms import clip_norm, cosine, norm
from tollgate_participant.aggregation.robust import median, trimmed_mean
from tollgate_participant.failures import BadRequest, IncompatibleParameters
from tollgate_participant.formats.parameters import read_tensors, write_tensors
from tollgate_participant.formats.tensor_set import Tensor

CODES = {"F64": "d", "F32": "f", "F16": "e"}


def tensor(values: Sequence[float], dtype: str = "F32") -> Tensor:
    return Tensor(dtype, (len(values),), struct.pack(f"<{len(values)}{CODES[dtype]}", *values))


def counter(value: int) -> Tensor:
    return Tensor("I64", (), struct.pack("<q", value))


def values_of(tensor: Tensor) -> list[float]:
    size = {"F64": 8, "F32": 4, "F16": 2}[tensor.dtype]
    return list(struct.unpack(f"<{len(tensor.data) // size}{CODES[tensor.dtype]}", tensor.data))


def random_members(source: random.Random, count: int, elements: int = 7) -> list[dict[str, Tensor]]:
    return [
        {"w": tensor([source.gauss(0, 1) for _ in range(elements)]), "b": tensor([source.gauss(0, 1)])}
        for _ in range(count)
    ]


@pytest.fixture(autouse=True, params=[False, True], ids=["plain", "with numpy"])
def _numpy(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test both with numpy loaded, which the methods then use, and without it."""
    if request.param:
        pytest.importorskip("numpy")
    else:
        monkeypatch.delitem(sys.modules, "numpy", raising=False)


METHODS: dict[str, Callable[[Sequence[dict[str, Tensor]]], dict[str, Tensor]]] = {
    "fed_avg": fed_avg,
    "median": median,
    "trimmed_mean": lambda members: trimmed_mean(members, 0.2),
    "krum": lambda members: krum(members, 1),
    "multi_krum": lambda members: multi_krum(members, 1, 3),
    "fed_avg_delta": lambda members: fed_avg_delta(members[0], members),
}


@pytest.mark.parametrize("dtype", ["F64", "F32", "F16"])
@pytest.mark.parametrize("seed", range(25))
def test_mean_equals_exact_arithmetic_rounded_once(dtype: str, seed: int) -> None:
    source = random.Random(seed)
    count = source.randrange(1, 9)
    # With small integer weights and short values, every product and sum is exact in a double. Only the division rounds.
    weights = [source.randrange(1, 50) for _ in range(count)]
    rows = [[source.randrange(-1000, 1000) / 8 for _ in range(5)] for _ in range(count)]
    result = fed_avg([{"w": tensor(row, dtype)} for row in rows], weights)
    exact = [
        sum((Fraction(value) * weight for value, weight in zip(column, weights)), Fraction(0)) / sum(weights)
        for column in zip(*rows)
    ]
    rounded = [struct.pack(f"<{CODES[dtype]}", float(value)) for value in exact]
    assert result["w"].data == b"".join(rounded)


def test_bf16_rounds_to_nearest_with_ties_to_even() -> None:
    def brain(*halves: int) -> Tensor:
        return Tensor("BF16", (len(halves),), struct.pack(f"<{len(halves)}H", *halves))

    # The means are halfway between two BF16 values. One rounds down to the even value and one rounds up.
    result = fed_avg([{"w": brain(0x3F80, 0x3F81, 0xBF80)}, {"w": brain(0x3F81, 0x3F82, 0xBF81)}])
    assert result["w"].data == brain(0x3F80, 0x3F82, 0xBF80).data
    # The weighted mean of two equal subnormal values is the same value.
    assert fed_avg([{"w": brain(1)}, {"w": brain(1)}], [1, 2])["w"].data == brain(1).data


def test_counters_and_flags_come_from_the_first_member_with_the_highest_weight() -> None:
    members = [
        {"n": counter(5), "w": tensor([0])},
        {"n": counter(9), "w": tensor([1])},
        {"n": counter(7), "w": tensor([2])},
    ]
    assert fed_avg(members)["n"] == counter(5)
    assert fed_avg(members, [1, 3, 3])["n"] == counter(9)
    assert fed_avg_delta(members[0], members, [1, 1, 3])["n"] == counter(7)
    assert median(members)["n"] == counter(5)
    assert trimmed_mean(members, 0.1)["n"] == counter(5)


@pytest.mark.parametrize("method", METHODS)
def test_aggregating_equal_members_returns_the_same_member(method: str) -> None:
    member = random_members(random.Random(1), 1)[0]
    assert METHODS[method]([member] * 6) == member


@pytest.mark.parametrize("method", ["median", "trimmed_mean", "krum"])
@pytest.mark.parametrize("seed", range(10))
def test_result_does_not_depend_on_member_order(method: str, seed: int) -> None:
    source = random.Random(seed)
    members = random_members(source, 7)
    shuffled = source.sample(members, len(members))
    assert METHODS[method](members) == METHODS[method](shuffled)


@pytest.mark.parametrize("method", ["median", "trimmed_mean", "krum", "multi_krum"])
@pytest.mark.parametrize("seed", range(10))
def test_single_outlier_does_not_move_the_result_outside_the_range_of_honest_members(method: str, seed: int) -> None:
    source = random.Random(seed)
    honest = random_members(source, 6)
    liar = {
        name: tensor([1e6 * source.choice([-1, 1])] * len(values_of(each)), each.dtype)
        for name, each in honest[0].items()
    }
    members = [*honest, liar]
    source.shuffle(members)
    result = METHODS[method](members)
    for name in honest[0]:
        for column, value in zip(zip(*(values_of(member[name]) for member in honest)), values_of(result[name])):
            assert min(column) <= value <= max(column)


def test_median_handles_even_and_odd_member_counts_and_signed_zeros() -> None:
    assert values_of(median([{"w": tensor([value])} for value in (4, 1, 2)])["w"]) == [2]
    assert values_of(median([{"w": tensor([value])} for value in (4, 1, 2, 10)])["w"]) == [3]
    zeros = median([{"w": tensor([value])} for value in (-0.0, 0.0, -0.0)])["w"]
    assert zeros.data == struct.pack("<f", 0.0)


def test_trimmed_mean_drops_the_requested_share_of_values() -> None:
    members = [{"w": tensor([value])} for value in (100, 1, 2, 3, -100)]
    assert values_of(trimmed_mean(members, 0.2)["w"]) == [2]
    assert values_of(trimmed_mean(members, 0.4)["w"]) == [2]
    assert values_of(trimmed_mean(members, 0.19)["w"]) == [struct.unpack("<f", struct.pack("<f", 6 / 5))[0]]


def test_krum_returns_the_member_closest_to_its_neighbors_unchanged() -> None:
    members = [{"w": tensor([value]), "n": counter(index)} for index, value in enumerate((0.0, 1.0, 1.1, 1.2, 50.0))]
    assert krum(members, 1) == members[2]
    chosen = multi_krum(members, 1, 3)
    assert values_of(chosen["w"]) == values_of(fed_avg(members[1:4])["w"])
    assert chosen["n"] == counter(1)


def test_fed_avg_delta_clips_changes_to_the_maximum_norm_and_adds_them_to_the_base() -> None:
    base = {"w": tensor([1.0, 1.0])}
    far, near = {"w": tensor([4.0, 5.0])}, {"w": tensor([1.0, 1.5])}
    assert fed_avg_delta(base, [far, near])["w"] == tensor([2.5, 3.25])
    # (3, 4) has norm 5 and is scaled to (0.6, 0.8), which has norm 1.
    clipped = values_of(fed_avg_delta(base, [far], max_norm=1.0)["w"])
    assert clipped == pytest.approx([1.6, 1.8], rel=1e-7)
    assert fed_avg_delta(base, [near], max_norm=1.0)["w"] == near["w"]


def test_norm_clip_norm_and_cosine_return_expected_values() -> None:
    tensors = {"a": tensor([3.0]), "n": counter(4), "b": tensor([4.0], "F64")}
    assert norm(tensors) == 5.0
    assert clip_norm(tensors, 5.0) == tensors
    halved = clip_norm(tensors, 2.5)
    assert (halved["a"], halved["n"], halved["b"]) == (tensor([1.5]), counter(4), tensor([2.0], "F64"))
    assert cosine({"w": tensor([1.0, 0.0])}, {"w": tensor([0.0, 2.0])}) == 0
    assert cosine({"w": tensor([1.0])}, {"w": tensor([-3.0])}) == -1
    assert cosine({"w": tensor([0.0])}, {"w": tensor([1.0])}) == 0


def test_noise_has_the_requested_deviation_and_leaves_counters_unchanged() -> None:
    tensors = {"w": tensor([1.0] * 20_000), "n": counter(3)}
    noisy = add_gaussian_noise(tensors, 0.5, random.Random(3))
    changes = [value - 1 for value in values_of(noisy["w"])]
    assert math.sqrt(sum(change * change for change in changes) / len(changes)) == pytest.approx(0.5, rel=0.03)
    assert sum(changes) / len(changes) == pytest.approx(0, abs=0.015)
    assert noisy["n"] == counter(3)
    assert add_gaussian_noise(tensors, 0.5) != noisy


def test_mismatched_members_are_rejected_with_a_list_of_differences() -> None:
    first = {"a": tensor([1.0]), "b": tensor([1.0]), "c": tensor([1.0])}
    other = {"a": tensor([1.0], "F64"), "b": tensor([1.0, 2.0]), "d": tensor([1.0])}
    with pytest.raises(IncompatibleParameters) as refused:
        fed_avg([first, first, other])
    assert refused.value.details == {
        "member": 2,
        "differences": [
            'tensor "a" is F64 [1] instead of F32 [1]',
            'tensor "b" is F32 [2] instead of F32 [1]',
            'tensor "c" is missing',
            'tensor "d" is unexpected',
        ],
    }


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", ["F64", "F32", "F16"])
def test_non_finite_member_is_rejected_with_its_index(method: str, bad: float, dtype: str) -> None:
    members = [{"w": tensor([0.5, float(index)], dtype)} for index in range(6)]
    members[4] = {"w": tensor([0.5, bad], dtype)}
    with pytest.raises(IncompatibleParameters) as refused:
        METHODS[method](members)
    assert refused.value.details == {"member": 4, "tensor": "w"}


def test_large_finite_doubles_are_accepted_even_if_their_sum_overflows() -> None:
    members = [{"w": tensor([1.5e308, 1.5e308], "F64")}, {"w": tensor([-1.5e308, 1e308], "F64")}]
    assert values_of(fed_avg([members[0]])["w"]) == [1.5e308, 1.5e308]
    with pytest.raises(IncompatibleParameters, match="result is not finite"):
        fed_avg([members[0], members[0]])


def test_result_too_large_for_its_type_is_rejected() -> None:
    largest = struct.unpack("<e", b"\xff\x7b")[0]
    base, member = {"w": tensor([-largest], "F16")}, {"w": tensor([largest], "F16")}
    assert fed_avg_delta(base, [member]) == member
    with pytest.raises(IncompatibleParameters, match="result is not finite"):
        add_gaussian_noise(member, 1e9, random.Random(1))


def test_invalid_arguments_are_rejected() -> None:
    members = random_members(random.Random(1), 4)
    requests: list[Callable[[], object]] = [
        lambda: fed_avg([]),
        lambda: median(members[:2]),
        lambda: trimmed_mean(members, 0.5),
        lambda: trimmed_mean(members, 0),
        lambda: krum(members, 1),
        lambda: krum(members, -1),
        lambda: multi_krum(members, 0, 5),
        lambda: multi_krum(members, 0, 0),
        lambda: fed_avg(members, [1, 2, 3]),
        lambda: fed_avg(members, [0, 0, 0, 0]),
        lambda: fed_avg(members, [1, 1, 1, -1]),
        lambda: fed_avg(members, [1, 1, 1, math.nan]),
        lambda: fed_avg(members, [1e308] * 4),
        lambda: clip_norm(members[0], 0),
        lambda: add_gaussian_noise(members[0], -1),
    ]
    for impossible in requests:
        with pytest.raises(BadRequest):
            impossible()


def test_tensors_larger_than_one_piece_are_aggregated_correctly() -> None:
    count = PIECE_ELEMENTS + 3
    ramp = tensor([float(index) for index in range(count)])
    zeros = tensor([0.0] * count)
    assert values_of(fed_avg([{"w": ramp}, {"w": zeros}])["w"]) == [index / 2 for index in range(count)]
    assert values_of(median([{"w": ramp}, {"w": ramp}, {"w": zeros}])["w"]) == values_of(ramp)


@pytest.mark.parametrize("format", ["safetensors", "npz"])
def test_fed_avg_aggregate_returns_the_format_of_its_input(format: str) -> None:
    class Context:
        weights = [1.0, 3.0]

    parameters = [write_tensors({"w": tensor([value])}, format) for value in (0.0, 4.0)]
    aggregate = fed_avg_aggregate()
    assert aggregate(parameters, Context()) == write_tensors({"w": tensor([3.0])}, format)
    assert read_tensors(aggregate(parameters, None))["w"] == tensor([2.0])
    bare = [tensor([value]).data for value in (0.0, 4.0)]
    assert fed_avg_aggregate("f32")(bare, Context()) == tensor([3.0]).data
    with pytest.raises(IncompatibleParameters):
        aggregate([b"\x80\x04N."], None)


def test_fed_avg_memory_use_is_limited_to_pieces_and_the_result() -> None:
    program = """
import resource
from tollgate_participant.aggregation.mean import fed_avg
from tollgate_participant.formats.tensor_set import Tensor
data = bytes(8_000_000)
members = [{"w": Tensor("F32", (2_000_000,), data)}] * 5
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
fed_avg(members)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONPATH": "src"}
    )
    # The limit allows two copies of the result while its pieces are joined, and a few megabytes of overhead. One member
    # as Python floats would take 64 MB.
    assert int(run.stdout) < 40_000
