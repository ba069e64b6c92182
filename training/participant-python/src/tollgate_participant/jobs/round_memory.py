"""Highest round number of each run, used to reject late requests from earlier rounds."""

from __future__ import annotations

from typing import Optional

from ..failures import ParticipantFailure

MAX_RUNS = 1000


class RoundMemory:
    """Bounded record of the highest round per run. The least recently used run is dropped first."""

    def __init__(self) -> None:
        self._highest: dict[str, int] = {}

    def check(self, run_id: Optional[str], round_number: Optional[int]) -> None:
        """Record the round, or reject it if the run has already reached a later round."""
        if run_id is None or round_number is None:
            return
        highest = self._highest.pop(run_id, None)
        self._highest[run_id] = round_number if highest is None else max(highest, round_number)
        if len(self._highest) > MAX_RUNS:
            del self._highest[next(iter(self._highest))]
        if highest is not None and round_number < highest:
            message = f"round {round_number} is older than round {highest}, the latest round of this run"
            raise ParticipantFailure("CONFLICT", message)
