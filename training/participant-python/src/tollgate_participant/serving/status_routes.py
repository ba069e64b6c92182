"""Routes for health, status, and the OpenAPI document."""

from __future__ import annotations

import os

from ..handlers import OPERATIONS
from ..version import API_VERSION, SDK_VERSION
from ..wire.media import JSON_TYPE
from .parts import Exchange, Parts

SCHEMA_FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "openapi.json")


def serve_health(parts: Parts, exchange: Exchange) -> None:
    """Send status 200 if the participant accepts jobs, or 503 while it drains."""
    if parts.board.is_draining:
        exchange.connection.send_json(503, {"status": "draining"}, {})
    else:
        exchange.connection.send_json(200, {"status": "ok"}, {})


def serve_status(parts: Parts, exchange: Exchange) -> None:
    """Send the participant's functions, current job, limits, datasets, and formats."""
    settings = parts.settings
    status = {
        "apiVersion": API_VERSION,
        "sdk": f"python/{SDK_VERSION}",
        "handlers": {operation: parts.host.has(operation) for operation in OPERATIONS},
        **parts.board.describe(),
        "limits": {
            "maxJsonBytes": settings.max_json_bytes,
            "maxFrameBytes": settings.max_frame_bytes,
            "maxEntries": settings.max_entries,
            "maxSeconds": {name: _plain(seconds) for name, seconds in settings.max_seconds.items()},
        },
        "datasets": settings.datasets.describe(),
        "formats": ["json", "frames"],
    }
    exchange.connection.send_json(200, status, {})


def serve_schema(_parts: Parts, exchange: Exchange) -> None:
    """Send the OpenAPI document."""
    with open(SCHEMA_FILE, "rb") as file:
        text = file.read()
    exchange.connection.send(200, {"Content-Type": JSON_TYPE}, len(text), [text])


def _plain(seconds: float) -> float:
    return int(seconds) if seconds.is_integer() else seconds
