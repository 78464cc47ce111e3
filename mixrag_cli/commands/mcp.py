"""mixrag mcp: search, ask, show and status as tools for editors and agents, by the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, GeneratorOption, command
from mixrag_cli.errors import ExitCode, MixragError

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
) -> int:
    """Let programs that speak the Model Context Protocol ask this index.

    The tools only read. Over stdio the program that starts it is its only client; with --http it listens on this
    machine alone, and no web page is let in but those named by --origin.
    """
    settings = face.settings(generator=generator)
    try:
        from mixrag_cli.commands.mcp_server import serve_http, serve_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise MixragError("the Model Context Protocol needs the extra mcp", "pip install 'mixrag[mcp]'") from error
    from mixrag_cli.stories.warm import WarmSession

    warm = WarmSession(Path.cwd(), settings)
    if http:
        face.note(f"listening on http://127.0.0.1:{port}/mcp; Ctrl-C stops it")
        return serve_http(warm, port, origin or ())
    serve_stdio(warm)
    return ExitCode.DONE
