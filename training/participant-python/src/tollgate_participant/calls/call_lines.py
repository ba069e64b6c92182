"""Log lines for function calls."""

from __future__ import annotations

import time
from typing import Optional

from ..failures import ParticipantFailure
from ..handlers import Logger
from ..jobs.job import Job
from .plain_text import plain_text

MESSAGE_CHARACTERS = 500


def log_job(log: Logger, job: Job) -> None:
    """Log the operation, duration, sizes or accuracy, and outcome of a job."""
    operation = job.spec.operation
    if job.failure is not None:
        log_failure(log, operation, job.failure)
        return
    fields = {} if job.result is None else job.result.fields
    if "accuracy" in fields:
        given = f"accuracy {fields['accuracy']:.6g}"
    else:
        stored = None if job.result is None else job.result.parameters
        size = 0 if stored is None else stored.length
        given = f"{format_bytes(job.spec.byte_length)} in  {format_bytes(size)} out"
    seconds = f"{job.duration_ms / 1000:.1f} s"
    log.info(f"{_begin(operation)}{seconds:<8}{given:<24} ok")


def log_failure(log: Logger, operation: str, failure: ParticipantFailure) -> None:
    """Log a failed or refused call, with the location in the user's code if the failure came from there."""
    cause: Optional[str] = None
    more: list[str] = []
    if failure.origin is not None:
        cause, *more = failure.origin.split("\n", 1)
    message = cause or plain_text(failure.message, MESSAGE_CHARACTERS)
    line = f"{_begin(operation)}failed  {message}   → {failure.status} {failure.code}"
    text = f"{line}, see below\n{more[0]}" if more else line
    if failure.status >= 500:
        log.error(text)
    else:
        log.warning(text)


def format_bytes(count: float) -> str:
    """Format a byte count with up to three digits and a unit."""
    units = ["B", "KB", "MB", "GB"]
    while count >= 1000 and len(units) > 1:
        count /= 1000
        units.pop(0)
    return f"{count:.0f} {units[0]}" if count >= 100 or count == int(count) else f"{count:.1f} {units[0]}"


def _begin(operation: str) -> str:
    return f"{time.strftime('%H:%M:%S')}  {operation:<10} "
