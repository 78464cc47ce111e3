"""mixrag completion: the script that makes a shell complete mixrag's commands and options."""

from __future__ import annotations

import typer

from mixrag_cli.actions.completion_scripts import completion_script
from mixrag_cli.commands.completion import Shell
from mixrag_cli.output.streams import write_text


def completion(context: typer.Context, shell: Shell) -> None:
    """Print a completion script for your shell."""
    write_text(completion_script(context.find_root().command, shell.value))
