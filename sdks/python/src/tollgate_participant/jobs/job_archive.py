"""Every job a caller may still ask for. What is too old, too many or too large is forgotten, oldest first."""

from __future__ import annotations

import time
from typing import Optional

from .job import Job

MAX_JOBS = 1000
# Each may hold an open file.
MAX_RESULTS = 256


class JobArchive:
    """Called under the board's lock."""

    def __init__(self, retention_seconds: float, max_bytes: int) -> None:
        self._retention_seconds = retention_seconds
        self._max_bytes = max_bytes
        self._by_id: dict[str, Job] = {}
        self._by_key: dict[str, Job] = {}
        # Jobs whose result is kept, in the order they ended, with its size.
        self._kept: dict[str, int] = {}
        self._kept_bytes = 0

    def find(self, job_id: str) -> Optional[Job]:
        self.forget_old()
        return self._by_id.get(job_id)

    def find_by_key(self, key: Optional[str]) -> Optional[Job]:
        """The running or succeeded job of an idempotency key. A job that failed leaves its key free."""
        self.forget_old()
        return None if key is None else self._by_key.get(key)

    def add(self, job: Job) -> None:
        self._by_id[job.id] = job
        if job.spec.key is not None:
            self._by_key[job.spec.key] = job

    def settle(self, job: Job) -> None:
        """To be told once when a job has settled."""
        if job.state != "succeeded":
            self._release_key(job)
        if job.result is not None and job.spec.keeps_result:
            size = 0 if job.result.parameters is None else job.result.parameters.length
            self._kept[job.id] = size
            self._kept_bytes += size
        self.forget_old()

    def forget_result(self, job: Job) -> None:
        """Forgets the result of a job, and the key it answered for. Who is reading it can still finish."""
        self._kept_bytes -= self._kept.pop(job.id, 0)
        self._release_key(job)
        job.result = None

    def forget_old(self) -> None:
        """Drops what has outlived its time or its room. The newest result stays: its caller is about to read it."""
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
