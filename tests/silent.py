"""Nobody watches an index run."""

from __future__ import annotations


class Silent:
    """IndexEvents that says nothing."""

    def phase(self, name: str, total: int | None) -> None: ...

    def advance(self, done: int, detail: str = "") -> None: ...

    def note(self, message: str) -> None: ...
