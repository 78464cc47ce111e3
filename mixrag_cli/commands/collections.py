"""mixrag collections: indexes that have a name, wherever they lie."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.named import stores_named
from mixrag_cli.commands.options import Face, YesOption, command, confirm
from mixrag_cli.errors import NoIndex
from mixrag_cli.output.streams import write_json

app = typer.Typer(
    help="List indexes that have a name, name one, or forget a name.",
    rich_markup_mode=None,
    add_completion=False,
    invoke_without_command=True,
)
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A name, as `mixrag collections` prints it.")]


@app.callback()
@command
def collections(context: typer.Context, *, face: Face) -> None:
    """List the named indexes: name, files, passages, size and where each lies.

    `mixrag index --collection NAME FOLDER` makes one.
    """
    if context.invoked_subcommand is None:
        _list(face)


@app.command("list")
@command
def list_named(*, face: Face) -> None:
    """List the named indexes, as `mixrag collections` does."""
    _list(face)


@app.command()
@command
def add(
    name: NameArgument,
    index: Annotated[Path, typer.Argument(metavar="DIR", help="The index, or the folder that it lies in.")],
    *,
    face: Face,
) -> None:
    """Give a name to an index that is there already."""
    from mixrag_cli.store import STORE_DIR, holds_store, name_collection

    store = next((each for each in (index, index / STORE_DIR) if holds_store(each)), None)
    if store is None:
        raise NoIndex(f"no index at {index}", f"mixrag index --collection {name} {index}")
    name_collection(name, store)
    if face.json:
        _list(face)
    else:
        face.note(f"{name} is {store.absolute()}")


@app.command()
@command
def remove(
    name: NameArgument,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the index too; the documents stay.")] = False,
    yes: YesOption = False,
    *,
    face: Face,
) -> None:
    """Forget a name; the index stays where it is, unless --delete."""
    from mixrag_cli.stories.named_collections import remove_collection

    (store,) = stores_named([name]).values()
    if delete:
        confirm(f"the index at {store} will be deleted", yes=yes)
    remove_collection(name, delete=delete)
    if face.json:
        _list(face)
    else:
        face.note(f"{name} is forgotten; {'its index is deleted' if delete else f'its index stays at {store}'}")


def _list(face: Face) -> None:
    from mixrag_cli.stories.named_collections import list_collections

    found = list_collections()
    if face.json:
        from mixrag_cli.output.collections_view import collections_to_json

        write_json(collections_to_json(found))
        return
    from mixrag_cli.output.collections_view import print_collections

    print_collections(face.console(), found)
    if not found:
        face.note("no index has a name yet; mixrag index --collection NAME FOLDER makes one")
