"""Jobs that were started earlier."""

from __future__ import annotations

from ..jobs.job_view import view_job
from .job_answers import await_job, send_outcome, send_pending
from .parts import Exchange, Parts
from .request_headers import read_prefer, wants_frames


def serve_job(parts: Parts, exchange: Exchange) -> None:
    """Shows a job, or cancels it."""
    job = parts.board.find(exchange.job_id)
    if exchange.request.method != "DELETE":
        exchange.connection.send_json(200, view_job(job), {})
        return
    parts.board.cancel(job)
    exchange.connection.send_json(200, {"jobId": job.id, "state": job.state}, {})


def serve_job_result(parts: Parts, exchange: Exchange) -> None:
    """The result of a job, its error, or word that it is not finished after the wait that was asked for."""
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
