"""Where a folder's index lies: `.mixrag` inside it, or in the user's data directory where it cannot be written.

Looks only; creates nothing and opens no store.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from mixrag_cli.records.files import stable_id
from mixrag_cli.settings import data_folder
from mixrag_cli.store.registry import registered_roots

STORE_DIR = ".mixrag"
RECORD_FILE = "state.json"
PREVIOUS_RECORD_FILE = "state.prev"
POINTER_FILE = "mixrag.published.json"  # of a published index, and of its copy in the cache


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
    return _store_outside(Path(os.path.realpath(folder)))


def holds_store(path: Path) -> bool:
    """Whether a commit record, current or previous, lies at the path."""
    return any((path / name).is_file() for name in (RECORD_FILE, PREVIOUS_RECORD_FILE))


def is_published(path: Path) -> bool:
    """Whether the folder holds a published index, or is one's copy in the cache: both are only read."""
    return (path / POINTER_FILE).is_file()


def store_asked_for(found: Path, asked: Path | str | None) -> Path | str:
    """By what a found store is known: its place; of a published index, of which found is a snapshot, what was asked."""
    return asked if asked is not None and is_published(found) else found


def stores_upward(start: Path) -> Iterator[Path]:
    """Where a store may lie that serves `start`: at it or above it, the nearest first, or where one was remembered.

    Above it is first how the folder was reached, then where it lies.
    """
    registered, lying = registered_roots(), Path(os.path.realpath(start))
    for folder in dict.fromkeys((start, *start.parents, lying, *lying.parents)):
        yield folder / STORE_DIR
        yield _store_outside(folder)
        if elsewhere := registered.get(str(folder)):
            yield Path(elsewhere)


def _store_outside(folder: Path) -> Path:
    return data_folder() / "stores" / stable_id("store", os.fsencode(folder))
