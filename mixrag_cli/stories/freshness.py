"""Whether the files are still those that were indexed: in a glance while a question is asked, in full for `status`.

Only sizes and times are compared, as git does; no file is opened.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mixrag_cli.errors import MixragError
from mixrag_cli.records.files import READ_BY_OLDER, DocumentRow, SourceFile
from mixrag_cli.settings import Settings
from mixrag_cli.store import CommitRecord, StoreReader, is_published, text_to_root, written_since
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
    """Display paths, sorted. outdated: as they were, but read by an older version of this program. stale: could not be
    read at the last index, so that their old text is kept.
    """

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()

    @property
    def has_any(self) -> bool:
        """Whether `mixrag index` would find something to do."""
        return bool(self.new or self.changed or self.gone or self.outdated)


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


def freshness_note(reader: StoreReader | MemoryStore, settings: Settings, glance_s: float = GLANCE_S) -> str:
    """One line on what the index does not hold: it is being written, its last run was stopped, files are newer.

    "" where it holds all, or where looking takes too long.
    """
    if not isinstance(reader, StoreReader) or is_published(reader.store):  # the files are on the publisher's machine
        return ""
    seen = _glance(reader, settings, time.monotonic() + glance_s) or Counts()
    since = written_since(reader.store)
    if since is None and is_whole(reader.record, seen.new):
        return f"{seen} since the last index; run mixrag index" if seen.has_any else ""
    held = reader.record.counts.get("indexed", 0)
    holds = f"it holds {held:,} {'file' if held == 1 else 'files'}"
    if seen.new:
        holds += f", {seen.new:,} {'is' if seen.new == 1 else 'are'} missing"
    if since is None:
        return f"the index is not finished: {holds}; run mixrag index"
    return f"the index is being written since {time.strftime('%H:%M', time.localtime(since))}: {holds}"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many files are not as they were indexed, and how many an older version of this program read."""

    new: int = 0
    changed: int = 0
    gone: int = 0
    outdated: int = 0

    @property
    def has_any(self) -> bool:
        """Whether any is not."""
        return bool(self.new or self.changed or self.gone or self.outdated)

    def __str__(self) -> str:
        """Example: "2 files changed, 1 new"."""
        counts = ((self.changed, "changed"), (self.new, "new"), (self.gone, "gone"), (self.outdated, READ_BY_OLDER))
        (first, kind), *others = [pair for pair in counts if pair[0]]
        told = [f"{first:,} {'file' if first == 1 else 'files'} {kind}", *(f"{n:,} {kind}" for n, kind in others)]
        return ", ".join(told)


def is_whole(record: CommitRecord, n_new: int) -> bool:
    """Whether the last run came to its end. n_new: wanted files that it did not write; without any, it had none."""
    return record.is_finished and bool(record.tables or not n_new)


def _glance(reader: StoreReader, settings: Settings, deadline: float) -> Counts | None:
    """What differs on the disk; None where looking takes longer than until the deadline."""
    folder_of = lru_cache(maxsize=None)(lambda root: os.fsencode(text_to_root(os.fsdecode(root), reader.store)))
    known = {os.fsencode(name): {b""} for name in reader.record.roots}
    states = Counter[str]()
    scanned_ns = 0
    for number, row in enumerate(reader.each_document()):
        if number % STATS_BETWEEN_LOOKS == STATS_BETWEEN_LOOKS - 1 and time.monotonic() > deadline:
            return None
        known.setdefault(row.root, {b""}).add(row.key)
        scanned_ns = max(scanned_ns, row.seen_ns)
        if row.status in ("indexed", "empty"):
            state = _compare(folder_of(row.root) + b"/" + row.key, row)
            states["outdated" if state == "same" and row.is_outdated else state] += 1
    selections = kept_selections(reader.record)
    # The store's own folder came into the root while the tables were begun.
    since_ns = max(scanned_ns, reader.record.created_ns) if reader.record.is_finished and reader.record.tables else 0
    new = 0
    for root, keys in known.items():
        limits = WalkLimits(settings.max_file_mb, selections.get(os.fsdecode(root), Selection()))
        for is_new in _look_for_new(folder_of(root), keys, since_ns, limits, reader.store):
            new += is_new
            if time.monotonic() > deadline:
                return _counts(0, states)
    return _counts(new, states)


