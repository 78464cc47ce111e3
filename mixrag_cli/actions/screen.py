"""The screen of the caller, for what is for people: loaded where something is printed there."""

from __future__ import annotations

from mixrag_cli.commands.options import Face
from mixrag_cli.output.console import Console, make_console


def console_of(face: Face) -> Console:
    """Where what is for people is printed."""
    return make_console(color=face.color.value)
