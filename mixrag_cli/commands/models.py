"""mixrag models: the language models that may word answers, from the list to the settings."""

from __future__ import annotations

from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, YesOption, command

app = typer.Typer(help="Fetch and choose local language models.", rich_markup_mode=None, add_completion=False)
NameArgument = Annotated[str, typer.Argument(metavar="MODEL", help="A name, as `mixrag models list` prints it.")]


@app.command("list")
@command
def list_models(*, face: Face) -> None:
    """List good small models, and those on this machine; needs no network."""


@app.command()
@command
def pull(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A name of `mixrag models list`, or OWNER/REPOSITORY/FILE.gguf.")
    ],
    offline: Annotated[bool, typer.Option("--offline", help="Never use the network.")] = False,
    *,
    face: Face,
) -> None:
    """Fetch a model from the Hugging Face hub, going on where an earlier try ended.

    The hub's sha256 is checked and kept; HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE are honoured.
    """


@app.command()
@command
def verify(
    model: Annotated[str | None, typer.Argument(metavar="MODEL", help="Only this one.")] = None, *, face: Face
) -> None:
    """Read the models on this machine and compare their sha256.

    Exit code 14 means that one is damaged or missing.
    """


@app.command()
@command
def use(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A pulled model, a GGUF file, or a server's address.")],
    *,
    face: Face,
) -> None:
    """Answer with this model from now on; "none" for the built-in reader."""


@app.command()
@command
def path(model: NameArgument, *, face: Face) -> None:
    """Print where a model's file lies."""


@app.command()
@command
def remove(model: NameArgument, yes: YesOption = False, *, face: Face) -> None:
    """Delete a model's file."""
