"""Taking a whole store away: what is its own and nothing else, so that a folder that holds more keeps the rest."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from mixrag_cli.store.engine_errors import write_errors
from mixrag_cli.store.layout import OLD_VECTORS_DIR, QUARANTINE_DIR, SCRATCH_DIR, generations
from mixrag_cli.store.location import PREVIOUS_RECORD_FILE, RECORD_FILE
from mixrag_cli.store.lock import LOCK_FILE, READERS_FILE, write_lock

OWN_FOLDERS = (OLD_VECTORS_DIR, "cache", SCRATCH_DIR, QUARANTINE_DIR)
OWN_FILES = (RECORD_FILE, PREVIOUS_RECORD_FILE, ".gitignore", READERS_FILE, LOCK_FILE)


def delete_store(store: Path) -> None:
    """Remove the store's files, and its folder where nothing else lies in it; no store: nothing to do.

    The record goes first, so that a deletion that is interrupted leaves no index. Raises StoreLocked, MixragError.
    """
    if not store.is_dir():
        return
    with write_lock(store), write_errors(store):
        for name in OWN_FILES[:2]:
            (store / name).unlink(missing_ok=True)
        for folder in (*generations(store).values(), *(store / name for name in OWN_FOLDERS)):
            if folder.is_dir() and not folder.is_symlink():
                shutil.rmtree(folder)
        for name in OWN_FILES[2:]:
            (store / name).unlink(missing_ok=True)
    with suppress(OSError):
        store.rmdir()
