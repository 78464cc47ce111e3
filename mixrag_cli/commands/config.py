"""mixrag config: read and change the user's settings."""

from __future__ import annotations

from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, command

app = typer.Typer(help="Read and change your settings.", rich_markup_mode=None, add_completion=False)
NameArgument = Annotated[str, typer.Argument(metavar="SETTING", help="A setting, as `mixrag config list` names it.")]


@app.command("list")
@command
def list_settings(*, face: Face) -> None:
    """List every setting, its value and where it comes from."""


@app.command()
@command
def get(name: NameArgument, *, face: Face) -> None:
    """Print one setting's value."""


@app.command("set")
@command
def set_setting(name: NameArgument, value: Annotated[str, typer.Argument(metavar="VALUE")], *, face: Face) -> None:
    """Set a value in your config.toml; it is checked first."""


@app.command()
@command
def unset(name: NameArgument, *, face: Face) -> None:
    """Remove a value from your config.toml, so that the default holds again."""


@app.command()
@command
def path(*, face: Face) -> None:
    """Print where your config.toml lies, whether or not it exists."""
