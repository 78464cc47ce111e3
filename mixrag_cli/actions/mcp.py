"""mixrag mcp: search, ask, show and status as tools for editors and agents, by the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path

from mixrag_cli.actions.caller import settings_of
from mixrag_cli.actions.named import collections_of
from mixrag_cli.commands.options import Face
from mixrag_cli.errors import ExitCode, MixragError
from mixrag_cli.stories.warm import WarmSessions


def mcp(http: bool, port: int, origin: list[str] | None, generator: str | None, face: Face) -> int:
    """Let programs that speak the Model Context Protocol ask this index."""
    settings = settings_of(face, may_be_several=True, generator=generator)
    collections = collections_of(face)
    try:
        from mixrag_cli.actions.mcp_server import serve_http, serve_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise MixragError("the Model Context Protocol needs the extra mcp", "pip install 'mixrag[mcp]'") from error

    warm = WarmSessions(Path.cwd(), settings, collections)
    if http:
        face.note(f"listening on http://127.0.0.1:{port}/mcp; Ctrl-C stops it")
        return serve_http(warm, port, origin or ())
    serve_stdio(warm)
    return ExitCode.DONE
