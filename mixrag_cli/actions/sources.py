"""The files behind an index: where they lie on this disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mixrag_cli.records.files import DocumentRow
from mixrag_cli.stories.roots import source_path

if TYPE_CHECKING:
    from mixrag_cli.output.lines import Locate


def locate_files(rows: Callable[[], Sequence[DocumentRow]], store: Path) -> Locate:
    """A function from display paths to the indexed files; rows is first called when a link is first wanted."""
    known: dict[str, Path] = {}

    def locate(path: str) -> Path | None:
        if not known:
            known.update({row.path: source_path(row, store) for row in rows()})
        return known.get(path)

    return locate
