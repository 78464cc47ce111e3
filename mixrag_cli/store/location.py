"""Where a folder's index lies: `.mixrag` inside it, or in the user's data directory where it cannot be written.

Looks only; creates nothing and opens no store.
"""

from __future__ import annotations

import os
from pathlib import Path

from mixrag_cli.errors import NoIndex
from mixrag_cli.records import stable_id
from mixrag_cli.store.registry import data_folder, registered_roots

STORE_DIR = ".mixrag"
RECORD_FILE = "state.json"
PREVIOUS_RECORD_FILE = "state.prev"


def find_store(start: Path, explicit: Path | None = None) -> Path:
    """The store that serves `start`: the explicit one, else the nearest at or above it, as git finds its own.

    A folder that is indexed together with another, whose store lies there, is as good as one with a store of its own.

    Raises NoIndex when there is none.
    """
    if explicit is not None:
        if holds_store(explicit):
            return explicit.absolute()
        raise NoIndex(f"no index at {explicit}", hint="mixrag index --store PATH FOLDER")
    folder = start.absolute()
    registered = registered_roots()
    for above in (folder, *folder.parents):
        elsewhere = registered.get(str(above))
        for candidate in (above / STORE_DIR, _store_outside(above), *([Path(elsewhere)] if elsewhere else [])):
            if holds_store(candidate):
                return candidate
    raise NoIndex(f"no index for {folder}", hint=f"mixrag index {folder}")


def find_store_of(named: str, start: Path, explicit: Path | None = None) -> Path:
    """As find_store; where there is none, that which serves the file or folder that is named, with or without a place.

    Example: "/home/ida/papers/a.pdf#page=4", whatever the current folder is. Raises NoIndex when there is none.
    """
    try:
        return find_store(start, explicit)
    except NoIndex:
        path = start / named
        lying = next((each for each in (path, start / named.partition("#")[0]) if each.exists()), None)
        if explicit is not None or lying is None or not named:
            raise
        return find_store(Path(os.path.realpath(lying)) if lying.is_dir() else Path(os.path.realpath(lying.parent)))


def store_for_new(folder: Path, explicit: Path | None = None) -> Path:
    """Where the index of `folder` belongs; the path need not exist yet.

    That is the explicit place, else <folder>/.mixrag, else (the folder cannot be written) a directory of its own
    under the user's data directory, which find_store knows too.
    """
    if explicit is not None:
        return explicit.absolute()
    folder = folder.absolute()
    inside = folder / STORE_DIR
    if inside.is_dir() or os.access(folder, os.W_OK | os.X_OK):
        return inside
    return _store_outside(folder)


def holds_store(path: Path) -> bool:
    """Whether a commit record, current or previous, lies at the path."""
    return any((path / name).is_file() for name in (RECORD_FILE, PREVIOUS_RECORD_FILE))


def _store_outside(folder: Path) -> Path:
    return data_folder() / "stores" / stable_id("store", os.fsencode(folder))
