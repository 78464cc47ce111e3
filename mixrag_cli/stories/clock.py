"""The clock of one question."""

from __future__ import annotations

import time


class Clock:
    """What one question took and lacked: wall time by name, in milliseconds, and what had to be left out, and why."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self.ms: dict[str, float] = {}
        self.left_out: list[str] = []

    def lap(self, name: str) -> None:
        """The time since the last lap goes to this name."""
        now = time.perf_counter()
        self.ms[name] = round(self.ms.get(name, 0.0) + (now - self._last) * 1000, 1)
        self._last = now

    def total(self) -> dict[str, float]:
        """All names so far, and "total"."""
        return {**self.ms, "total": round((time.perf_counter() - self._start) * 1000, 1)}
