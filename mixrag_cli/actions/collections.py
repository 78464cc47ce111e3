"""mixrag collections: indexes that have a name, wherever they lie."""

from __future__ import annotations

from pathlib import Path

import typer

from mixrag_cli.actions.caller import confirm
from mixrag_cli.actions.named import stores_named
from mixrag_cli.actions.screen import render
from mixrag_cli.commands.options import Face
from mixrag_cli.errors import NoIndex
from mixrag_cli.output.collections_view import collections_to_json, print_collections
from mixrag_cli.store import STORE_DIR, holds_store, name_collection
from mixrag_cli.stories.named_collections import list_collections, remove_collection


def collections(context: typer.Context, face: Face) -> None:
    """List the named indexes: name, files, passages, size and where each lies."""
    if context.invoked_subcommand is None:
        _list(face)


def list_named(face: Face) -> None:
    """List the named indexes, as `mixrag collections` does."""
    _list(face)


def add(name: str, index: Path, face: Face) -> None:
    """Give a name to an index that is there already."""
    store = next((each for each in (index, index / STORE_DIR) if holds_store(each)), None)
    if store is None:
        raise NoIndex(f"no index at {index}", f"mixrag index --collection {name} {index}")
    name_collection(name, store)
    if face.json:
        _list(face)
    else:
        face.note(f"{name} is {store.absolute()}")


def remove(name: str, delete: bool, yes: bool, face: Face) -> None:
    """Forget a name; the index stays where it is, unless --delete."""
    (store,) = stores_named([name]).values()
    if delete:
        confirm(f"the index at {store} will be deleted", yes=yes)
    remove_collection(name, delete=delete)
    if face.json:
        _list(face)
    else:
        face.note(f"{name} is forgotten; {'its index is deleted' if delete else f'its index stays at {store}'}")


def _list(face: Face) -> None:
    found = list_collections()
    render(face, collections_to_json, print_collections, found)
    if not found and not face.json:
        face.note("no index has a name yet; mixrag index --collection NAME FOLDER makes one")
