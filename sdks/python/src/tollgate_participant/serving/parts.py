"""What the routes share, and what each request brings."""

from __future__ import annotations

from dataclasses import dataclass

from ..calls.function_host import FunctionHost
from ..jobs.job_board import JobBoard
from ..settings import Settings
from .connection import Connection
from .http_request import HttpRequest


@dataclass(frozen=True)
class Parts:
    """One of each per participant."""

    settings: Settings
    host: FunctionHost
    board: JobBoard


@dataclass(frozen=True)
class Exchange:
    """One request and the way back to its caller."""

    request: HttpRequest
    connection: Connection
    # The part of the path that names a job.
    job_id: str
