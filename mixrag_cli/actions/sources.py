"""The files behind an index: where they lie on this disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mixrag_cli.records.files import DocumentRow
from mixrag_cli.stories.roots import source_path

if TYPE_CHECKING:
    from mixrag_cli.output.lines import Locate

KEPT_PLACES = 1_000  # of the paths that a session shows


def locate_files(documents_saying: Callable[[str], Sequence[DocumentRow]], store: Path) -> Locate:
    """A function from display paths to the indexed files. documents_saying: as a store's reader has it."""

    @lru_cache(maxsize=KEPT_PLACES)
    def locate(path: str) -> Path | None:
        found = (row for row in documents_saying(path) if row.path == path)
        return next((source_path(row, store) for row in found), None)

    return locate
