"""The desk at which a chat is answered: the conversation, and the commands that begin with a slash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from mixrag_cli.actions.behind import behind_of
from mixrag_cli.actions.caller import scope_of, tell
from mixrag_cli.actions.chat_loop import COMMAND_NAMES, Leave, Loop
from mixrag_cli.actions.lending import served_line
from mixrag_cli.actions.screen import console_of
from mixrag_cli.actions.sessions import notes_on, open_session_for
from mixrag_cli.commands.options import Face, Search
from mixrag_cli.errors import ExitCode, WrongUsage
from mixrag_cli.output.answer_payload import answer_to_json
from mixrag_cli.output.answer_view import numbered_sources, print_abstention, print_answer, print_likely, print_sources
from mixrag_cli.output.console import foreign
from mixrag_cli.output.lines import print_hanging
from mixrag_cli.output.live_text import LiveText
from mixrag_cli.output.passages import Behind
from mixrag_cli.output.payloads import show_to_json
from mixrag_cli.output.places import reference
from mixrag_cli.output.prompting import LineReader, save_private
from mixrag_cli.output.streams import write_json
from mixrag_cli.output.terminal import print_passage
from mixrag_cli.output.transcript import conversation_to_markdown
from mixrag_cli.records.answers import Answer
from mixrag_cli.settings import Settings
from mixrag_cli.stories.conversation import Conversation, Turn
from mixrag_cli.stories.questions import checked_question
from mixrag_cli.stories.session import Session

WELCOME = "Ask about {files:,} files. /help lists the commands, Ctrl-D leaves."


def begin_chat(lines: LineReader, search: Search, settings: Settings, face: Face, *, needs_generator: bool) -> Desk:
    """A chat with a session of its own. Raises what opening it raises; see open_session_for."""
    session = open_session_for(search, settings, face, asks=True, needs_generator=needs_generator)
    return Desk(
        conversation=Conversation(session, scope_of(search)),
        console=console_of(face),
        behind=behind_of(session),
        lines=lines,
        face=face,
    )


def serve_line(search: Search, settings: Settings, face: Face) -> int:
    """In a warm server: take one line of somebody's chat. Its turns are kept, its session follows the store."""
    served = served_line()
    assert served is not None

    base = open_session_for(search, settings, face)
    conversation = served.conversations.get(served.chat)
    if conversation is None or conversation.session.reader is not base.reader:
        own = Session(base.reader, base.embedder, settings)
        own.borrow_models(base)
        if conversation is None:
            conversation = Conversation(own, scope_of(search))
        conversation.session = own
    served.keep(conversation)
    desk = Desk(
        conversation=conversation,
        console=console_of(face),
        behind=behind_of(conversation.session),
        lines=None,
        face=face,
    )
    if not served.line:
        desk.welcome()
    elif served.line.startswith("/model "):
        tell(face, WrongUsage("mixrag serve answers this chat, and its models stay", "mixrag chat --generator MODEL"))
    else:
        desk.take(served.line)
    return ExitCode.DONE


@dataclass(kw_only=True, slots=True)
class Desk(Loop):
    """One chat: the conversation, where it is shown, and where its lines come from."""

    conversation: Conversation
    behind: Behind

    def report(self, command: str, text: str, **more: object) -> None:
        """What a command did, in one line; with --json as mixrag.chat/1, with what else there is to tell."""
        if self.face.json:
            write_json({"schema": "mixrag.chat/1", "command": command, "text": text, **more})
        else:
            self.say(text, "dim")

    def welcome(self) -> None:
        """What is asked here, and how to leave."""
        session = self.conversation.session
        self.remark(WELCOME.format(files=session.reader.record.counts.get("indexed", 0)))
        for note in notes_on(session):
            self.remark(note)

    def last(self) -> Turn:
        """The turn that /sources, /show and /explain speak of. Raises WrongUsage before the first."""
        if not self.conversation.turns:
            raise WrongUsage("nothing has been asked yet")
        return self.conversation.turns[-1]

    def obey(self, typed: str) -> None:
        """Answer a question, or do what a command says. Raises MixragError, Leave."""
        if not typed.startswith("/"):
            self._ask(typed)
            return
        name, _, argument = typed[1:].partition(" ")
        if name not in COMMANDS:
            raise WrongUsage(f"no command /{name}", "/help")
        COMMANDS[name](self, argument.strip())

    def _ask(self, typed: str) -> None:
        typed = checked_question(typed)
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
        write_json(answer_to_json(answer))

    def _show_answer(self, turn: Turn) -> None:
        if self.face.json:
            self.write_answer(turn.answer)
        else:
            print_answer(self.console, turn.answer, self.behind)
            self.console.print()


def _help(desk: Desk, _: str) -> None:
    """List the commands."""
    if desk.face.json:
        told = {name: (run.__doc__ or "").splitlines()[0] for name, run in COMMANDS.items()}
        desk.report("help", "the commands", commands=told)
        return
    for name, run in COMMANDS.items():
        print_hanging(desk.console, foreign(f"/{name:<9} "), foreign((run.__doc__ or "").splitlines()[0].rstrip(".")))


def _sources(desk: Desk, _: str) -> None:
    """The last answer's sources, or the places that probably hold it, or what came near."""
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
        write_json(show_to_json(passage))
    else:
        print_passage(desk.console, passage, desk.behind.file)


def _explain(desk: Desk, _: str) -> None:
    """The five steps behind the last answer."""
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


COMMANDS: dict[str, Callable[[Desk, str], None]] = dict(
    zip(COMMAND_NAMES, (_sources, _show, _explain, _scope, _model, _save, _help, _quit), strict=True)
)
