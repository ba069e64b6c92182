"""One call of a function, from its acceptance until its result is forgotten."""

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
    """What a function gave, checked and ready to be sent: the small fields, and the parameters apart from them."""

    fields: dict[str, Any]
    parameters: Optional[StoredBytes] = None


@dataclass(frozen=True)
class JobSpec:
    """What is known of a job before it runs."""

    operation: str
    body_sha256: str
    timeout_seconds: float
    # Whether somebody may ask for the result after the call that started the job has ended.
    keeps_result: bool
    key: Optional[str] = None
    round: Optional[int] = None
    run_id: Optional[str] = None
    byte_length: int = 0


class Job:
    """State is changed by the board alone, under its lock; ``settled`` fires once, maybe before the function ends."""

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
        """How long the function ran, or has run so far."""
        if self.started_at is None:
            return 0
        return max(0, round(((self.finished_at or time.time()) - self.started_at) * 1000))

    def take_work(self) -> Optional[Callable[[Job], JobResult]]:
        """Hands the work over once, so that a job which is kept does not keep the parameters it was given."""
        work, self._work = self._work, None
        return work

    def abort(self, reason: ParticipantFailure) -> None:
        """Tells the function to stop."""
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
