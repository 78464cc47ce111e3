"""mixrag serve: models and store kept open, so that ask, search and chat answer at once."""

from __future__ import annotations

from pathlib import Path

import typer

from mixrag_cli.commands.options import Face, command


@command
def serve(context: typer.Context, *, face: Face) -> int:
    """Keep models and the index open; ask, search and chat use it while it runs, and never need it.

    It listens on a socket that is yours alone, follows new commits, and ends when nobody has asked for a while
    (serve_minutes), or with Ctrl-C.
    """
    settings = face.settings()
    from mixrag_cli.commands.warm_server import WarmServer

    server = WarmServer(Path.cwd(), settings, context.find_root().command)
    with server.listening() as listener:
        minutes = settings.serve_minutes
        face.note(f"answering for {server.store}; ends after {minutes} minutes without a question, or with Ctrl-C")
        return server.answer_all(listener, minutes * 60)
