"""Write docs/commands.md: every command's own --help, so that the page says what the program says.

    python docs/make_commands.py

tests/test_docs.py fails where the page and the program differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from mixrag_cli.cli import app
from mixrag_cli.commands.doors import commands_below

PAGE = Path(__file__).with_name("commands.md")
WIDTH = 88  # columns of the help; fixed, so that the page does not depend on who makes it
HEAD = """\
# Commands

This page is made from the program by `python docs/make_commands.py`. It shows what `mixrag COMMAND --help` prints.
The [guide](guide.md) tells what the commands are for.
"""


def commands_page() -> str:
    """The whole page."""
    program: Any = get_command(app)
    root = typer.Context(program, info_name="mixrag", terminal_width=WIDTH, **program.context_settings)
    names, sections = [], []
    for context in _commands_below(root):
        path = context.command_path
        names.append(f"[{path.removeprefix('mixrag ')}](#{path.replace(' ', '-')})")
        sections.append(f"## {path}\n\n```text\n{_help_of(context)}\n```\n")
    return "\n".join([HEAD, " · ".join(names) + "\n", *sections])


def _commands_below(context: typer.Context) -> Iterator[typer.Context]:
    """The context of each command that a user can type, groups before what is in them."""
    for name, child in commands_below(context.command):
        if not child.hidden:
            below = typer.Context(child, info_name=name, parent=context, terminal_width=WIDTH)
            yield below
            yield from _commands_below(below)


def _help_of(context: typer.Context) -> str:
    return "\n".join(line.rstrip() for line in context.command.get_help(context).splitlines())


if __name__ == "__main__":
    PAGE.write_text(commands_page(), "utf-8")
