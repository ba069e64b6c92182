"""Counts what runs. A participant has one accelerator as a rule, so the default is one slot for everything."""

from __future__ import annotations

from typing import Mapping


class JobSlots:
    """Shared: one pool for all three operations, as large as the largest number."""

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
