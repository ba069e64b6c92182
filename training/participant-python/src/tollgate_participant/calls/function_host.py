"""Execution of the registered functions. Each call runs in its job's thread."""

from __future__ import annotations

import inspect
import threading
import traceback
from typing import TYPE_CHECKING, Any, Mapping, Optional

from ..datasets.row_files import DatasetError
from ..failures import ParticipantFailure
from ..handlers import Context, Handler, takes_context
from ..jobs.job import Job, JobResult
from ..settings import Settings
from ..wire.spool import Spool, SpoolRoom
from ..wire.stored_bytes import BytesLike, MemoryBytes, StoredBytes
from .check_result import check_result
from .find_own_frame import find_own_frame
from .function_input import FunctionInput

if TYPE_CHECKING:
    from .async_loop import AsyncLoop

# Stored results accumulate until they expire, so results above this size are written to a file.
KEPT_MEMORY_BYTES = 256 * 1024
PIECE_BYTES = 4 * 1024 * 1024
# Limits an error message from a function, which can be as long as the function's input data.
MESSAGE_CHARACTERS = 2000


class FunctionHost:
    """Runner for the registered functions."""

    def __init__(self, functions: Mapping[str, Handler], settings: Settings) -> None:
        self._functions = dict(functions)
        self._passes_context = {name: takes_context(name, function) for name, function in functions.items()}
        self._settings = settings
        self._loop: Optional[AsyncLoop] = None
        self._loop_lock = threading.Lock()

    def has(self, operation: str) -> bool:
        """Return whether the function is registered."""
        return operation in self._functions

    def run(self, given: FunctionInput, job: Job) -> JobResult:
        """Call the job's function and return its result. Raise the failure that the caller receives."""
        try:
            returned = self._call(given, job)
        except ParticipantFailure:
            raise
        except BaseException as error:  # noqa: BLE001 - the caller must receive a failure even for SystemExit
            raise self._explain(error, job) from None
        fields, parameters = check_result(given.operation, returned)
        del returned
        if parameters is None:
            return JobResult(fields)
        return JobResult(fields, self._keep(parameters) if job.spec.keeps_result else MemoryBytes(parameters))

    def _call(self, given: FunctionInput, job: Job) -> Any:
        operation = given.operation
        function = self._functions[operation]
        context = self._make_context(given, job)
        # The arguments are passed inline because a local variable would keep them in memory while the function runs.
        if operation == "aggregate":
            if self._passes_context[operation]:
                returned = function(given.take_list(), context)
            else:
                returned = function(given.take_list())
        elif self._passes_context[operation]:
            returned = function(given.take_parameters(), given.dataset.as_list(), context)
        else:
            returned = function(given.take_parameters(), given.dataset.as_list())
        return self._wait_for(returned, job) if inspect.isawaitable(returned) else returned

    def _wait_for(self, awaitable: Any, job: Job) -> Any:
        with self._loop_lock:
            if self._loop is None:
                # Imported here because most participants are synchronous, and importing asyncio costs memory and time.
                from .async_loop import AsyncLoop

                self._loop = AsyncLoop()
        return self._loop.run(awaitable, job)

    def _make_context(self, given: FunctionInput, job: Job) -> Context:
        def report(progress: Mapping[str, Any]) -> None:
            job.progress = progress

        return Context(
            job_id=job.id,
            config=given.config,
            signal=job.signal,
            log=self._settings.logger,
            read_rows=given.dataset.rows,
            report=report,
            round=job.spec.round,
            run_id=job.spec.run_id,
            weights=given.weights,
        )

    def _keep(self, parameters: BytesLike) -> StoredBytes:
        """Copy a result that callers can fetch again, so that a function that reuses its buffer cannot change it."""
        if isinstance(parameters, bytes) and len(parameters) <= KEPT_MEMORY_BYTES:
            return MemoryBytes(parameters)
        spool = Spool(SpoolRoom(KEPT_MEMORY_BYTES, self._settings.spool_folder))
        view = memoryview(parameters)
        for start in range(0, len(view), PIECE_BYTES):
            spool.write(view[start : start + PIECE_BYTES])
        return spool.finish()

    def _explain(self, error: BaseException, job: Job) -> ParticipantFailure:
        """Create the failure for the caller. The operator's details are text because a traceback would hold memory."""
        operation = job.spec.operation
        message = (
            "the dataset could not be read" if isinstance(error, DatasetError) else str(error)[:MESSAGE_CHARACTERS]
        )
        stack = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        details = {"stack": stack} if self._settings.expose_errors else None
        failure = ParticipantFailure("HANDLER_ERROR", message or f"{operation} failed", details)
        failure.origin = find_own_frame(error, stack)
        return failure
