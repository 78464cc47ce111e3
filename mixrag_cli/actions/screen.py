"""Where what a command found goes: to a script as one JSON object, to people on their screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Concatenate, ParamSpec

from mixrag_cli.commands.options import Face
from mixrag_cli.output.console import Console, make_console
from mixrag_cli.output.streams import write_json

Found = ParamSpec("Found")


def render(
    face: Face,
    to_json: Callable[..., Mapping[str, Any]],
    view: Callable[Concatenate[Console, Found], None],
    /,
    *found: Found.args,
    **shown: Found.kwargs,
) -> None:
    """Tell what was found in the form that the caller asked for. shown: what only the view for people is told."""
    if face.json:
        write_json(to_json(*found))
    else:
        view(console_of(face), *found, **shown)


def console_of(face: Face) -> Console:
    """Where what is for people is printed."""
    return make_console(color=face.color.value)
