"""Where a store keeps what, in bytes on disk.

state.json  state.prev      the commit record and the one before it
lock  readers.lock          see lock.py
tables/<name>.lance/        the three tables
cache/                      embeddings of texts that left the index, and summaries; outlives a rebuild
scratch/                    what the engine writes in passing, while a writer is open
quarantine/<time>-<n>/      unfinished writes, set aside by the writer that came next
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

QUARANTINE_DIR = "quarantine"
TABLES_DIR = "tables"
SCRATCH_DIR = "scratch"
ENGINE_FOLDERS = ("_deletions", "_indices")

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
_LAST_VERSION = 2**64 - 1


def table_path(store: Path, name: str) -> Path:
    """The folder of a table."""
    return store / TABLES_DIR / f"{name}.lance"


def engine_files(store: Path, name: str) -> Iterator[Path]:
    """A table's files that the engine reads by itself: lists of deleted rows and the word index, each written once."""
    for folder in ENGINE_FOLDERS:
        for entry in files_below(table_path(store, name) / folder):
            if entry.is_file(follow_symlinks=False):
                yield Path(entry.path)


def manifest_path(store: Path, name: str, version: int) -> Path:
    """The file that defines one version of a table. Lance names it by its distance from the last number there is."""
    return table_path(store, name) / "_versions" / f"{_LAST_VERSION - version:020d}.manifest"


def manifest_versions(store: Path, name: str) -> dict[int, Path]:
    """The versions of a table that have a manifest file."""
    found = {}
    for path in (table_path(store, name) / "_versions").glob("*.manifest"):
        if path.stem.isdecimal():
            found[_LAST_VERSION - int(path.stem)] = path
    return found


def files_below(folder: Path) -> Iterator[os.DirEntry[str]]:
    """All regular files and folders below, a folder after what is in it; links are not followed."""
    try:
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from files_below(Path(entry.path))
        yield entry


def size_of_store(store: Path) -> int:
    """Bytes of all files in the store."""
    return sum(
        entry.stat(follow_symlinks=False).st_size
        for entry in files_below(store)
        if entry.is_file(follow_symlinks=False)
    )


def make_private_folder(folder: Path) -> None:
    """Make the folder for its owner alone, whatever the umask; missing parents as the umask says."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=PRIVATE_FOLDER)
    except FileExistsError:
        return
    folder.chmod(PRIVATE_FOLDER)
