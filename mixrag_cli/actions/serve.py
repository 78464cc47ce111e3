"""mixrag serve: models and store kept open, so that ask, search and chat answer at once."""

from __future__ import annotations

from pathlib import Path

import typer

from mixrag_cli.actions.caller import settings_of
from mixrag_cli.actions.named import collections_of
from mixrag_cli.actions.warm_server import WarmServer
from mixrag_cli.commands.options import Face


def serve(context: typer.Context, face: Face) -> int:
    """Keep models and the index open; ask, search and chat use it while it runs, and never need it."""
    settings = settings_of(face, may_be_several=True)
    collections = collections_of(face)

    server = WarmServer(Path.cwd(), settings, context.find_root().command, collections)
    with server.listening() as listeners:
        minutes = settings.serve_minutes
        whose = ", ".join(map(str, server.stores.values()))
        face.note(f"answering for {whose}; ends after {minutes} minutes without a question, or with Ctrl-C")
        return server.answer_all(listeners, minutes * 60)
