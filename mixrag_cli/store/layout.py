"""Where a store keeps what, in bytes on disk.

state.json  state.prev      the commit record and the one before it
lock  readers.lock          see lock.py
tables/<name>.lance/        the three tables; tables.<n> after the n-th rebuild, the commit record says which
tables/meaning.sketches     of a large store: a bit an axis of each vector, see sketches.py
tables/words.inverted       of all but small stores: the passages by the words that they hold, see postings.py
cache/                      embeddings of texts that left the index, and summaries of tables and of groups of
                            passages; outlives a rebuild
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
OLD_VECTORS_DIR = "vectors"  # of layouts up to 3
DELETIONS_DIR, WORDS_INDEX_DIR = "_deletions", "_indices"  # of a table

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
_GROUP_FOLDER, _GROUP_FILE = 0o2070, 0o060  # what a folder may give its group, and a file in it then gives, too
_LAST_VERSION = 2**64 - 1


def tables_path(store: Path, generation: int) -> Path:
    """The folder of all tables that one build made."""
    return store / (f"{TABLES_DIR}.{generation}" if generation else TABLES_DIR)


def generations(store: Path) -> dict[int, Path]:
    """The folders of tables that there are, by generation; what else the store holds is passed over."""
    found = {}
    for path in store.glob(f"{TABLES_DIR}*"):
        number = path.name.removeprefix(TABLES_DIR).removeprefix(".") or "0"
        if number.isdecimal() and path == tables_path(store, int(number)):
            found[int(number)] = path
    return found


def table_path(store: Path, name: str, generation: int = 0) -> Path:
    """The folder of a table."""
    return tables_path(store, generation) / f"{name}.lance"


def sketches_path(store: Path, generation: int = 0) -> Path:
    """The file that a search by meaning reads instead of all vectors."""
    return tables_path(store, generation) / "meaning.sketches"


def words_path(store: Path, generation: int = 0) -> Path:
    """The file that a search by words reads instead of the engine's index."""
    return tables_path(store, generation) / "words.inverted"


def engine_files(store: Path, name: str, generation: int = 0) -> Iterator[Path]:
    """A table's files that the engine reads by itself: lists of deleted rows and the word index, each written once."""
    for folder in (DELETIONS_DIR, WORDS_INDEX_DIR):
        for entry in files_below(table_path(store, name, generation) / folder):
            if entry.is_file(follow_symlinks=False):
                yield Path(entry.path)


def manifest_path(store: Path, name: str, version: int, generation: int = 0) -> Path:
    """The file that defines one version of a table. Lance names it by its distance from the last number there is."""
    return table_path(store, name, generation) / "_versions" / f"{_LAST_VERSION - version:020d}.manifest"


def manifest_versions(store: Path, name: str, generation: int = 0) -> dict[int, Path]:
    """The versions of a table that have a manifest file."""
    found = {}
    for path in (table_path(store, name, generation) / "_versions").glob("*.manifest"):
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


def folder_mode(parent: Path) -> int:
    """The mode of a folder inside a store: for its owner, and for its group where the folder that it lies in is."""
    return PRIVATE_FOLDER | (parent.stat().st_mode & _GROUP_FOLDER)


def file_mode(folder: Path) -> int:
    """The mode of a file inside a store: for its owner, and for its group where the folder that it lies in is."""
    return PRIVATE_FILE | (folder.stat().st_mode & _GROUP_FILE)


def make_inner_folder(folder: Path) -> None:
    """Make a folder inside a store, for those for whom the store is. Its parent is there."""
    make_private_folder(folder)
    if folder.stat().st_uid == os.geteuid():
        folder.chmod(folder_mode(folder.parent))


def make_private_folder(folder: Path) -> None:
    """Make the folder for its owner alone, whatever the umask; missing parents as the umask says."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=PRIVATE_FOLDER)
    except FileExistsError:
        return
    folder.chmod(PRIVATE_FOLDER)
