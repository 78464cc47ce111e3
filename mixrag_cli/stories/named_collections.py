"""The named collections of this user: what each holds, and taking one away."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mixrag_cli.errors import MixragError, NoIndex
from mixrag_cli.store import delete_store, forget_collection, read_record, read_registry, size_of_store


@dataclass(frozen=True, slots=True)
class NamedCollection:
    """One name and its store. files, passages, bytes: what the store holds, 0 where state says that it cannot be read.

    state: "ok", "gone", or what is wrong. updated: seconds since the epoch.
    """

    name: str
    store: Path
    state: str = "ok"
    files: int = 0
    passages: int = 0
    bytes: int = 0
    updated: float = 0.0


def list_collections() -> tuple[NamedCollection, ...]:
    """Every named collection, by name. Raises MixragError where the registry cannot be read."""
    return tuple(_look_at(name, Path(store)) for name, store in sorted(read_registry().collections.items()))


def remove_collection(name: str, *, delete: bool) -> None:
    """Forget the name; with delete, remove the store first. Raises StoreLocked, MixragError."""
    if delete:
        delete_store(Path(read_registry().collections[name]))
    forget_collection(name)


def _look_at(name: str, store: Path) -> NamedCollection:
    try:
        record = read_record(store)
    except NoIndex:
        return NamedCollection(name, store, "gone")
    except MixragError as error:
        return NamedCollection(name, store, error.message.removeprefix(f"{store}: "))
    return NamedCollection(
        name,
        store,
        "ok",
        record.counts.get("indexed", 0),
        record.chunks,
        size_of_store(store),
        record.updated_ns / 1e9,
    )
