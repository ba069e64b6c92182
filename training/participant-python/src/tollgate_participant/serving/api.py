"""Request routing. Error responses are always JSON."""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass
from typing import Callable, Mapping, Optional

from ..calls.function_host import FunctionHost
from ..failures import ParticipantFailure
from ..jobs.job_board import JobBoard
from ..settings import Settings
from .authorizer import Authorizer
from .connection import CallerGone, Connection
from .http_request import HttpRequest
from .job_routes import serve_job, serve_job_result
from .operation_route import OperationRoute
from .parts import Exchange, Parts
from .status_routes import serve_health, serve_schema, serve_status

GET = ("GET", "HEAD", "OPTIONS")
POST = ("POST", "OPTIONS")
_JOB = r"/jobs/([A-Za-z0-9_-]{1,64})"


@dataclass(frozen=True)
class Route:
    """Path pattern with its allowed methods and handler."""

    path: str
    methods: tuple[str, ...]
    serve: Callable[[Parts, Exchange], None]
    is_open: bool = False


class ParticipantApi:
    """Router for all requests. Called from one thread per connection."""

    def __init__(self, settings: Settings, host: FunctionHost, board: JobBoard) -> None:
        self._parts = Parts(settings, host, board)
        self._authorizer = Authorizer(settings.token_hashes, settings.insecure)
        operation = OperationRoute(settings.max_queue)
        self._routes = [
            Route("/train", POST, operation.train),
            Route("/evaluate", POST, operation.evaluate),
            Route("/aggregate", POST, operation.aggregate),
            Route(r"/healthz?", GET, serve_health, is_open=True),
            Route("/status", GET, serve_status),
            Route(r"/openapi\.json", GET, serve_schema),
            Route(_JOB, ("GET", "HEAD", "DELETE", "OPTIONS"), serve_job),
            Route(_JOB + "/result", GET, serve_job_result),
        ]
        if settings.serves_call:
            # The newer reference package has only this endpoint. It is off by default.
            self._routes.append(Route("/call", POST, operation.call))

    def handle(self, request: HttpRequest, connection: Connection) -> None:
        """Respond to one request. Raise only CallerGone."""
        if self._parts.board.is_draining:
            connection.close_after_answer()
        try:
            self._serve(request, connection)
        except CallerGone:
            raise
        except ParticipantFailure as failure:
            self._send_failure(connection, failure)
        except Exception as error:
            text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
            self._parts.settings.logger.error(f"request failed: {text}")
            self._send_failure(connection, ParticipantFailure("HANDLER_ERROR", "the participant failed"))

    def _serve(self, request: HttpRequest, connection: Connection) -> None:
        route, match = self._find(request.path)
        is_options = request.method == "OPTIONS"
        if not is_options and not (route is not None and route.is_open):
            self._authorizer.check(request.headers, connection.address, connection.local_address)
        if route is None or match is None:
            raise ParticipantFailure("NOT_FOUND", "unknown path")
        if is_options:
            connection.send(204, {"Allow": ", ".join(route.methods)}, 0, [])
            return
        if request.method not in route.methods:
            raise _not_allowed(request.method, route.methods)
        job_id = match.group(1) if match.re.groups else ""
        route.serve(self._parts, Exchange(request, connection, job_id))

    def _find(self, path: str) -> tuple[Optional[Route], Optional[re.Match[str]]]:
        for route in self._routes:
            match = re.fullmatch(route.path, path)
            if match is not None:
                return route, match
        return None, None

    def _send_failure(self, connection: Connection, failure: ParticipantFailure) -> None:
        if connection.has_answered:
            # A partial response cannot be replaced by an error, so the connection is closed early.
            raise CallerGone
        connection.send_failure(failure)


def _not_allowed(method: str, methods: tuple[str, ...]) -> ParticipantFailure:
    useful = " or ".join(name for name in methods if name not in ("HEAD", "OPTIONS"))
    headers: Mapping[str, str] = {"Allow": ", ".join(methods)}
    message = f"{method} is not allowed here; use {useful}"
    return ParticipantFailure("METHOD_NOT_ALLOWED", message, headers=headers)
