"""mixrag search: ranked passages, no answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from mixrag_cli.commands.options import ExpandOption, Face, GeneratorOption, Search, command

MOST_CONTEXT = 50  # passages on each side: more is the file itself, which show prints


@dataclass(frozen=True, slots=True)
class View:
    """What is wanted of the passages that are found."""

    files: Annotated[bool, typer.Option("--files", "-l", help="Only the paths of the files, one a line.")] = False
    context: Annotated[
        int,
        typer.Option(
            "--context", "-C", metavar="N", min=0, max=MOST_CONTEXT, help="So many passages before and after each."
        ),
    ] = 0
    open: Annotated[bool, typer.Option("--open", help="Open the best place in $VISUAL or $EDITOR, at its line.")] = (
        False
    )


@command
def search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="What to look for; - reads it from stdin.")],
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1000, help="How many passages, or files, at most.")
    ] = 10,
    *,
    view: View,
    within: Search,
    expand: ExpandOption = None,
    generator: GeneratorOption = None,
    face: Face,
) -> None:
    """List the passages that match best, by words and by meaning, file by file.

    A query that is exactly the name of a file finds that file first.
    """
