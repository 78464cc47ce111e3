"""mixrag ask: one answer with its steps and sources, or an honest refusal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import (
    ExpandOption,
    Face,
    FileOption,
    GeneratorOption,
    KindFilter,
    ModalityFilter,
    PathFilter,
    RerankOption,
    StrategyOption,
    command,
    make_scope,
    read_question,
)
from mixrag_cli.errors import ExitCode, WrongUsage


@command
def ask(
    question: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION", help="The question; - reads it from stdin.")
    ] = None,
    path: PathFilter = None,
    modality: ModalityFilter = None,
    kind: KindFilter = None,
    file: FileOption = None,
    rerank: RerankOption = None,
    expand: ExpandOption = None,
    generator: GeneratorOption = None,
    strategy: StrategyOption = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show all five RECAP steps, not only the result.")] = False,
    jsonl: Annotated[
        Path | None,
        typer.Option("--jsonl", metavar="FILE", help="Answer each line of this file of questions; - reads stdin."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="With --jsonl: add the answers to this file, and resume it."),
    ] = None,
    *,
    face: Face,
) -> int:
    """Answer a question from the indexed documents, with sources; or, with --jsonl, many.

    Exit code 4 means that the documents hold no answer that passes the thresholds.
    """
    if (output and not jsonl) or (jsonl and question):
        raise WrongUsage("--jsonl takes its questions from a file, and --output belongs to it", "mixrag ask --help")
    text = "" if jsonl else read_question(question or (), "question")
    settings = face.settings(
        rerank=rerank,
        expansion=expand and expand.value,
        generator=generator,
        strategy=strategy and strategy.value,
    )
    from mixrag_cli.commands.sessions import open_session_for
    from mixrag_cli.commands.sources import freshness_note, locate_files

    session = open_session_for(file, settings)
    if generator:
        session.generator  # noqa: B018  one that was asked for here and cannot be had is an error, not a note
    scope = make_scope(path, modality, kind)
    if jsonl:
        from mixrag_cli.commands.batch import ask_batch

        return ask_batch(jsonl, output, session, scope, face)
    answer = session.ask(text, scope)
    if changed := freshness_note(session.document_rows, session.reader.store):
        answer = replace(answer, warnings=(*answer.warnings, changed))
    if face.json:
        from mixrag_cli.output.payloads import answer_to_json
        from mixrag_cli.output.streams import write_json

        write_json(answer_to_json(answer))
    else:
        from mixrag_cli.output.console import make_console
        from mixrag_cli.output.terminal import print_answer

        locate = locate_files(lambda: session.document_rows, session.reader.store)
        print_answer(make_console(color=face.color.value), answer, locate, explain=explain)
    return ExitCode.DONE if answer.status == "answered" else ExitCode.NO_ANSWER
