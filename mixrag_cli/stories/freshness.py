"""Whether the files are still those that were indexed: in a glance while a question is asked, in full for `status`.

Only sizes and times are compared, as git does; no file is opened.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mixrag_cli.errors import MixragError
from mixrag_cli.records.files import DocumentRow, SourceFile
from mixrag_cli.settings import Settings
from mixrag_cli.store import CommitRecord, StoreReader, is_published, text_to_root
from mixrag_cli.stories.roots import RootPlan, source_path
from mixrag_cli.stories.selections import kept_selections
from mixrag_cli.walking import Selection, WalkLimits, has_content, has_same_status, walk_root

if TYPE_CHECKING:
    from mixrag_cli.store.memory import MemoryStore

# What a question may wait for it. 5,000 files took 38 ms of computing on two busy cores; on a slow disk it gives up.
GLANCE_S = 0.05
STATS_BETWEEN_LOOKS = 64  # at the clock


@dataclass(frozen=True, slots=True)
class DiskChanges:
    """Display paths, sorted. stale: could not be read at the last index, so that their old text is kept."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()

    @property
    def has_any(self) -> bool:
        """Whether `mixrag index` would find something to do."""
        return bool(self.new or self.changed or self.gone)


def origin_note(reader: StoreReader | MemoryStore, settings: Settings) -> str:
    """One line where the index was found beside the files, and was not made there; "" where it was, or was named.

    Who downloads a folder, or is given one, may get an index with it that says what its maker wishes.
    """
    store = reader.store
    if settings.store is not None or not isinstance(reader, StoreReader) or reader.record.was_made_at(store):
        return ""
    return (
        f"the index in {store} was copied here or came with the folder, and may say what the files do not; "
        "run mixrag index --rebuild, or name it with --store"
    )


def freshness_note(rows: Iterable[DocumentRow], store: Path, glance_s: float = GLANCE_S) -> str:
    """One line on how many indexed files have changed or gone since, "" where none has or looking takes too long."""
    if is_published(store):  # the files are on the publisher's machine
        return ""
    deadline = time.monotonic() + glance_s
    count = 0
    folder_of = lru_cache(maxsize=None)(lambda root: os.fsencode(text_to_root(os.fsdecode(root), store)))
    for number, row in enumerate(rows):
        if number and number % STATS_BETWEEN_LOOKS == 0 and time.monotonic() > deadline:
            return ""
        if row.status in ("indexed", "empty") and _differs(folder_of(row.root) + b"/" + row.key, row):
            count += 1
    if not count:
        return ""
    return f"{count:,} {'file' if count == 1 else 'files'} changed since the last index; run mixrag index"


def state_of(row: DocumentRow, store: Path) -> str:
    """A remembered file's state: "indexed", "empty", "skipped", "left_out"; "stale" or "gone" where it was read."""
    if row.status not in ("indexed", "empty") or is_published(store):
        return row.status
    path = os.fsencode(source_path(row, store))
    if row.stale or _differs(path, row):
        return "stale" if os.path.lexists(path) else "gone"
    return row.status


def compare_with_disk(
    record: CommitRecord, rows: Sequence[DocumentRow], store: Path, settings: Settings
) -> DiskChanges:
    """What `mixrag index` would find, by a walk over all roots. A root that cannot be listed has all its files gone."""
    if is_published(store):
        return DiskChanges()
    new: list[str] = []
    changed: list[str] = []
    gone: list[str] = []
    selections = kept_selections(record)
    for name in record.roots:
        root = RootPlan(text_to_root(name, store), os.fsencode(name))
        known = {row.key: row for row in rows if row.root == root.name}
        limits = WalkLimits(settings.max_file_mb, selections.get(name, Selection()))
        for source in _files_of(root.folder, store, limits):
            row = known.pop(source.path, None)
            if row is None:
                new.append(root.display(os.fsdecode(source.path)))
            elif not has_same_status(source, row):
                changed.append(row.path)
        unseen = (row for row in known.values() if has_content(row) and not row.stale)
        gone += [row.path for row in unseen if not os.path.lexists(source_path(row, store))]
    stale = (row.path for row in rows if row.stale)
    return DiskChanges(*(tuple(sorted(paths)) for paths in (new, changed, gone, stale)))


def _files_of(folder: Path, store: Path, limits: WalkLimits) -> list[SourceFile]:
    try:
        return [step for step in walk_root(folder, limits=limits, store=store) if isinstance(step, SourceFile)]
    except MixragError:
        return []


def _differs(path: bytes, row: DocumentRow) -> bool:
    try:
        now = os.stat(path)  # noqa: PTH116 - a Path would take three times as long
    except OSError:
        return True
    return now.st_mtime_ns != row.mtime_ns or now.st_size != row.size
