"""What a warm server lends to the commands that it runs: its session, and a line of a chat. Loads nothing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from mixrag_cli.settings import Settings
    from mixrag_cli.stories.conversation import Conversation
    from mixrag_cli.stories.session import Session
    from mixrag_cli.stories.several import Several


MOST_CHATS = 8  # whose turns a warm server remembers; a turn holds what its answer cites
Lend = Callable[["Settings", "Mapping[str, Path]"], "Session | Several"]
_lend: Lend | None = None  # set while a warm server runs a command


@dataclass(frozen=True, slots=True)
class ServedLine:
    """One line of a chat that a warm server answers. conversations: of its chats by their names, the latest last."""

    chat: str
    line: str
    conversations: OrderedDict[str, Conversation]

    def keep(self, conversation: Conversation) -> None:
        """Remember the chat's turns for its next line; the chat that was silent longest goes where there are many."""
        self.conversations[self.chat] = conversation
        self.conversations.move_to_end(self.chat)
        if len(self.conversations) > MOST_CHATS:
            self.conversations.popitem(last=False)


_line: ServedLine | None = None  # set while a warm server runs a chat's line


def lender() -> Lend | None:
    """What gives the session to use, or those of named stores; None where this is no warm server."""
    return _lend


def served_line() -> ServedLine | None:
    """The line that is to be answered for somebody's chat; None where this is no warm server."""
    return _line


class NotWarm(SystemExit):
    """The command wants another session than the one that is kept warm; it is to be run by its caller."""


@contextmanager
def lend_session(lend: Lend, line: ServedLine | None = None) -> Iterator[None]:
    """Let commands use what lend gives for their settings and the collections they name, instead of opening stores.

    line: what a chat is to answer, in place of lines that are typed.
    """
    global _lend, _line
    _lend, _line = lend, line
    try:
        yield
    finally:
        _lend = _line = None
