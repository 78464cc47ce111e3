"""Lines typed by a person: with history, completion and editing on a terminal, plain lines from a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import create_input
from prompt_toolkit.output import create_output
from prompt_toolkit.styles import Style

from mixrag_cli.output.bug_log import state_folder
from mixrag_cli.output.console import ColorChoice, is_interactive, is_styled

HISTORY_NAME = "chat_history"
PROMPT = "› "
MAX_LINE_CHARACTERS = 64_000  # of a pasted line that are kept; a question may have 8,000


class LineReader(Protocol):
    """Where the next line comes from."""

    def read(self) -> str:
        """The next line without its end. Raises EOFError at the end, KeyboardInterrupt for Ctrl-C."""
        ...

    @property
    def had_text(self) -> bool:
        """Whether something was typed when Ctrl-C came."""
        ...


class TerminalReader:
    """A prompt with history on disk (the user's alone), completion of commands and the usual keys."""

    def __init__(self, commands: Sequence[str], color: ColorChoice) -> None:
        self._session: PromptSession[str] = PromptSession(
            PROMPT if is_styled(sys.stdout, color) else "> ",
            history=_history(),
            completer=WordCompleter(list(commands), sentence=True),
            complete_while_typing=False,
            enable_history_search=True,
            style=Style.from_dict({"prompt": "bold"}),
            input=create_input(sys.stdin),
            output=create_output(sys.stdout),
        )

    def read(self) -> str:
        """As LineReader says."""
        return self._session.prompt()[:MAX_LINE_CHARACTERS]

    @property
    def had_text(self) -> bool:
        """As LineReader says."""
        return bool(self._session.default_buffer.text)


class PipeReader:
    """Lines from stdin, as they are; no prompt is written."""

    had_text = False

    def read(self) -> str:
        """As LineReader says."""
        raw = sys.stdin.buffer.readline()
        if not raw:
            raise EOFError
        return raw.decode("utf-8", "replace")[:MAX_LINE_CHARACTERS].rstrip("\r\n")


def make_line_reader(commands: Sequence[str], color: ColorChoice) -> LineReader:
    """A prompt where a person types and sees, else plain lines."""
    if sys.stdin.isatty() and is_interactive(sys.stdout):
        return TerminalReader(commands, color)
    return PipeReader()


def _history() -> History:
    """The history file with mode 0600; one in memory where it cannot be written."""
    path = state_folder() / HISTORY_NAME
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        path.chmod(0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))


def save_private(path: Path, text: str) -> None:
    """Write a new file that only the user can read. Raises OSError, FileExistsError where it is there already."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