def _counts(new: int, states: Mapping[str, int]) -> Counts:
    return Counts(new, states["changed"], states["gone"], states["outdated"])


def _look_for_new(root: bytes, keys: set[bytes], since_ns: int, limits: WalkLimits, store: Path) -> Iterator[bool]:
    """For each wanted file that is met: whether it is not among the keys and came since then, whatever it was dated.

    Folders are not listed whose time says that nothing came into them or any below.
    """
    folders = _with_parents(key.rpartition(b"/")[0] for key in keys)
    times = {folder: now.st_mtime_ns for folder in folders if (now := _status(root + b"/" + folder))}
    touched = _with_parents(folder for folder, time_ns in times.items() if time_ns >= since_ns)
    for source in _files_of(Path(os.fsdecode(root)), limits, store, skip=folders - touched) if touched else ():
        now = None if source.path in keys else _status(root + b"/" + source.path)
        yield now is not None and now.st_ctime_ns >= since_ns


def _with_parents(folders: Iterable[bytes]) -> set[bytes]:
    """The folders and all above them up to the root, whose name is empty."""
    found: set[bytes] = set()
    for folder in folders:
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition(b"/")[0]
    return found


def state_of(row: DocumentRow, store: Path) -> str:
    """A remembered file's state: "indexed", "empty", "skipped", "left_out"; "stale" or "gone" where it was read."""
    if row.status not in ("indexed", "empty") or is_published(store):
        return row.status
    state = _compare(os.fsencode(source_path(row, store)), row)
    if state == "gone":
        return state
    return "stale" if row.stale or state == "changed" else row.status


def compare_with_disk(
    record: CommitRecord, rows: Sequence[DocumentRow], store: Path, settings: Settings
) -> DiskChanges:
    """What `mixrag index` would find, by a walk over all roots. A root that cannot be listed has all its files gone."""
    if is_published(store):
        return DiskChanges()
    new: list[str] = []
    changed: list[str] = []
    gone: list[str] = []
    outdated: list[str] = []
    selections = kept_selections(record)
    for name in record.roots:
        root = RootPlan(text_to_root(name, store), os.fsencode(name))
        known = {row.key: row for row in rows if row.root == root.name}
        limits = WalkLimits(settings.max_file_mb, selections.get(name, Selection()))
        for source in _files_of(root.folder, limits, store):
            row = known.pop(source.path, None)
            if row is None:
                new.append(root.display(os.fsdecode(source.path)))
            elif not has_same_status(source, row):
                changed.append(row.path)
            elif row.is_outdated and has_content(row):
                outdated.append(row.path)
        unseen = (row for row in known.values() if has_content(row) and not row.stale)
        gone += [row.path for row in unseen if not os.path.lexists(source_path(row, store))]
    stale = (row.path for row in rows if row.stale)
    return DiskChanges(*(tuple(sorted(paths)) for paths in (new, changed, gone, outdated, stale)))


def _files_of(folder: Path, limits: WalkLimits, store: Path, skip: Container[bytes] = ()) -> Iterator[SourceFile]:
    """The wanted files; none of a folder that cannot be listed."""
    with suppress(MixragError):
        for step in walk_root(folder, limits=limits, store=store, skip=skip):
            if isinstance(step, SourceFile):
                yield step


def _compare(path: bytes, row: DocumentRow) -> Literal["same", "changed", "gone"]:
    now = _status(path)
    if now is None:
        return "changed" if os.path.lexists(path) else "gone"
    return "same" if now.st_mtime_ns == row.mtime_ns and now.st_size == row.size else "changed"


def _status(path: bytes) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 - a Path would take three times as long
    except OSError:
        return None
