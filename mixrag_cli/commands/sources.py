"""The files behind an index: where they lie on this disk, and whether they are still those that were indexed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mixrag_cli.pipeline.roots import source_path
from mixrag_cli.records import DocumentRow

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


def freshness_note(rows: Iterable[DocumentRow], store: Path) -> str:
    """One line on how many indexed files have changed or gone since, "" where none has; size and time decide."""
    count = sum(_has_changed(row, store) for row in rows if row.status in ("indexed", "empty"))
    if not count:
        return ""
    return f"{count:,} {'file' if count == 1 else 'files'} changed since the last index; run mixrag index"


def _has_changed(row: DocumentRow, store: Path) -> bool:
    try:
        now = source_path(row, store).stat()
    except OSError:
        return True
    return (now.st_size, now.st_mtime_ns) != (row.size, row.mtime_ns)
