"""The indexes that --collection means, by the names that the user gave them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path

from mixrag_cli.commands.options import Face
from mixrag_cli.errors import NoIndex, WrongUsage
from mixrag_cli.store import read_registry, store_of_new_collection


def stores_named(names: Sequence[str]) -> Mapping[str, Path]:
    """The store of each name. Raises NoIndex for a name that is not known."""
    known = read_registry().collections
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            nearest = f" (nearest: {close[0]})" if close else ""
            raise NoIndex(f"no collection {name!r}{nearest}", f"mixrag index --collection {name} FOLDER")
    return {name: Path(known[name]) for name in names}


def collections_of(face: Face) -> Mapping[str, Path]:
    """The stores of the collections that are asked together, by their names; none where one index is asked.

    Raises NoIndex for a name that is not known.
    """
    return stores_named(face.names) if len(face.names) > 1 else {}


def store_named(name: str, *, may_be_new: bool) -> Path:
    """The store of one name. may_be_new: a name that is not known gets a store in the user's data.

    Raises NoIndex for a name that is not known, WrongUsage for one that cannot be.
    """
    if may_be_new and name not in read_registry().collections:
        return store_of_new_collection(name)
    return stores_named([name])[name]


def only_one(names: Sequence[str]) -> str:
    """The one name. Raises WrongUsage for several."""
    if len(names) > 1:
        raise WrongUsage("only ask, search, serve and mcp take several collections", f"--collection {names[0]}")
    return names[0]
