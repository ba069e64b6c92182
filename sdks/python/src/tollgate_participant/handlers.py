"""What the three functions are given and what they may return."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from threading import Event
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Protocol, Union

from .to_number import to_number

Row = Dict[str, Any]
Metrics = Mapping[str, float]
Handler = Callable[..., Any]
OPERATIONS = ("train", "evaluate", "aggregate")
# How many arguments a function takes besides the context it may leave out.
ARGUMENT_COUNTS = {"train": 2, "evaluate": 2, "aggregate": 1}


@dataclass(frozen=True)
class TrainResult:
    """New parameters, and what a coordinator weighs and plots them by."""

    parameters: Union[bytes, bytearray, memoryview]
    num_examples: Optional[int] = None
    metrics: Optional[Metrics] = None
    # Says that empty parameters are meant, not forgotten.
    allow_empty: bool = False


@dataclass(frozen=True)
class EvaluateResult:
    """Any finite accuracy; higher is better."""

    accuracy: float
    num_examples: Optional[int] = None
    metrics: Optional[Metrics] = None


@dataclass(frozen=True)
class AggregateResult:
    """The parameters of the whole."""

    parameters: Union[bytes, bytearray, memoryview]
    metrics: Optional[Metrics] = None
    allow_empty: bool = False


class Logger(Protocol):
    """Where operators read; a ``logging.Logger`` is one. Never given parameters or tokens."""

    def info(self, message: str) -> object: ...

    def warning(self, message: str) -> object: ...

    def error(self, message: str) -> object: ...


class Signal(Event):
    """Fires when the caller cancelled or left, when time is up, and when the participant shuts down."""

    def __bool__(self) -> bool:
        # So that `if context.signal:` means what it reads like.
        return self.is_set()


@dataclass(frozen=True)
class Context:
    """What a function may know of the job it serves."""

    job_id: str
    config: Mapping[str, Any]
    signal: Signal
    log: Logger
    read_rows: Callable[[], Iterator[Row]]
    report: Callable[[Mapping[str, Any]], None]
    round: Optional[int] = None
    run_id: Optional[str] = None
    # Only for aggregate, and only when the caller sent them.
    weights: Optional[List[float]] = None

    @property
    def cancelled(self) -> bool:
        """Whether the function should stop."""
        return self.signal.is_set()

    def progress(self, step: int, total: Optional[int] = None, metrics: Optional[Metrics] = None) -> None:
        """Shown by ``GET /jobs/:id`` and in the coordinator's table."""
        progress: dict[str, Any] = {"step": _finite(step)}
        if total is not None:
            progress["total"] = _finite(total)
        if metrics is not None:
            progress["metrics"] = {str(name): _finite(value) for name, value in metrics.items()}
        self.report(progress)

    def rows(self) -> Iterator[Row]:
        """The dataset row by row, for files that should not be held in memory at once."""
        return self.read_rows()


def takes_context(operation: str, handler: Handler) -> bool:
    """Whether a function accepts the context after its other arguments; refuses one that cannot be called at all."""
    if not callable(handler):
        raise TypeError(f"{operation} must be a function")
    needed = ARGUMENT_COUNTS[operation]
    try:
        signature = inspect.signature(handler)
    except ValueError:
        return False
    if _fits(signature, needed + 1):
        return True
    if _fits(signature, needed):
        return False
    raise TypeError(f"{operation} must take {needed} or {needed + 1} positional arguments")


def _finite(value: Any) -> Union[int, float]:
    number = to_number(value)
    if number is None or not math.isfinite(number):
        raise TypeError("progress takes finite numbers: step, total, metrics")
    return number


def _fits(signature: inspect.Signature, count: int) -> bool:
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True
