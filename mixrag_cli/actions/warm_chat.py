"""A chat whose questions a warm server answers: here are the lines and the terminal, there the models and the turns.

Each line is a request of its own, so that the server answers others in between. Where it ends, the chat is forsaken
and its caller goes on with a session of its own.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from mixrag_cli.actions.chat_loop import Leave, Loop
from mixrag_cli.client import ask_server


@dataclass(kw_only=True, slots=True)
class WarmChat(Loop):
    """The lines of one chat. is_forsaken: the server is gone; pending: the line that it did not answer."""

    store: str
    arguments: Sequence[str]
    is_forsaken: bool = False
    pending: str = ""
    _name: str = field(default_factory=lambda: secrets.token_hex(8), init=False)

    def begins(self) -> bool:
        """Whether a server takes this chat; where it does, and a person is typing, it says what is asked here."""
        reply = self._put("")
        if reply is not None and self.is_live:
            self._print(reply)
        return reply is not None

    def obey(self, typed: str) -> None:
        """Let the server answer one line. Raises Leave where the person wants it, or the server is gone."""
        if typed.partition(" ")[0] == "/quit":
            raise Leave
        reply = self._put(typed)
        if reply is None:
            self.is_forsaken, self.pending = True, typed
            raise Leave
        self._print(reply)

    def _put(self, line: str) -> tuple[bytes, bytes] | None:
        reply = ask_server(self.store, self.arguments, chat={"name": self._name, "line": line})
        return None if reply is None else reply[1:]

    def _print(self, reply: tuple[bytes, bytes]) -> None:
        for stream, said in ((sys.stderr, reply[1]), (sys.stdout, reply[0])):
            stream.write(said.decode(stream.encoding, "replace"))
            stream.flush()
