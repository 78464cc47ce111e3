"""A generator's words while they come, until the verified answer takes their place."""

from __future__ import annotations

from rich.console import Console
from rich.live import Live
from rich.text import Text

from mixrag_cli.output.console import foreign

SHOWN_LINES = 8  # the last ones; few enough to be taken back on any terminal


class LiveText:
    """The words so far, on a terminal; nothing elsewhere, where only the verified answer counts.

    Where no escape sequences may be written the words stay, and the answer follows them.
    """

    def __init__(self, console: Console, *, shown: bool) -> None:
        self._console = console
        self._shown = shown
        self._text = ""
        self._live: Live | None = None

    def __call__(self, piece: str) -> None:
        """Show one piece, which is clean already."""
        if not self._shown or not piece:
            return
        self._text += piece
        if not self._console.is_terminal:
            self._console.file.write(piece)
            self._console.file.flush()
            return
        if self._live is None:
            self._live = Live(
                console=self._console,
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        lines = foreign(self._text, "dim", keep_newlines=True).wrap(self._console, self._console.width)
        self._live.update(Text("\n").join(lines[-SHOWN_LINES:]), refresh=True)

    def end(self) -> None:
        """Take the words back; where that cannot be, end the line that was begun."""
        if self._live is not None:
            self._live.stop()
        elif self._text:
            self._console.file.write("\n")
            self._console.file.flush()
        self._live, self._text = None, ""
