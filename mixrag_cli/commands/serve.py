"""mixrag serve: models and store kept open, so that ask, search and chat answer at once."""

from __future__ import annotations

import typer

from mixrag_cli.commands.options import Face, command


@command
def serve(context: typer.Context, *, face: Face) -> None:
    """Keep models and the index open; ask, search and chat use it while it runs, and never need it.

    It listens on a socket that is yours alone, follows new commits, and ends when nobody has asked for a while
    (serve_minutes), or with Ctrl-C.
    """
