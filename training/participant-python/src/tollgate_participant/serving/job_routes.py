"""Routes for existing jobs."""

from __future__ import annotations

from ..jobs.job_view import view_job
from .job_answers import await_job, send_outcome, send_pending
from .parts import Exchange, Parts
from .request_headers import read_prefer, wants_frames


def serve_job(parts: Parts, exchange: Exchange) -> None:
    """Return the job, or cancel it for a DELETE request."""
    job = parts.board.find(exchange.job_id)
    if exchange.request.method != "DELETE":
        exchange.connection.send_json(200, view_job(job), {})
        return
    parts.board.cancel(job)
    exchange.connection.send_json(200, {"jobId": job.id, "state": job.state}, {})


def serve_job_result(parts: Parts, exchange: Exchange) -> None:
    """Send the job's result or error, or status 202 if the job is still pending after the requested wait."""
    job = parts.board.find(exchange.job_id)
    headers = exchange.request.headers
    _, wait_seconds = read_prefer(headers)
    if wait_seconds > 0 and not await_job(job, exchange.connection, wait_seconds):
        exchange.connection.close_after_answer()
        return
    if job.settled.is_set():
        send_outcome(exchange.connection, job, wants_frames(headers))
    else:
        send_pending(exchange.connection, job, job.state, {})
