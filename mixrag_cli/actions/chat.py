"""mixrag chat: question after question over one warm session, with follow-ups and a look behind each answer.

Where a warm server answers, none of what a session needs is loaded here.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mixrag_cli.actions.caller import settings_of
from mixrag_cli.actions.chat_loop import COMMAND_NAMES
from mixrag_cli.actions.lending import served_line
from mixrag_cli.actions.screen import console_of
from mixrag_cli.actions.warm_chat import WarmChat
from mixrag_cli.commands.options import Face, Search, StrategyName
from mixrag_cli.output.prompting import LineReader, make_line_reader
from mixrag_cli.settings import Settings
from mixrag_cli.store import find_store, store_asked_for


def chat(search: Search, generator: str | None, strategy: StrategyName | None, face: Face) -> int:
    """Ask question after question; follow-ups may lean on what was said before."""
    settings = settings_of(face, rerank=search.rerank, generator=generator, strategy=strategy)
    lines, pending, is_warm = None, "", False
    if served_line() is None:
        lines = make_line_reader([f"/{name}" for name in COMMAND_NAMES], face.color.value)
        if (warm := _warm_chat(lines, search, settings, face)) is not None:
            code = warm.run()
            if not warm.is_forsaken:
                return code
            face.note("mixrag serve has ended; this chat goes on without it, from its beginning")
            pending, is_warm = warm.pending, True
    from mixrag_cli.actions.chat_desk import begin_chat, serve_line

    if lines is None:
        return serve_line(search, settings, face)
    desk = begin_chat(lines, search, settings, face, needs_generator=bool(generator))
    if desk.is_live and not is_warm:
        desk.welcome()
    if pending:
        desk.take(pending)
    return desk.run()


def _warm_chat(lines: LineReader, search: Search, settings: Settings, face: Face) -> WarmChat | None:
    """The chat over a warm server; None where none answers for this store, or the chat needs what only it has.

    A generator's words are shown as they come, which they are not from afar. Raises NoIndex.
    """
    if settings.generator or search.file or search.sync or face.debug or sys.argv[1:2] != ["chat"]:
        return None

    store = store_asked_for(find_store(Path.cwd(), settings.store), settings.store)
    warm = WarmChat(console=console_of(face), lines=lines, face=face, store=str(store), arguments=sys.argv[1:])
    return warm if warm.begins() else None
