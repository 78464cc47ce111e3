"""mixrag chat: question after question over one warm session, with follow-ups and a look behind each answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mixrag_cli.commands.options import (
    Face,
    GeneratorOption,
    Search,
    StrategyOption,
    command,
)
from mixrag_cli.commands.signals import Terminated
from mixrag_cli.errors import ExitCode, MixragError, WrongUsage
from mixrag_cli.output.streams import write_error, write_json

if TYPE_CHECKING:
    from mixrag_cli.output.console import Console
    from mixrag_cli.output.passages import Behind
    from mixrag_cli.output.prompting import LineReader
    from mixrag_cli.pipeline.conversation import Conversation, Turn
    from mixrag_cli.records import Answer

WELCOME = "Ask about {files:,} files. /help lists the commands, Ctrl-D leaves."
LEAVE_HINT = "Ctrl-C once more, or Ctrl-D, leaves."


class Leave(Exception):
    """The person wants to end the chat."""


@command
def chat(
    *,
    search: Search,
    generator: GeneratorOption = None,
    strategy: StrategyOption = None,
    face: Face,
) -> int:
    """Ask question after question; follow-ups may lean on what was said before.

    Lines that begin with a slash are commands: /help lists them. Without a terminal, questions are read from stdin.
    With --json each line that is read gives one JSON object, a command too; only /quit gives none.
    """
    settings = face.settings(rerank=search.rerank, generator=generator, strategy=strategy)
    from mixrag_cli.commands.sessions import behind_of, open_session_for
    from mixrag_cli.output.prompting import make_line_reader
    from mixrag_cli.pipeline.conversation import Conversation

    session = open_session_for(search, settings, face, needs_generator=bool(generator))
    desk = Desk(
        Conversation(session, search.scope),
        face.console(),
        behind_of(session),
        make_line_reader([f"/{name}" for name in COMMANDS], face.color.value),
        face,
    )
    if desk.is_live:
        desk.remark(WELCOME.format(files=sum(row.status == "indexed" for row in session.document_rows)))
    return desk.run()


@dataclass(slots=True)
class Desk:
    """One chat: the conversation, where it is shown, and where its lines come from."""

    conversation: Conversation
    console: Console
    behind: Behind
    lines: LineReader
    face: Face
    _interrupted: bool = field(default=False, init=False)

    @property
    def is_live(self) -> bool:
        """Whether a person is typing."""
        from mixrag_cli.output.prompting import TerminalReader

        return isinstance(self.lines, TerminalReader)

    def run(self) -> int:
        """Read and answer until the person leaves. A failure is told and the chat goes on."""
        while True:
            try:
                typed = self._read()
                if typed:
                    self._obey(typed)
            except (EOFError, Leave):
                return ExitCode.DONE
            except Terminated:
                raise
            except KeyboardInterrupt:
                self.say("stopped", "yellow")
            except MixragError as error:
                self._tell(error)

    def say(self, text: str, style: str = "") -> None:
        """One line, cleaned, for the person; nothing where only JSON is wanted."""
        if not self.face.json:
            from mixrag_cli.output.console import foreign

            self.console.print(foreign(text, style))

    def remark(self, text: str) -> None:
        """One line that is no answer to anything; nothing where the person wants quiet."""
        if not self.face.quiet:
            self.say(text, "dim")

    def report(self, command: str, text: str, **more: object) -> None:
        """What a command did, in one line; with --json as mixrag.chat/1, with what else there is to tell."""
        if self.face.json:
            write_json({"schema": "mixrag.chat/1", "command": command, "text": text, **more})
        else:
            self.say(text, "dim")

    def last(self) -> Turn:
        """The turn that /sources, /show and /explain speak of. Raises WrongUsage before the first."""
        if not self.conversation.turns:
            raise WrongUsage("nothing has been asked yet")
        return self.conversation.turns[-1]

    def _read(self) -> str:
        """The next line, cleaned; Ctrl-C clears what is typed, and leaves where nothing is, the second time."""
        from mixrag_cli.cleaning import safe_text

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

    def _obey(self, typed: str) -> None:
        if not typed.startswith("/"):
            self._ask(typed)
            return
        name, _, argument = typed[1:].partition(" ")
        if name not in COMMANDS:
            raise WrongUsage(f"no command /{name}", "/help")
        COMMANDS[name](self, argument.strip())

    def _ask(self, typed: str) -> None:
        from mixrag_cli.output.live_text import LiveText
        from mixrag_cli.settings import MAX_QUESTION_CHARACTERS

        if len(typed) > MAX_QUESTION_CHARACTERS:
            raise WrongUsage(
                f"the question has {len(typed):,} characters; at most {MAX_QUESTION_CHARACTERS:,} are read"
            )
        question = self.conversation.understand(typed)
        if question != typed:
            self.remark(f"asked as: {question}")
        live = LiveText(self.console, shown=self.is_live and not self.face.json)
        try:
            turn = self.conversation.put(typed, question, live)
        finally:
            live.end()
        self._show_answer(turn)

    def write_answer(self, answer: Answer) -> None:
        """An answer as mixrag.answer/1."""
        from mixrag_cli.output.payloads import answer_to_json

        write_json(answer_to_json(answer))

    def _show_answer(self, turn: Turn) -> None:
        if self.face.json:
            self.write_answer(turn.answer)
        else:
            from mixrag_cli.output.answer_view import print_answer

            print_answer(self.console, turn.answer, self.behind)
            self.console.print()

    def _tell(self, error: MixragError) -> None:
        from mixrag_cli.output.payloads import error_to_json

        write_error(error.message, error.hint)
        if self.face.json:
            write_json(error_to_json(error))


def _help(desk: Desk, _: str) -> None:
    """List the commands."""
    if desk.face.json:
        told = {name: (run.__doc__ or "").splitlines()[0] for name, run in COMMANDS.items()}
        desk.report("help", "the commands", commands=told)
        return
    for name, run in COMMANDS.items():
        desk.say(f"/{name:<9} {(run.__doc__ or '').splitlines()[0].rstrip('.')}")


def _sources(desk: Desk, _: str) -> None:
    """The last answer's sources, or the places that probably hold it, or what came near."""
    from mixrag_cli.output.answer_view import print_abstention, print_likely, print_sources

    answer = desk.last().answer
    if desk.face.json:
        desk.write_answer(answer)
    elif answer.status == "likely":
        print_likely(desk.console, answer, desk.behind)
    elif answer.sources:
        print_sources(desk.console, answer, desk.behind)
    else:
        print_abstention(desk.console, answer, desk.behind)


