"""What an index run tells whoever watches it."""

from __future__ import annotations

from typing import Protocol


class IndexEvents(Protocol):
    """Who watches the work: a progress bar, or nobody."""

    def phase(self, name: str, total: int | None) -> None:
        """A phase begins, or has a new total, None where unknown: "scan", "join", "finish", "calibrate", "summarise";
        "read", "embed" and "write", which share one count of bytes."""

    def advance(self, done: int, detail: str = "") -> None:
        """So much of the phase is done, counted from its start."""

    def note(self, message: str) -> None:
        """One line for the person, as soon as it is known."""


class Silent:
    """Nobody watches."""

    def phase(self, name: str, total: int | None) -> None:
        """Nothing is said."""

    def advance(self, done: int, detail: str = "") -> None:
        """Nothing is said."""

    def note(self, message: str) -> None:
        """Nothing is said."""
