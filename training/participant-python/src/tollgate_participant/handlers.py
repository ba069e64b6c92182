"""Arguments and results of the train, evaluate, and aggregate functions."""

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
# The number of positional arguments that each function takes before the optional context.
ARGUMENT_COUNTS = {"train": 2, "evaluate": 2, "aggregate": 1}


@dataclass(frozen=True)
class TrainResult:
    """Trained parameters, with the example count and metrics that the coordinator uses."""

    parameters: Union[bytes, bytearray, memoryview]
    num_examples: Optional[int] = None
    metrics: Optional[Metrics] = None
    # Set to True to allow empty parameters. Otherwise they are rejected as a mistake.
    allow_empty: bool = False


@dataclass(frozen=True)
class EvaluateResult:
    """Evaluation result. The accuracy can be any finite number, and higher is better."""

    accuracy: float
    num_examples: Optional[int] = None
    metrics: Optional[Metrics] = None


@dataclass(frozen=True)
class AggregateResult:
    """Aggregated parameters."""

    parameters: Union[bytes, bytearray, memoryview]
    metrics: Optional[Metrics] = None
    allow_empty: bool = False


class Logger(Protocol):
    """Logger for operators, such as a ``logging.Logger``. It never receives parameters or tokens."""

    def info(self, message: str) -> object: ...

    def warning(self, message: str) -> object: ...

    def error(self, message: str) -> object: ...


class Signal(Event):
    """Event that is set on cancellation, client disconnect, timeout, or participant shutdown."""

    def __bool__(self) -> bool:
        # Makes `if context.signal:` test whether the signal is set.
        return self.is_set()


@dataclass(frozen=True)
class Context:
    """Information about the current job, and functions that report progress and read rows."""

    job_id: str
    config: Mapping[str, Any]
    signal: Signal
    log: Logger
    read_rows: Callable[[], Iterator[Row]]
    report: Callable[[Mapping[str, Any]], None]
    round: Optional[int] = None
    run_id: Optional[str] = None
    # Set only for aggregate, and only if the request contained weights.
    weights: Optional[List[float]] = None

    @property
    def cancelled(self) -> bool:
        """Return whether the function should stop."""
        return self.signal.is_set()

    def progress(self, step: int, total: Optional[int] = None, metrics: Optional[Metrics] = None) -> None:
        """Report progress, which ``GET /jobs/:id`` and the coordinator's table display."""
        progress: dict[str, Any] = {"step": _finite(step)}
        if total is not None:
            progress["total"] = _finite(total)
        if metrics is not None:
            progress["metrics"] = {str(name): _finite(value) for name, value in metrics.items()}
        self.report(progress)

    def rows(self) -> Iterator[Row]:
        """Iterate over the dataset's rows without loading the whole dataset into memory."""
        return self.read_rows()


def takes_context(operation: str, handler: Handler) -> bool:
    """Return whether a function accepts the context as its last argument. Raise TypeError if its signature is wrong."""
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
