"""Routes that accept, run, and respond to function calls."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Iterable, Iterator, Optional

from ..calls.call_lines import log_failure
from ..calls.function_input import FunctionInput
from ..failures import BadRequest, ParticipantFailure
from ..handlers import OPERATIONS
from ..jobs.job import Job, JobSpec
from ..jobs.job_board import shutting_down
from ..wire.body import DecodedBody, DecodeOptions, decode_body, too_large
from .inflate import inflate
from .job_answers import await_job, send_outcome, send_pending
from .parts import Exchange, Parts
from .request_headers import CallHeaders, read_call_headers

# Only a few bodies above this size are read concurrently. This limit also applies to chunked and gzip bodies.
SMALL_BODY_BYTES = 1024 * 1024
LARGE_BODIES = 4


class OperationRoute:
    """Handler for the three operations and for ``/call``, which reads its operation from the body."""

    def __init__(self, max_queue: int) -> None:
        self._large_bodies = threading.BoundedSemaphore(LARGE_BODIES + max_queue)

    def train(self, parts: Parts, exchange: Exchange) -> None:
        self._serve(parts, exchange, "train")

    def evaluate(self, parts: Parts, exchange: Exchange) -> None:
        self._serve(parts, exchange, "evaluate")

    def aggregate(self, parts: Parts, exchange: Exchange) -> None:
        self._serve(parts, exchange, "aggregate")

    def call(self, parts: Parts, exchange: Exchange) -> None:
        self._serve(parts, exchange, None)

    def _serve(self, parts: Parts, exchange: Exchange, operation: Optional[str]) -> None:
        try:
            headers = _check_before_body(parts, exchange, operation)
            job, is_new = self._read_and_submit(parts, exchange, operation, headers)
            _answer_job(parts, exchange, job, is_new, headers)
        except ParticipantFailure as failure:
            # A failed job is logged separately. This logs only requests that didn't become jobs.
            if failure.job_id is None and operation is not None:
                log_failure(parts.settings.logger, operation, failure)
            raise

    def _read_and_submit(
        self, parts: Parts, exchange: Exchange, operation: Optional[str], headers: CallHeaders
    ) -> tuple[Job, bool]:
        length = exchange.request.content_length
        # The final size of a gzip body and the length of a chunked body aren't known in advance.
        is_large = headers.is_gzip or length is None or length > SMALL_BODY_BYTES
        with self._room_for(parts, is_large):
            options = _decode_options(parts, headers)
            pieces = exchange.connection.body()
            body = decode_body(inflate(_limit_packed(pieces, options)) if headers.is_gzip else pieces, options)
        chosen = operation or _read_method(body)
        _check_registered(parts, chosen)
        given = FunctionInput(chosen, body, parts.settings.datasets)
        limit = parts.settings.max_seconds[chosen]
        spec = JobSpec(
            operation=chosen,
            body_sha256=body.sha256,
            timeout_seconds=min(headers.timeout_seconds or limit, limit),
            keeps_result=headers.key is not None or headers.is_async,
            key=headers.key,
            round=headers.round if given.round is None else given.round,
            run_id=headers.run_id,
            byte_length=given.byte_length,
        )
        return parts.board.submit(spec, lambda job: parts.host.run(given, job))

    @contextmanager
    def _room_for(self, parts: Parts, is_large: bool) -> Iterator[None]:
        if not is_large:
            yield
            return
        if not self._large_bodies.acquire(blocking=False):
            raise parts.board.busy()
        try:
            yield
        finally:
            self._large_bodies.release()


def _check_before_body(parts: Parts, exchange: Exchange, operation: Optional[str]) -> CallHeaders:
    """Run all checks that don't need the body, so that a refused client doesn't have to upload it."""
    if parts.board.is_draining:
        raise shutting_down()
    if operation is not None:
        _check_registered(parts, operation)
    headers = read_call_headers(exchange.request.headers)
    if operation is not None:
        parts.board.check_room(operation, headers.key)
    options = _decode_options(parts, headers)
    if (exchange.request.content_length or 0) > options.max_bytes:
        raise too_large(options)
    return headers


def _answer_job(parts: Parts, exchange: Exchange, job: Job, is_new: bool, headers: CallHeaders) -> None:
    connection = exchange.connection
    try:
        if headers.is_async:
            is_settled = not is_new and job.settled.is_set()
            if headers.wait_seconds > 0:
                await_job(job, connection, headers.wait_seconds)
                is_settled = job.settled.is_set()
            if not is_settled:
                # Without a wait, a new job is always reported as queued, whether or not its thread has started.
                state = "queued" if is_new and headers.wait_seconds == 0 else job.state
                send_pending(connection, job, state, {"Preference-Applied": "respond-async"})
                return
        if not await_job(job, connection):
            connection.close_after_answer()
            if not job.spec.keeps_result:
                parts.board.cancel(job)
            return
        send_outcome(connection, job, headers.answers_frames)
    finally:
        if job.settled.is_set():
            parts.board.release(job)


def _decode_options(parts: Parts, headers: CallHeaders) -> DecodeOptions:
    settings = parts.settings
    return DecodeOptions(
        is_frames=headers.is_frames,
        max_bytes=settings.max_frame_bytes if headers.is_frames else settings.max_json_bytes,
        max_entries=settings.max_entries,
        memory_bytes=settings.memory_bytes,
        folder=settings.spool_folder,
    )


def _limit_packed(pieces: Iterable[bytes], options: DecodeOptions) -> Iterator[bytes]:
    """Limit the compressed length, because a large compressed body can decompress to zero bytes."""
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > options.max_bytes:
            raise too_large(options)
        yield piece


def _read_method(body: DecodedBody) -> str:
    method = body.fields.get("method")
    if method not in OPERATIONS:
        raise BadRequest('method must be "train", "evaluate", or "aggregate"')
    return str(method)


def _check_registered(parts: Parts, operation: str) -> None:
    if not parts.host.has(operation):
        raise ParticipantFailure("NOT_REGISTERED", f"no {operation} function is registered")
