"""Whether the files on disk are still those that were indexed, as far as a look at size and time can tell."""

from __future__ import annotations

import os
from collections.abc import Iterable

from mixrag_cli.records import DocumentRow


def freshness_note(rows: Iterable[DocumentRow]) -> str:
    """One line on how many indexed files have changed or gone since, "" where none has."""
    count = sum(_has_changed(row) for row in rows if row.status in ("indexed", "empty"))
    if not count:
        return ""
    return f"{count:,} {'file' if count == 1 else 'files'} changed since the last index; run mixrag index"


def _has_changed(row: DocumentRow) -> bool:
    try:
        now = os.stat(os.path.join(row.root, row.key))  # noqa: PTH116, PTH118 - paths are bytes
    except OSError:
        return True
    return (now.st_size, now.st_mtime_ns) != (row.size, row.mtime_ns)
