"""The functions of the smallest program: register three functions on a participant that makes itself, and run it."""

from __future__ import annotations

from typing import Optional

from .participant import Function, Participant

_participant: Optional[Participant] = None


def default_participant() -> Participant:
    """Made when first asked for, so that importing the package reads no environment."""
    global _participant
    if _participant is None:
        _participant = Participant()
    return _participant


def register_train(function: Function) -> Function:
    """Registers on the default participant; also a decorator."""
    return default_participant().register_train(function)


def register_evaluate(function: Function) -> Function:
    """Registers on the default participant; also a decorator."""
    return default_participant().register_evaluate(function)


def register_aggregate(function: Function) -> Function:
    """Registers on the default participant; also a decorator."""
    return default_participant().register_aggregate(function)


def run() -> None:
    """Serves the default participant until it is told to stop."""
    default_participant().run()
