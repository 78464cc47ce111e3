"""mixrag completion: the script that makes a shell complete mixrag's commands and options."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from mixrag_cli.commands.options import command


class Shell(StrEnum):
    """The shells that a script is made for."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


@command
def completion(
    context: typer.Context, shell: Annotated[Shell, typer.Argument(metavar="bash|zsh|fish", help="Your shell.")]
) -> None:
    """Print a completion script for your shell.

    For bash: eval "$(mixrag completion bash)", or save it where the shell looks for completions.
    """
