"""Startup message with the URL, the registered functions, and the endpoints."""

from __future__ import annotations

from typing import Callable

from ..handlers import OPERATIONS


def format_start_block(url: str, has: Callable[[str], bool]) -> str:
    """Return three lines for the operator."""
    functions = "  ".join(f"{operation} {'✓' if has(operation) else '–'}" for operation in OPERATIONS)
    served = "      ".join(f"POST /{operation}" for operation in OPERATIONS if has(operation))
    missing = ", ".join(operation for operation in OPERATIONS if not has(operation))
    note = f"      ({missing} not registered: 501 if called)" if missing else ""
    return (
        f"participant  {url}      functions  {functions}\n"
        f"  {served}{note}\n"
        "  Health /health   Schema /openapi.json    Ctrl-C to stop"
    )
