"""mixrag mcp: search, ask, show and status as tools for editors and agents, by the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, GeneratorOption, command

DEFAULT_PORT = 8765


@command
def mcp(
    http: Annotated[bool, typer.Option("--http", help="Serve on a port of this machine instead of stdio.")] = False,
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=1, max=65535, help="With --http: which port.")
    ] = DEFAULT_PORT,
    origin: Annotated[
        list[str] | None,
        typer.Option("--origin", metavar="URL", help="With --http: let pages of this origin in; may be repeated."),
    ] = None,
    generator: GeneratorOption = None,
    *,
    face: Face,
) -> None:
    """Let programs that speak the Model Context Protocol ask this index.

    The tools only read. Over stdio the program that starts it is its only client; with --http it listens on this
    machine alone, and no web page is let in but those named by --origin.
    """
