"""Module-level functions that register functions on one default participant and run it."""

from __future__ import annotations

from typing import Optional

from .participant import Function, Participant

_participant: Optional[Participant] = None


def default_participant() -> Participant:
    """Return the default participant, creating it on first use so that an import reads no environment variables."""
    global _participant
    if _participant is None:
        _participant = Participant()
    return _participant


def register_train(function: Function) -> Function:
    """Register the train function on the default participant. Also works as a decorator."""
    return default_participant().register_train(function)


def register_evaluate(function: Function) -> Function:
    """Register the evaluate function on the default participant. Also works as a decorator."""
    return default_participant().register_evaluate(function)


def register_aggregate(function: Function) -> Function:
    """Register the aggregate function on the default participant. Also works as a decorator."""
    return default_participant().register_aggregate(function)


def run() -> None:
    """Serve the default participant until the process receives a stop signal."""
    default_participant().run()
