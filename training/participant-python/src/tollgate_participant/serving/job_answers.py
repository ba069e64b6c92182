"""Responses for jobs. A response contains the result, the error, or the URL of a pending job."""

from __future__ import annotations

import time
from typing import Mapping, Optional

from ..failures import ParticipantFailure
from ..jobs.job import Job
from ..wire.body import encode_body
from .connection import Connection

# The interval between checks for a disconnected client.
LOOK_SECONDS = 0.2


def await_job(job: Job, connection: Connection, limit_seconds: Optional[float] = None) -> bool:
    """Wait until the job has settled or the time limit has passed. Return False if the client disconnected."""
    deadline = None if limit_seconds is None else time.monotonic() + limit_seconds
    while True:
        left = LOOK_SECONDS if deadline is None else min(LOOK_SECONDS, deadline - time.monotonic())
        if job.settled.wait(max(0.0, left)) or left <= 0:
            return True
        if connection.is_caller_gone():
            return False


def send_pending(connection: Connection, job: Job, state: str, headers: Mapping[str, str]) -> None:
    """Send status 202 with the URL of the pending job."""
    where = {"Location": f"/jobs/{job.id}", "X-Job-Id": job.id}
    connection.send_json(202, {"jobId": job.id, "state": state}, {**where, **headers})


def send_outcome(connection: Connection, job: Job, as_frames: bool) -> None:
    """Send the result of a settled job, streamed from storage. Raise its failure if it failed."""
    if job.failure is not None:
        raise job.failure.copy()
    result = job.result
    if result is None:
        raise ParticipantFailure("NOT_FOUND", "the result has expired", job_id=job.id)
    headers = {"X-Job-Id": job.id, "X-Duration-Ms": str(job.duration_ms)}
    if result.parameters is not None:
        headers["X-Parameters-Sha256"] = result.parameters.sha256
    body = encode_body(result.fields, result.parameters, as_frames)
    connection.send(200, {"Content-Type": body.content_type, **headers}, body.length, body.chunks)
