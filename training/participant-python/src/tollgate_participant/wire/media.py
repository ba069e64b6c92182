"""Media types of request and response bodies."""

from __future__ import annotations

FRAMES_TYPE = "application/vnd.tollgate.frames"
JSON_TYPE = "application/json"
