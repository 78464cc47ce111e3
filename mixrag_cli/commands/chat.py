"""mixrag chat: question after question over one warm session, with follow-ups and a look behind each answer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mixrag_cli.commands.chat_loop import Leave, Loop
from mixrag_cli.commands.options import (
    Face,
    GeneratorOption,
    Search,
    StrategyOption,
    command,
)
from mixrag_cli.errors import ExitCode, WrongUsage
from mixrag_cli.output.streams import write_json

if TYPE_CHECKING:
    from mixrag_cli.commands.lending import ServedLine
    from mixrag_cli.commands.warm_chat import WarmChat
    from mixrag_cli.output.passages import Behind
    from mixrag_cli.output.prompting import LineReader
    from mixrag_cli.records import Answer
    from mixrag_cli.settings import Settings
    from mixrag_cli.stories.conversation import Conversation, Turn

WELCOME = "Ask about {files:,} files. /help lists the commands, Ctrl-D leaves."


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
    from mixrag_cli.commands.lending import served_line

    if (served := served_line()) is not None:
        return _serve(served, search, settings, face)
    from mixrag_cli.output.prompting import make_line_reader

    lines = make_line_reader([f"/{name}" for name in COMMANDS], face.color.value)
    pending = ""
    if (warm := _warm_chat(lines, search, settings, face)) is not None:
        code = warm.run()
        if not warm.is_forsaken:
            return code
        face.note("mixrag serve has ended; this chat goes on without it, from its beginning")
        pending = warm.pending
    from mixrag_cli.commands.sessions import behind_of, open_session_for
    from mixrag_cli.stories.conversation import Conversation

    session = open_session_for(search, settings, face, needs_generator=bool(generator))
    desk = Desk(
        conversation=Conversation(session, search.scope),
        console=face.console(),
        behind=behind_of(session),
        lines=lines,
        face=face,
    )
    if desk.is_live and warm is None:
        desk.welcome()
    if pending:
        desk.take(pending)
    return desk.run()


def _warm_chat(lines: LineReader, search: Search, settings: Settings, face: Face) -> WarmChat | None:
    """The chat over a warm server; None where none answers for this store, or the chat needs what only it has.

    A generator's words are shown as they come, which they are not from afar. Raises NoIndex.
    """
    if settings.generator or search.file or search.sync or face.names or face.debug or sys.argv[1:2] != ["chat"]:
        return None
    from mixrag_cli.commands.warm_chat import WarmChat
    from mixrag_cli.store import find_store, is_published

    found = find_store(Path.cwd(), settings.store)
    store = settings.store if is_published(found) and settings.store is not None else found
    warm = WarmChat(console=face.console(), lines=lines, face=face, store=str(store), arguments=sys.argv[1:])
    return warm if warm.begins() else None


def _serve(served: ServedLine, search: Search, settings: Settings, face: Face) -> int:
    """In a warm server: take one line of somebody's chat. Its turns are kept, its session follows the store."""
    from mixrag_cli.commands.sessions import behind_of, open_session_for
    from mixrag_cli.stories.conversation import Conversation
    from mixrag_cli.stories.session import Session

    base = open_session_for(search, settings, face)
    conversation = served.conversations.get(served.chat)
    if conversation is None or conversation.session.reader is not base.reader:
        own = Session(base.reader, base.embedder, settings)
        own.borrow_models(base)
        if conversation is None:
            conversation = Conversation(own, search.scope)
        conversation.session = own
    served.keep(conversation)
    desk = Desk(
        conversation=conversation, console=face.console(), behind=behind_of(conversation.session), lines=None, face=face
    )
    if not served.line:
        desk.welcome()
    elif served.line.startswith("/model "):
        face.tell(WrongUsage("mixrag serve answers this chat, and its models stay", "mixrag chat --generator MODEL"))
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
        rows = self.conversation.session.document_rows
        self.remark(WELCOME.format(files=sum(row.status == "indexed" for row in rows)))

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
