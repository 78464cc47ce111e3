"""The loop of a chat: lines are read and obeyed until the person leaves; a failure is told, and the chat goes on."""

from __future__ import annotations

from dataclasses import dataclass, field

from mixrag_cli.actions.caller import tell
from mixrag_cli.actions.signals import Terminated
from mixrag_cli.cleaning import safe_text
from mixrag_cli.commands.options import Face
from mixrag_cli.errors import ExitCode, MixragError
from mixrag_cli.output.console import Console, foreign
from mixrag_cli.output.prompting import LineReader, TerminalReader

COMMAND_NAMES = ("sources", "show", "explain", "scope", "model", "save", "help", "quit")  # after a slash
LEAVE_HINT = "Ctrl-C once more, or Ctrl-D, leaves."


class Leave(Exception):
    """The person wants to end the chat."""


@dataclass(kw_only=True, slots=True)
class Loop:
    """Where lines come from and where answers go. lines: None where single lines are handed in."""

    console: Console
    lines: LineReader | None
    face: Face
    _interrupted: bool = field(default=False, init=False)

    def obey(self, typed: str) -> None:
        """Do what one line says. Raises MixragError, Leave."""
        raise NotImplementedError

    def take(self, typed: str) -> None:
        """Do what one line says; a failure is told. Raises Leave."""
        try:
            self.obey(typed)
        except MixragError as error:
            tell(self.face, error)

    @property
    def is_live(self) -> bool:
        """Whether a person is typing."""
        if self.lines is None:
            return False

        return isinstance(self.lines, TerminalReader)

    def run(self) -> int:
        """Read and answer until the person leaves. A failure is told and the chat goes on."""
        while True:
            try:
                typed = self._read()
                if typed:
                    self.obey(typed)
            except (EOFError, Leave):
                return ExitCode.DONE
            except Terminated:
                raise
            except KeyboardInterrupt:
                self.say("stopped", "yellow")
            except MixragError as error:
                tell(self.face, error)

    def say(self, text: str, style: str = "") -> None:
        """One line, cleaned, for the person; nothing where only JSON is wanted."""
        if not self.face.json:
            self.console.print(foreign(text, style))

    def remark(self, text: str) -> None:
        """One line that is no answer to anything; nothing where the person wants quiet."""
        if not self.face.quiet:
            self.say(text, "dim")

    def _read(self) -> str:
        """The next line, cleaned; Ctrl-C clears what is typed, and leaves where nothing is, the second time."""
        if self.lines is None:
            raise Leave
        try:
            typed = self.lines.read()
        except Terminated:
            raise
        except KeyboardInterrupt:
            if not self.is_live or (self._interrupted and not self.lines.had_text):
                raise Leave from None
            self._interrupted = not self.lines.had_text
            if self._interrupted:
                self.remark(LEAVE_HINT)
            return ""
        self._interrupted = False
        return safe_text(typed).strip()
