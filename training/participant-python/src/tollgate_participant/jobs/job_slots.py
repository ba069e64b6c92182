"""Slots for running jobs. The default is one slot, because most participants have one accelerator."""

from __future__ import annotations

from typing import Mapping


class JobSlots:
    """Slot counter. In shared mode, all operations use one pool, whose size is the largest count."""

    def __init__(self, counts: Mapping[str, int], is_shared: bool) -> None:
        self._counts = counts
        self._is_shared = is_shared
        self._taken = dict.fromkeys(counts, 0)

    def has_free(self, operation: str) -> bool:
        if self._is_shared:
            return sum(self._taken.values()) < max(self._counts.values())
        return self._taken[operation] < self._counts[operation]

    def take(self, operation: str) -> None:
        self._taken[operation] += 1

    def free(self, operation: str) -> None:
        self._taken[operation] -= 1
