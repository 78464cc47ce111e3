"""Which store serves a folder or an address; a published one is fetched first."""

from __future__ import annotations

import os
from pathlib import Path

from mixrag_cli.errors import NoIndex
from mixrag_cli.store.location import holds_store, is_published, stores_upward


def find_store(start: Path, explicit: Path | str | None = None) -> Path:
    """The store that serves `start`: the explicit one, else the nearest at or above it, as git finds its own.

    explicit: a folder that is a store or holds a published one, or the address of a published one. The newest snapshot
    of a published index is brought into the user's cache.
    Raises NoIndex when there is none; for a published one StoreDamaged, WrongUsage, MixragError.
    """
    if isinstance(explicit, str) or (explicit is not None and is_published(explicit) and not holds_store(explicit)):
        from mixrag_cli.store.published import fetch

        return fetch(str(explicit))
    if explicit is not None:
        if holds_store(explicit):
            return explicit.absolute()
        raise NoIndex(f"no index at {explicit}", hint="mixrag index --store PATH FOLDER")
    folder = start.absolute()
    for candidate in stores_upward(folder):
        if holds_store(candidate):
            return candidate
    raise NoIndex(f"no index for {folder}", hint=f"mixrag index {folder}")


def find_store_of(named: str, start: Path, explicit: Path | str | None = None) -> Path:
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
