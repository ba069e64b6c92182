"""One call of a registered function, from acceptance until its result is deleted."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from threading import Event
from typing import Any, Callable, Mapping, Optional

from ..failures import ParticipantFailure
from ..handlers import Signal
from ..wire.stored_bytes import StoredBytes


@dataclass
class JobResult:
    """Validated function result, with the parameters separate from the small fields."""

    fields: dict[str, Any]
    parameters: Optional[StoredBytes] = None


@dataclass(frozen=True)
class JobSpec:
    """Properties of a job that are known before it runs."""

    operation: str
    body_sha256: str
    timeout_seconds: float
    # Whether the result can be fetched after the request that started the job has ended.
    keeps_result: bool
    key: Optional[str] = None
    round: Optional[int] = None
    run_id: Optional[str] = None
    byte_length: int = 0


class Job:
    """Job whose state only the job board changes, under its lock.

    ``settled`` is set once, possibly before the function ends.
    """

    def __init__(self, spec: JobSpec, work: Callable[[Job], JobResult]) -> None:
        self.id = f"job_{uuid.uuid4()}"
        self.spec = spec
        self.state = "queued"
        self.signal = Signal()
        self.settled = Event()
        self.reason: Optional[ParticipantFailure] = None
        self.on_signal: Optional[Callable[[], None]] = None
        self.progress: Optional[Mapping[str, Any]] = None
        self.failure: Optional[ParticipantFailure] = None
        self.result: Optional[JobResult] = None
        self.created_at = time.time()
        self.started_at: Optional[float] = None
        self.finished_at: Optional[float] = None
        self._work: Optional[Callable[[Job], JobResult]] = work

    @property
    def duration_ms(self) -> int:
        """Return the function's run time so far, in milliseconds."""
        if self.started_at is None:
            return 0
        return max(0, round(((self.finished_at or time.time()) - self.started_at) * 1000))

    def take_work(self) -> Optional[Callable[[Job], JobResult]]:
        """Return the work once and drop it, so that a stored job doesn't keep its input parameters in memory."""
        work, self._work = self._work, None
        return work

    def abort(self, reason: ParticipantFailure) -> None:
        """Signal the function to stop."""
        self.reason = self.reason or reason
        self.signal.set()
        if self.on_signal is not None:
            self.on_signal()

    def start(self) -> None:
        self.state = "running"
        self.started_at = time.time()

    def succeed(self, result: JobResult) -> None:
        self.result = result
        self._finish("succeeded")

    def fail(self, failure: ParticipantFailure) -> None:
        self.failure = failure.copy(self.id)
        self._finish("cancelled" if failure.code == "CANCELLED" else "failed")

    def _finish(self, state: str) -> None:
        self.state = state
        self.finished_at = time.time()
        self.settled.set()
