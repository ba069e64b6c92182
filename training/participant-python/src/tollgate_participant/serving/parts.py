"""Objects that routes receive."""

from __future__ import annotations

from dataclasses import dataclass

from ..calls.function_host import FunctionHost
from ..jobs.job_board import JobBoard
from ..settings import Settings
from .connection import Connection
from .http_request import HttpRequest


@dataclass(frozen=True)
class Parts:
    """Objects that all routes of one participant share."""

    settings: Settings
    host: FunctionHost
    board: JobBoard


@dataclass(frozen=True)
class Exchange:
    """One request and its connection."""

    request: HttpRequest
    connection: Connection
    # The job ID from the path, or an empty string.
    job_id: str
