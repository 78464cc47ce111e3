"""Which folders a command means, which store serves them, and how a file is named to people."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mixrag_cli.errors import NoIndex, WrongUsage
from mixrag_cli.records.files import DocumentRow
from mixrag_cli.settings import Settings
from mixrag_cli.store import find_store, read_roots, root_to_text, store_for_new, text_to_root


@dataclass(frozen=True, slots=True)
class RootPlan:
    """One indexed folder. name: as the store writes it; within: the only file or folder of it that is meant."""

    folder: Path
    name: bytes
    within: bytes = b""

    def covers(self, key: bytes) -> bool:
        """Whether a path relative to the root lies in what is meant."""
        return not self.within or key == self.within or key.startswith(self.within + b"/")

    def display(self, path: str) -> str:
        """A file's path for people: relative to the folder that holds the store, absolute for other roots."""
        if self.name == b"." or path.startswith("/"):
            return path
        return f"{os.fsdecode(self.name)}/{path}"


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """The store and the roots to look at now."""

    store: Path
    roots: tuple[RootPlan, ...]

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders of the roots."""
        return tuple(root.folder for root in self.roots)

    @property
    def elsewhere(self) -> tuple[Path, ...]:
        """The folders from which the store is not found upward; of a single file's folder nothing is said."""
        above = self.store.absolute().parent
        found = (root.folder.absolute() for root in self.roots if not root.within)
        return tuple(folder for folder in found if not folder.is_relative_to(above))


def folder_of(row: DocumentRow, store: Path) -> Path:
    """The indexed folder that a remembered file belongs to, on this disk."""
    return text_to_root(os.fsdecode(row.root), store)


def source_path(row: DocumentRow, store: Path) -> Path:
    """Where a remembered file lies, or lay."""
    return folder_of(row, store) / os.fsdecode(row.key)


def places_meant(text: str, here: Path, rows: Sequence[DocumentRow], store: Path) -> set[str]:
    """Where a file may lie that a text names, from here on, by whatever links: as source_path tells it."""
    path = here / text
    places = {os.path.normpath(path), os.path.realpath(path)}
    for name in {row.root for row in rows}:
        folder = text_to_root(os.fsdecode(name), store)
        if (within := _within(path, folder)) is not None:
            places.add(str(folder / os.fsdecode(within)))
    return places


def plan_index(paths: Sequence[Path], settings: Settings, cwd: Path | None = None) -> IndexPlan:
    """What `mixrag index PATH…` means.

    No path: the roots of the store found from cwd upward, else cwd itself. A path inside a root that the store
    knows refreshes that part of it. Otherwise the first path's folder gets the store.
    Raises WrongUsage for a path that is not there.
    """
    explicit = _local_store(settings)
    here = (cwd or Path.cwd()).absolute()
    if not paths:
        return _plan_refresh(here, explicit)
    for path in paths:
        if not os.path.lexists(here / path):
            raise WrongUsage(f"{path}: no such file or folder")
    wanted = [_without_steps_up(here / path) for path in paths]
    first = wanted[0] if wanted[0].is_dir() else wanted[0].parent
    store = _store_with_root(first, explicit) or store_for_new(first, explicit)
    return IndexPlan(store, _roots_for(wanted, store))


def _local_store(settings: Settings) -> Path | None:
    """The store that the settings name. Raises WrongUsage for a published one."""
    if isinstance(settings.store, str):
        raise WrongUsage(f"{settings.store}: a published index is only read", "index a folder, then mixrag publish")
    return settings.store


def _without_steps_up(path: Path) -> Path:
    """The same place without "..", which would hide in what folder it lies; links stay as they are where they can."""
    if ".." not in path.parts:
        return path
    plain = Path(os.path.normpath(path))
    return plain if plain.exists() and plain.samefile(path) else Path(os.path.realpath(path))


def _plan_refresh(here: Path, explicit: Path | None) -> IndexPlan:
    try:
        store = find_store(here, explicit)
    except NoIndex:
        store = store_for_new(here, explicit)
        root = RootPlan(here, os.fsencode(root_to_text(here, store)))
        return IndexPlan(store, (root,))
    known = read_roots(store) or (root_to_text(here, store),)
    roots = tuple(RootPlan(text_to_root(name, store), os.fsencode(name)) for name in known)
    return IndexPlan(store, roots)


def _store_with_root(folder: Path, explicit: Path | None) -> Path | None:
    """The store found from the folder upward, where one of its roots holds the folder."""
    try:
        store = find_store(folder, explicit)
    except NoIndex:
        return None
    holds = any(_within(folder, text_to_root(name, store)) is not None for name in read_roots(store))
    return store if holds or explicit else None


def _roots_for(paths: Sequence[Path], store: Path) -> tuple[RootPlan, ...]:
    """The roots that the paths mean, each once: also those that the store does not know yet."""
    known = list(read_roots(store))
    roots: list[RootPlan] = []
    for path in paths:
        root = _root_for(path, store, known)
        known.append(os.fsdecode(root.name))
        if not any(other.name == root.name and other.covers(root.within) for other in roots):
            roots.append(root)
    return tuple(roots)


def _root_for(path: Path, store: Path, known: Sequence[str]) -> RootPlan:
    for name in known:
        folder = text_to_root(name, store)
        if (within := _within(path, folder)) is not None:
            return RootPlan(folder, os.fsencode(name), within)
    if path.is_dir():
        return RootPlan(path, os.fsencode(root_to_text(path, store)))
    return RootPlan(path.parent, os.fsencode(root_to_text(path.parent, store)), os.fsencode(path.name))


def _within(path: Path, folder: Path) -> bytes | None:
    """The path as the folder knows it, b"" for the folder itself, None for a path outside of it.

    A folder is the same by whatever links it is reached.
    """
    for below, above in ((_lying(path), Path(os.path.realpath(folder))), (path, folder)):
        if below.is_relative_to(above):
            return b"" if below == above else os.fsencode(below.relative_to(above))
    return None


def _lying(path: Path) -> Path:
    """Where a folder lies, or a file's folder, with the links on the way followed; a file may be a link itself."""
    return Path(os.path.realpath(path)) if path.is_dir() else Path(os.path.realpath(path.parent), path.name)
