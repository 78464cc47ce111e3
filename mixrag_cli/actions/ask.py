"""mixrag ask: one answer with its steps and sources, or an honest refusal."""

from __future__ import annotations

import threading
from dataclasses import replace
from importlib import import_module

from mixrag_cli.actions.caller import read_question, scope_of, settings_of
from mixrag_cli.actions.sessions import notes_on, open_all_for
from mixrag_cli.commands.ask import Reply
from mixrag_cli.commands.options import (
    AcceptName,
    ExpansionName,
    Face,
    Search,
    StrategyName,
)
from mixrag_cli.errors import ExitCode, WrongUsage
from mixrag_cli.output.answer_payload import answer_to_json
from mixrag_cli.output.streams import write_json
from mixrag_cli.records.answers import Grade


def ask(
    question: list[str] | None,
    search: Search,
    expand: ExpansionName | None,
    generator: str | None,
    strategy: StrategyName | None,
    reply: Reply,
    face: Face,
) -> int:
    """Answer a question from the indexed documents, with sources; or, with --jsonl, many."""
    if (reply.output and not reply.jsonl) or (reply.jsonl and question):
        raise WrongUsage("--jsonl takes its questions from a file, and --output belongs to it", "mixrag ask --help")
    accepts_likely = reply.accept is AcceptName.likely
    text = "" if reply.jsonl else read_question(question or (), "question")
    settings = settings_of(
        face, may_be_several=True, rerank=search.rerank, expansion=expand, generator=generator, strategy=strategy
    )

    # What reads the evidence takes a tenth of a second to load; meanwhile the store and the embedder are opened.
    threading.Thread(target=import_module, args=("mixrag_cli.stories.answering",)).start()
    session = open_all_for(search, settings, face, asks=True, needs_generator=bool(generator))
    if reply.jsonl:
        from mixrag_cli.actions.batch import ask_batch  # a batch shows its progress: rich takes 0.05 s to load

        return ask_batch(reply.jsonl, reply.output, session, scope_of(search), face, accept_likely=accepts_likely)
    answer = session.ask(text, scope_of(search))
    notes = notes_on(session)
    for note in notes:
        face.note(note)
    answer = replace(answer, warnings=(*answer.warnings, *(notes if face.json else ())))
    if face.json:
        write_json(answer_to_json(answer, accept_likely=accepts_likely))
    else:
        from mixrag_cli.actions.behind import behind_of  # with --json nothing of this is loaded
        from mixrag_cli.actions.screen import console_of
        from mixrag_cli.output.answer_view import print_answer

        print_answer(console_of(face), answer, behind_of(session), explain=reply.explain, accept_likely=accepts_likely)
    return _exit_code(answer.status, accepts_likely=accepts_likely)


def _exit_code(grade: Grade, *, accepts_likely: bool) -> ExitCode:
    if grade == "likely":
        return ExitCode.DONE if accepts_likely else ExitCode.LIKELY
    return ExitCode.DONE if grade == "answered" else ExitCode.NO_ANSWER
