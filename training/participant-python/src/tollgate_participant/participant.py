"""Participant that serves three registered functions over HTTP."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, TypeVar

from .calls.call_lines import log_job
from .calls.function_host import FunctionHost
from .handlers import OPERATIONS, Handler, Row, takes_context
from .jobs.job import Job
from .jobs.job_archive import JobArchive
from .jobs.job_board import JobBoard
from .jobs.job_slots import JobSlots
from .serving.api import ParticipantApi
from .serving.server import Server
from .serving.start_block import format_start_block
from .settings import Settings, check_exposure, read_settings
from .stop_signals import StopSignals

Function = TypeVar("Function", bound=Callable[..., Any])
# Leaves time to send the error response before the process exits.
EXIT_DELAY_SECONDS = 0.5


class RunningParticipant:
    """Participant that is listening for requests."""

    def __init__(self, settings: Settings, server: Server, board: JobBoard) -> None:
        self._settings = settings
        self._server = server
        self._board = board
        self._close_lock = threading.Lock()
        self._is_closed = False
        self.on_close: Optional[Callable[[], None]] = None
        self.port = server.port
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        self.url = f"{'http' if settings.tls is None else 'https'}://{host}:{server.port}"

    def close(self) -> None:
        """Stop gracefully.

        Refuse new jobs, wait up to ``drain_seconds`` for running jobs, stop the remaining jobs, and close the server.
        """
        with self._close_lock:
            if self._is_closed:
                return
            self._board.drain(self._settings.drain_seconds)
            self._server.close()
            self._is_closed = True
        if self.on_close is not None:
            self.on_close()

    def __enter__(self) -> RunningParticipant:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Participant:
    """Participant that serves the registered functions.

    Options are keyword arguments and take precedence over environment variables: host (HOST), port (PORT), token
    (PARTICIPANT_TOKEN), dataset (DATASET_PATH), datasets, insecure, tls, slots, max_queue, max_seconds, max_json_bytes,
    max_frame_bytes, and the other fields of ``Settings``. The constructor rejects invalid options.
    """

    def __init__(self, **options: Any) -> None:
        self._settings = read_settings(options, os.environ)
        self._functions: Dict[str, Handler] = {}
        self._is_serving = False

    @property
    def functions(self) -> Mapping[str, Handler]:
        """Return the functions registered so far, by operation."""
        return dict(self._functions)

    def register_train(self, function: Function) -> Function:
        """Register and return a function of (parameters, dataset[, context]). Also works as a decorator."""
        return self._register("train", function)

    def register_evaluate(self, function: Function) -> Function:
        """Register and return a function of (parameters, dataset[, context]). Also works as a decorator."""
        return self._register("evaluate", function)

    def register_aggregate(self, function: Function) -> Function:
        """Register and return a function of (parameters_list[, context]). Also works as a decorator."""
        return self._register("aggregate", function)

    def local_rows(self) -> List[Row]:
        """Return the rows of the local dataset, which a request uses if it names no dataset."""
        return list(self._settings.datasets.open(None).rows())

    def start(self, require: Sequence[str] = OPERATIONS) -> RunningParticipant:
        """Start listening in the background.

        Raise an error instead if a required function is missing, or if the server would be reachable over the network
        without a token.
        """
        settings = self._settings
        check_exposure(settings)
        missing = [operation for operation in require if operation not in self._functions]
        if missing:
            names = ", no ".join(missing)
            raise RuntimeError(f"no {names} function is registered; run(require=[...]) lists the required ones")
        self._is_serving = True
        host = FunctionHost(self._functions, settings)
        board = JobBoard(
            JobSlots(settings.slots, settings.shares_slots),
            JobArchive(settings.retention_seconds, settings.max_stored_bytes),
            settings.max_queue,
            settings.grace_seconds,
            on_settled=lambda job: log_job(settings.logger, job),
            on_stuck=self._on_stuck,
        )
        server = Server(settings, ParticipantApi(settings, host, board))
        server.start()
        running = RunningParticipant(settings, server, board)
        settings.logger.info(format_start_block(running.url, host.has))
        return running

    def run(
        self,
        require: Sequence[str] = OPERATIONS,
        on_start: Optional[Callable[[RunningParticipant], object]] = None,
    ) -> None:
        """Serve until SIGTERM, SIGINT, or ``close()``, then drain and return. A second signal ends the process."""
        with StopSignals() as signals:
            running = self.start(require)
            running.on_close = signals.wake
            if on_start is not None:
                on_start(running)
            is_asked = signals.wait()
        if is_asked:
            self._settings.logger.info(
                "stopping after the running jobs finish; send a second signal to stop immediately"
            )
        running.close()

    def _register(self, operation: str, function: Function) -> Function:
        takes_context(operation, function)
        if self._is_serving:
            raise RuntimeError(f"{operation} was registered after run(); register it first")
        if operation in self._functions:
            self._settings.logger.warning(f"{operation} was registered twice; using the last one")
        self._functions[operation] = function
        return function

    def _on_stuck(self, job: Job) -> None:
        operation = job.spec.operation
        self._settings.logger.error(f"{operation} did not stop when requested; its slot stays occupied until it ends")
        if self._settings.force_exit:
            threading.Timer(EXIT_DELAY_SECONDS, os._exit, (1,)).start()
