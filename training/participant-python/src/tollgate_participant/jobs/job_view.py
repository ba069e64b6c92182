"""JSON representation of jobs."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from .job import Job


def view_job(job: Job) -> dict[str, Any]:
    """Return the body of ``GET /jobs/:id``, without fields that aren't known yet."""
    view: dict[str, Any] = {"jobId": job.id, "op": job.spec.operation}
    if job.spec.round is not None:
        view["round"] = job.spec.round
    view["state"] = job.state
    if job.progress is not None:
        view["progress"] = job.progress
    view["createdAt"] = _to_text(job.created_at)
    if job.started_at is not None:
        view["startedAt"] = _to_text(job.started_at)
    if job.finished_at is not None:
        view["finishedAt"] = _to_text(job.finished_at)
    if job.failure is not None:
        view["error"] = {name: value for name, value in job.failure.body().items() if name != "jobId"}
    return view


def view_current(job: Job) -> dict[str, Any]:
    """Return the running job's fields for ``/status``."""
    view = view_job(job)
    return {name: view[name] for name in ("jobId", "op", "round", "startedAt", "progress") if name in view}


def _to_text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
