"""Storage for jobs that callers can still query. The oldest entries are deleted by age, count, and size."""

from __future__ import annotations

import time
from typing import Optional

from .job import Job

MAX_JOBS = 1000
# Each result can hold an open file.
MAX_RESULTS = 256


class JobArchive:
    """Archive of jobs and results. Callers must hold the job board's lock."""

    def __init__(self, retention_seconds: float, max_bytes: int) -> None:
        self._retention_seconds = retention_seconds
        self._max_bytes = max_bytes
        self._by_id: dict[str, Job] = {}
        self._by_key: dict[str, Job] = {}
        # Result sizes of the jobs with a stored result, in the order in which the jobs ended.
        self._kept: dict[str, int] = {}
        self._kept_bytes = 0

    def find(self, job_id: str) -> Optional[Job]:
        self.forget_old()
        return self._by_id.get(job_id)

    def find_by_key(self, key: Optional[str]) -> Optional[Job]:
        """Return the running or succeeded job with this idempotency key. A failed job releases its key."""
        self.forget_old()
        return None if key is None else self._by_key.get(key)

    def add(self, job: Job) -> None:
        self._by_id[job.id] = job
        if job.spec.key is not None:
            self._by_key[job.spec.key] = job

    def settle(self, job: Job) -> None:
        """Store the result of a settled job. Call this once per job."""
        if job.state != "succeeded":
            self._release_key(job)
        if job.result is not None and job.spec.keeps_result:
            size = 0 if job.result.parameters is None else job.result.parameters.length
            self._kept[job.id] = size
            self._kept_bytes += size
        self.forget_old()

    def forget_result(self, job: Job) -> None:
        """Delete a job's result and release its key. A response that is already reading the result can finish."""
        self._kept_bytes -= self._kept.pop(job.id, 0)
        self._release_key(job)
        job.result = None

    def forget_old(self) -> None:
        """Delete jobs and results over the age, count, or size limits.

        The size limit never removes the newest result, because its caller is about to read it.
        """
        oldest = time.time() - self._retention_seconds
        for job_id in list(self._kept):
            job = self._by_id[job_id]
            is_crowded = len(self._kept) > MAX_RESULTS or (self._kept_bytes > self._max_bytes and len(self._kept) > 1)
            if not is_crowded and (job.finished_at or 0.0) > oldest:
                break
            self.forget_result(job)
        for job in list(self._by_id.values()):
            if not job.settled.is_set():
                continue
            if len(self._by_id) <= MAX_JOBS and (job.finished_at or 0.0) > oldest:
                break
            self.forget_result(job)
            del self._by_id[job.id]

    def _release_key(self, job: Job) -> None:
        key = job.spec.key
        if key is not None and self._by_key.get(key) is job:
            del self._by_key[key]