def _show(desk: Desk, argument: str) -> None:
    """/show N: source N of the last answer in its context; or any reference."""
    from mixrag_cli.output.answer_view import numbered_sources
    from mixrag_cli.output.places import reference
    from mixrag_cli.output.terminal import print_passage

    ref = argument
    if argument.isdecimal():
        chosen = numbered_sources(desk.last().answer).get(int(argument))
        if chosen is None:
            raise WrongUsage(f"the last answer has no source {argument}", "/sources")
        ref = reference(chosen.hit.path, chosen.locator)
    if not ref:
        raise WrongUsage("which source?", "/show 1")
    passage = desk.conversation.session.show(ref)
    if desk.face.json:
        from mixrag_cli.output.payloads import show_to_json

        write_json(show_to_json(passage))
    else:
        print_passage(desk.console, passage, desk.behind.file)


def _explain(desk: Desk, _: str) -> None:
    """The five steps behind the last answer."""
    from mixrag_cli.output.answer_view import print_answer

    if desk.face.json:
        desk.write_answer(desk.last().answer)
    else:
        print_answer(desk.console, desk.last().answer, desk.behind, explain=True)


def _scope(desk: Desk, argument: str) -> None:
    """/scope PATH: look only there; without a path, everywhere."""
    scope = replace(desk.conversation.scope, paths=tuple(argument.split()))
    desk.conversation.session.filter(scope)  # one that names no file is refused before it is taken
    desk.conversation.scope = scope
    desk.report("scope", f"looking in {argument}" if argument else "looking everywhere", paths=list(scope.paths))


def _model(desk: Desk, argument: str) -> None:
    """/model [NAME]: which models answer; with a name (or none), change the generator."""
    session = desk.conversation.session
    if argument:
        session.change_generator("" if argument == "none" else argument)
    desk.report(
        "model",
        f"embedder {session.embedder.name}; generator {session.generator_name or 'none (built-in reader)'}",
        models={"embedder": session.embedder.name, "generator": session.generator_name or "none"},
    )


def _save(desk: Desk, argument: str) -> None:
    """/save FILE: the conversation as markdown, in a new file."""
    from mixrag_cli.output.prompting import save_private
    from mixrag_cli.output.transcript import conversation_to_markdown

    if not argument:
        raise WrongUsage("save to which file?", "/save answers.md")
    path = Path(argument).expanduser()
    try:
        save_private(path, conversation_to_markdown(desk.conversation.turns))
    except FileExistsError as error:
        raise WrongUsage(f"{path}: exists already", "another name") from error
    desk.report("save", f"saved {len(desk.conversation.turns)} answers to {path}", path=str(path))


def _quit(desk: Desk, _: str) -> None:
    """Leave (as Ctrl-D)."""
    raise Leave


COMMANDS: dict[str, Callable[[Desk, str], None]] = {
    "sources": _sources,
    "show": _show,
    "explain": _explain,
    "scope": _scope,
    "model": _model,
    "save": _save,
    "help": _help,
    "quit": _quit,
}
