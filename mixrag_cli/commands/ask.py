"""mixrag ask: one answer with its steps and sources, or an honest refusal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import (
    AcceptName,
    AcceptOption,
    ExpandOption,
    Face,
    GeneratorOption,
    Search,
    StrategyOption,
    command,
    read_question,
)
from mixrag_cli.errors import ExitCode, WrongUsage
from mixrag_cli.output.streams import write_json
from mixrag_cli.records import Grade


@command
def ask(
    question: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION", help="The question; - reads it from stdin.")
    ] = None,
    *,
    search: Search,
    expand: ExpandOption = None,
    generator: GeneratorOption = None,
    strategy: StrategyOption = None,
    accept: AcceptOption = AcceptName.answered,
    explain: Annotated[bool, typer.Option("--explain", help="Show all five RECAP steps, not only the result.")] = False,
    jsonl: Annotated[
        Path | None,
        typer.Option("--jsonl", metavar="FILE", help="Answer each line of this file of questions; - reads stdin."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="With --jsonl: add the answers to this file, and resume it."),
    ] = None,
    face: Face,
) -> int:
    """Answer a question from the indexed documents, with sources; or, with --jsonl, many.

    Exit code 5 means that no answer is sure enough to state: the places that probably hold it are shown. Exit code 4
    means that nothing found comes near enough; what is missing is named.
    """
    if (output and not jsonl) or (jsonl and question):
        raise WrongUsage("--jsonl takes its questions from a file, and --output belongs to it", "mixrag ask --help")
    accepts_likely = accept is AcceptName.likely
    text = "" if jsonl else read_question(question or (), "question")
    settings = face.settings(
        may_be_several=True, rerank=search.rerank, expansion=expand, generator=generator, strategy=strategy
    )
    from mixrag_cli.commands.sessions import behind_of, changed_since, open_all_for

    session = open_all_for(search, settings, face, needs_generator=bool(generator))
    if jsonl:
        from mixrag_cli.commands.batch import ask_batch

        return ask_batch(jsonl, output, session, search.scope, face, accept_likely=accepts_likely)
    answer = session.ask(text, search.scope)
    if changed := changed_since(session):
        face.note(changed)
        answer = replace(answer, warnings=(*answer.warnings, *([changed] if face.json else [])))
    if face.json:
        from mixrag_cli.output.payloads import answer_to_json

        write_json(answer_to_json(answer, accept_likely=accepts_likely))
    else:
        from mixrag_cli.output.answer_view import print_answer

        print_answer(face.console(), answer, behind_of(session), explain=explain, accept_likely=accepts_likely)
    return _exit_code(answer.status, accepts_likely=accepts_likely)


def _exit_code(grade: Grade, *, accepts_likely: bool) -> ExitCode:
    if grade == "likely":
        return ExitCode.DONE if accepts_likely else ExitCode.LIKELY
    return ExitCode.DONE if grade == "answered" else ExitCode.NO_ANSWER
