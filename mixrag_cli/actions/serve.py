"""mixrag serve: models and store kept open, so that ask, search and chat answer at once."""

from __future__ import annotations

from pathlib import Path

import typer

from mixrag_cli.actions.caller import settings_of
from mixrag_cli.actions.warm_server import WarmServer
from mixrag_cli.commands.options import Face


def serve(context: typer.Context, face: Face) -> int:
    """Keep models and the index open; ask, search and chat use it while it runs, and never need it."""
    settings = settings_of(face)

    server = WarmServer(Path.cwd(), settings, context.find_root().command)
    with server.listening() as listener:
        minutes = settings.serve_minutes
        face.note(f"answering for {server.store}; ends after {minutes} minutes without a question, or with Ctrl-C")
        return server.answer_all(listener, minutes * 60)
