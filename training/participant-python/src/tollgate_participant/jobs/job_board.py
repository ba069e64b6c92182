"""Job scheduling, including slots, the queue, cancellation, and idempotency keys."""

from __future__ import annotations

import threading
from typing import Any, Callable, Mapping, Optional

from ..failures import ParticipantFailure
from .job import Job, JobResult, JobSpec
from .job_archive import JobArchive
from .job_slots import JobSlots
from .job_view import view_current
from .round_memory import RoundMemory

BUSY_RETRY_SECONDS = 2
DRAIN_RETRY_SECONDS = 30


class JobBoard:
    """Scheduler for all jobs of a participant. Can be called from any thread."""

    def __init__(
        self,
        slots: JobSlots,
        archive: JobArchive,
        max_queue: int,
        grace_seconds: float,
        on_settled: Callable[[Job], None],
        on_stuck: Callable[[Job], None],
    ) -> None:
        self._slots = slots
        self._archive = archive
        self._max_queue = max_queue
        self._grace_seconds = grace_seconds
        self._on_settled = on_settled
        # Called when a function doesn't end in time. The callback can end the process to free the slot.
        self._on_stuck = on_stuck
        self._rounds = RoundMemory()
        self._lock = threading.RLock()
        self._became_idle = threading.Condition(self._lock)
        self._queue: list[Job] = []
        self._running: list[Job] = []
        self.is_draining = False

    def describe(self) -> Mapping[str, Any]:
        """Return the job fields of ``/status``."""
        with self._lock:
            current = view_current(self._running[0]) if self._running else None
            return {"busy": bool(self._running), "current": current, "queue": len(self._queue)}

    def find(self, job_id: str) -> Job:
        """Return the job with this ID. Raise NOT_FOUND if it doesn't exist."""
        with self._lock:
            job = self._archive.find(job_id)
        if job is None:
            raise ParticipantFailure("NOT_FOUND", "job not found")
        return job

    def check_room(self, operation: str, key: Optional[str]) -> None:
        """Raise a failure if a new job would be refused. Requests with the key of an existing job are allowed."""
        with self._lock:
            if self.is_draining:
                raise shutting_down()
            if self._archive.find_by_key(key) is not None:
                return
            if not self._slots.has_free(operation) and len(self._queue) >= self._max_queue:
                raise self.busy()

    def submit(self, spec: JobSpec, work: Callable[[Job], JobResult]) -> tuple[Job, bool]:
        """Start or queue the job, or find the one with its idempotency key. Return the job and whether it is new."""
        with self._lock:
            known = self._archive.find_by_key(spec.key)
            if known is not None:
                if (known.spec.body_sha256, known.spec.operation) != (spec.body_sha256, spec.operation):
                    raise ParticipantFailure("CONFLICT", "this Idempotency-Key was already used with a different body")
                return known, False
            self.check_room(spec.operation, None)
            self._rounds.check(spec.run_id, spec.round)
            job = Job(spec, work)
            if self._slots.has_free(spec.operation):
                self._occupy_slot(job)
            else:
                self._queue.append(job)
            self._archive.add(job)
            return job, True

    def cancel(self, job: Job) -> None:
        """Cancel a job and respond to its caller immediately.

        The slot is freed when the function ends. Canceling a settled job has no effect.
        """
        self._stop(job, ParticipantFailure("CANCELLED", "the job was cancelled"))

    def release(self, job: Job) -> None:
        """Delete a result that can't be fetched again."""
        if not job.spec.keeps_result:
            with self._lock:
                self._archive.forget_result(job)

    def drain(self, limit_seconds: float) -> None:
        """Refuse new and queued jobs, wait for running jobs up to the limit, and then stop them."""
        with self._lock:
            self.is_draining = True
            waiting = list(self._queue)
        for job in waiting:
            self._stop(job, shutting_down())
        if self._becomes_idle(limit_seconds):
            return
        with self._lock:
            running = list(self._running)
        for job in running:
            self._stop(job, shutting_down())
        self._becomes_idle(self._grace_seconds)

    def _becomes_idle(self, limit_seconds: float) -> bool:
        with self._lock:
            return self._became_idle.wait_for(lambda: not self._running, limit_seconds)

    def _occupy_slot(self, job: Job) -> None:
        # The thread is a daemon so that a function that never ends cannot keep the process alive. It starts before the
        # slot is taken, because a failed thread start must not occupy the slot. The thread first waits for the lock.
        threading.Thread(target=self._execute, args=(job,), name=job.id, daemon=True).start()
        self._slots.take(job.spec.operation)
        self._running.append(job)

    def _execute(self, job: Job) -> None:
        with self._lock:
            work = job.take_work()
            if work is not None:
                job.start()
        result: Optional[JobResult] = None
        failure: Optional[ParticipantFailure] = None
        if work is not None:
            timer = threading.Timer(job.spec.timeout_seconds, self._time_out, (job,))
            timer.daemon = True
            try:
                timer.start()
                result = work(job)
            except BaseException as error:  # noqa: BLE001 - SystemExit would end the thread without a failure
                failure = _to_failure(error, job)
            timer.cancel()
        del work
        with self._lock:
            # The slot is freed first so that a caller who sends the next job right after the response finds it free.
            self._free_slot(job)
            if failure is not None:
                self._fail(job, failure)
            elif result is not None:
                self._complete(job, result)

    def _complete(self, job: Job, result: JobResult) -> None:
        if not job.settled.is_set():
            job.succeed(result)
            self._archive.settle(job)
            self._on_settled(job)

    def _fail(self, job: Job, failure: ParticipantFailure) -> bool:
        with self._lock:
            if job.settled.is_set():
                return False
            job.fail(failure)
            self._archive.settle(job)
            self._on_settled(job)
            return True

    def _free_slot(self, job: Job) -> None:
        """Free the job's slot and give it to the oldest queued job that can run, before any new job."""
        self._running.remove(job)
        self._slots.free(job.spec.operation)
        for waiting in list(self._queue):
            if not self._slots.has_free(waiting.spec.operation):
                continue
            self._queue.remove(waiting)
            try:
                self._occupy_slot(waiting)
            except RuntimeError as error:
                waiting.take_work()
                self._fail(waiting, _to_failure(error, waiting))
        self._became_idle.notify_all()

    def _time_out(self, job: Job) -> None:
        """Signal the function to stop. If it ends within the grace period, its result still counts."""
        seconds = f"{job.spec.timeout_seconds:.9f}".rstrip("0").rstrip(".")
        message = f"{job.spec.operation} did not finish within {seconds} seconds"
        failure = ParticipantFailure("HANDLER_TIMEOUT", message)
        job.abort(failure)
        if not job.settled.wait(self._grace_seconds) and self._fail(job, failure):
            self._on_stuck(job)

    def _stop(self, job: Job, reason: ParticipantFailure) -> None:
        with self._lock:
            if job.settled.is_set():
                return
            if job in self._queue:
                self._queue.remove(job)
            job.take_work()
            self._fail(job, reason)
        job.abort(reason)

    def busy(self) -> ParticipantFailure:
        """Return the failure for a request that arrives when all slots are occupied."""
        details = {"currentJobId": self._running[0].id} if self._running else None
        headers = {"Retry-After": str(BUSY_RETRY_SECONDS)}
        return ParticipantFailure("BUSY", "busy with another job", details, headers=headers)


def shutting_down() -> ParticipantFailure:
    """Return the failure for a request that arrives during shutdown."""
    return ParticipantFailure("SHUTTING_DOWN", "shutting down", headers={"Retry-After": str(DRAIN_RETRY_SECONDS)})


def _to_failure(error: BaseException, job: Job) -> ParticipantFailure:
    """Return the failure for an exception. If the job was stopped, return the stop reason instead."""
    if job.reason is not None:
        return job.reason
    if isinstance(error, ParticipantFailure):
        return error
    return ParticipantFailure("HANDLER_ERROR", f"{job.spec.operation} failed")
