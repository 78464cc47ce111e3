"""What the terminal can do: colours, width, links. The only place that decides it.

--color always|never   wins over everything
NO_COLOR, not empty    no escape sequence at all
CLICOLOR_FORCE         as --color always, where NO_COLOR is not set
otherwise              styled where the stream is a terminal and TERM is not "dumb"
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Literal, TextIO
from urllib.parse import quote

from rich.console import Console as Console  # named by the commands, which do not know rich
from rich.style import Style
from rich.text import Text

from mixrag_cli.cleaning import safe_text

ColorChoice = Literal["auto", "always", "never"]

NARROWEST = 20  # below this nothing can be laid out: the terminal wraps
WIDEST = 200  # longer lines are hard to read
PLAIN_WIDTH = 100  # where no terminal tells its width


def is_styled(stream: TextIO, color: ColorChoice) -> bool:
    """Whether escape sequences may be written to the stream."""
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("CLICOLOR_FORCE", "0") != "0":
        return True
    return _is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_interactive(stream: TextIO) -> bool:
    """Whether a bar that redraws itself makes sense there."""
    return _is_terminal(stream) and os.environ.get("TERM") != "dumb"


def make_console(stream: TextIO | None = None, color: ColorChoice = "auto") -> Console:
    """A console on stdout (or stream) that writes escape sequences only where is_styled."""
    target = stream or sys.stdout
    styled = is_styled(target, color)
    return Console(
        file=target,
        width=terminal_width(target),
        force_terminal=styled,
        color_system="standard" if styled else None,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=False,
        _environ={},  # rich would ask the environment again and come to other answers
    )


def terminal_width(stream: TextIO) -> int:
    """Columns to lay out for: COLUMNS, else the terminal's own, else PLAIN_WIDTH."""
    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and int(given) > 0:
        width = int(given)
    elif _is_terminal(stream):
        try:
            width = os.get_terminal_size(stream.fileno()).columns
        except OSError:
            width = shutil.get_terminal_size().columns
    else:
        width = PLAIN_WIDTH
    return max(NARROWEST, min(width or PLAIN_WIDTH, WIDEST))


def foreign(text: str, style: str | Style = "", *, keep_newlines: bool = False) -> Text:
    """A string that is not ours, cleaned, as text without markup."""
    return Text(safe_text(text, keep_newlines=keep_newlines), style=style)


def linked(label: str, target: str | None, style: str = "") -> Text:
    """The label, clickable where there is a target; terminals without styles see the label alone."""
    text = foreign(label, style)
    if target:
        text.stylize(Style(link=target))
    return text


def file_link(file: Path | None, page: int | None = None) -> str | None:
    """The file: address of one of the indexed files, None where it is no regular file any more.

    An address that a document or a model wrote is never made clickable: only what lies on this disk is.
    """
    try:
        if file is None or not file.is_file():
            return None
    except (OSError, ValueError):
        return None
    return "file://" + quote(os.fsencode(file.absolute())) + (f"#page={page}" if page else "")


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # a closed stream
        return False
