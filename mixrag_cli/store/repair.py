"""Setting aside what the commit record does not know: by renaming, never by deleting.

Only the writer that holds the lock calls this.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from mixrag_cli.store.commit import LOCKED_TABLES, VERSION_BITS, CommitRecord, lock_place, sync_folder
from mixrag_cli.store.layout import (
    OLD_VECTORS_DIR,
    QUARANTINE_DIR,
    generations,
    make_inner_folder,
    manifest_versions,
    tables_path,
)
from mixrag_cli.store.location import PREVIOUS_RECORD_FILE, RECORD_FILE

KEPT_QUARANTINES = 5  # manifests of a few kB each; older ones have served their purpose


def set_aside_unfinished(store: Path, record: CommitRecord) -> bool:
    """Take every version newer than the record out of the tables; returns whether there was one."""
    strays = []
    for folder in _folders(tables_path(store, record.generation)):
        state = record.tables.get(folder.name.removesuffix(".lance"))
        if state is None:
            strays.append(folder)
        else:
            newer = manifest_versions(store, folder.name.removesuffix(".lance"), record.generation)
            strays += [path for version, path in newer.items() if version > state.version]
    _move_aside(store, strays)
    for name in (RECORD_FILE, PREVIOUS_RECORD_FILE):
        (store / f"{name}.new").unlink(missing_ok=True)
    return bool(strays)


def set_aside_all(store: Path) -> None:
    """Take the whole index, record first, out of the store; caches stay."""
    records = [store / name for name in (RECORD_FILE, PREVIOUS_RECORD_FILE)]
    tables = [folder for path in generations(store).values() for folder in _folders(path)]
    _move_aside(store, [path for path in (*records, *tables) if path.exists()])


def remove_half_built(store: Path, record: CommitRecord) -> None:
    """Delete the tables of rebuilds that were killed: nobody has ever read them."""
    for number, folder in generations(store).items():
        if number > record.generation:
            shutil.rmtree(folder, ignore_errors=True)


def remove_replaced(store: Path, record: CommitRecord, is_held: Callable[[int, int], bool]) -> None:
    """Delete the tables that a rebuild has replaced and nobody reads, of older layouts too.

    is_held: whether somebody reads any of so many bytes of the readers' lock from a place on.
    """
    for number, folder in generations(store).items():
        places = [lock_place(name, number) for name in LOCKED_TABLES]
        if number < record.generation and not any(is_held(place, 1 << VERSION_BITS) for place in places):
            shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(store / OLD_VECTORS_DIR, ignore_errors=True)


def prune_quarantine(store: Path) -> None:
    """Delete all but the latest quarantines."""
    for folder in sorted(_folders(store / QUARANTINE_DIR))[:-KEPT_QUARANTINES]:
        shutil.rmtree(folder, ignore_errors=True)


def _move_aside(store: Path, paths: list[Path]) -> None:
    if not paths:
        return
    make_inner_folder(store / QUARANTINE_DIR)
    target = store / QUARANTINE_DIR / f"{time.time_ns():020d}"
    make_inner_folder(target)
    for number, path in enumerate(paths):
        path.rename(target / f"{number:03d}-{path.name}")
        sync_folder(path.parent)
    sync_folder(target)


def _folders(parent: Path) -> list[Path]:
    try:
        return [Path(entry.path) for entry in os.scandir(parent) if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return []
