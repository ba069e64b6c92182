"""Ready-made federated averaging function for ``register_aggregate``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..failures import BadRequest, IncompatibleParameters
from ..formats.parameters import detect_format, read_tensors, write_tensors
from ..formats.tensor_set import Bytes, TensorSet
from .mean import fed_avg


def fed_avg_aggregate(format: str = "auto") -> Callable[[Sequence[Bytes], Any], bytes]:
    """Return a function that averages parameters by the request's weights and keeps their format."""

    def aggregate(parameters_list: Sequence[Bytes], context: Any = None) -> bytes:
        opened = [_open_member(parameters, format, index) for index, parameters in enumerate(parameters_list)]
        if len(opened) == 0:
            raise BadRequest("No parameters to aggregate")
        first = opened[0].format
        for index, member in enumerate(opened):
            if member.format != first:
                raise IncompatibleParameters(
                    f"Member {index} is {member.format}, but the first member is {first}", {"member": index}
                )
        weights = getattr(context, "weights", None)
        return write_tensors(fed_avg([member.tensors for member in opened], weights), first)

    return aggregate


class _Member(NamedTuple):
    format: str
    tensors: TensorSet


def _open_member(parameters: Bytes, format: str, index: int) -> _Member:
    try:
        known = detect_format(parameters) if format == "auto" else format
        return _Member(known, read_tensors(parameters, known))
    except IncompatibleParameters as refused:
        details = {**(refused.details or {}), "member": index}
        raise IncompatibleParameters(f"Member {index}: {refused}", details) from None
