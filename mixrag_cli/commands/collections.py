"""mixrag collections: indexes that have a name, wherever they lie."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, YesOption, command

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


@app.command("list")
@command
def list_named(*, face: Face) -> None:
    """List the named indexes, as `mixrag collections` does."""


@app.command()
@command
def add(
    name: NameArgument,
    index: Annotated[Path, typer.Argument(metavar="DIR", help="The index, or the folder that it lies in.")],
    *,
    face: Face,
) -> None:
    """Give a name to an index that is there already."""


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
