"""The menu of the program: every command by one row, and the door behind which the command itself lies.

the row                 name and first line: for `mixrag --help`; nothing else is imported
─► commands/NAME.py     what can be typed after the name: imported when the command is run or asked for its help
─► actions/NAME.py      what it does, with all that it needs: imported when the command is run
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand
from typer.main import get_command


@dataclass(frozen=True, slots=True)
class Row:
    """One command. declared: its function, or its group's app, in the module of its name. help: the first line."""

    name: str
    declared: str
    help: str


MENU = (
    Row("index", "index", "Index folders, or bring their index up to date."),
    Row("ask", "ask", "Answer a question from the indexed documents, with sources; or, with --jsonl, many."),
    Row("chat", "chat", "Ask question after question; follow-ups may lean on what was said before."),
    Row("search", "search", "List the passages that match best, by words and by meaning, file by file."),
    Row("show", "show", "Show a cited place with what stands around it."),
    Row("eval", "evaluate", "Measure retrieval and answers on a data set, with 95 % intervals."),
    Row("calibrate", "calibrate", "Fit the thresholds of each source to this index, with labels or without."),
    Row("ls", "ls", "List the files in the index: state, kind, passages, size and path."),
    Row("status", "status", "Tell what is in the index, and what is not."),
    Row("remove", "remove", "Take files out of the index; the files themselves stay."),
    Row("publish", "publish", "Put the last commit where others can read it with --store ADDRESS."),
    Row("mcp", "mcp", "Let programs that speak the Model Context Protocol ask this index."),
    Row(
        "serve",
        "serve",
        "Keep models and the index open; ask, search and chat use it while it runs, and never need it.",
    ),
    Row("doctor", "doctor", "Check that this machine is fit, with remedies."),
    Row("completion", "completion", "Print a completion script for your shell."),
    Row("collections", "app", "List indexes that have a name, name one, or forget a name."),
    Row("models", "app", "Fetch and choose local language models."),
    Row("config", "app", "Read and change your settings."),
)


class Door(TyperCommand):
    """A command as the program's help shows it; whatever else is asked of it opens the door."""

    def __init__(self, row: Row) -> None:
        super().__init__(row.name, help=row.help, rich_markup_mode=None)
        self._row = row

    @cached_property
    def command(self) -> Any:
        """The command, or the group of commands, that lies behind."""
        found = getattr(import_module(f"{__package__}.{self._row.name}"), self._row.declared)
        if not isinstance(found, typer.Typer):
            declared, found = found, typer.Typer(rich_markup_mode=None, add_completion=False)
            found.command(self._row.name)(declared)
        return get_command(found)

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Parse what was typed after the name."""
        return self.command.make_context(*args, **extra)


def opened(command: Any) -> Any:
    """The command itself, where it is a door."""
    return command.command if isinstance(command, Door) else command


def commands_below(command: Any) -> Iterator[tuple[str, Any]]:
    """The names and commands of a group, opened; none of a command that is no group."""
    for name, child in getattr(command, "commands", {}).items():
        yield name, opened(child)
