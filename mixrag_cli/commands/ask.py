"""mixrag ask: one answer with its steps and sources, or an honest refusal."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from mixrag_cli.commands.options import (
    Face,
    FileOption,
    KindFilter,
    ModalityFilter,
    PathFilter,
    RerankOption,
    command,
    make_scope,
    read_question,
)
from mixrag_cli.errors import ExitCode


@command
def ask(
    question: Annotated[list[str], typer.Argument(metavar="QUESTION", help="The question; - reads it from stdin.")],
    path: PathFilter = None,
    modality: ModalityFilter = None,
    kind: KindFilter = None,
    file: FileOption = None,
    rerank: RerankOption = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show all five RECAP steps, not only the result.")] = False,
    *,
    face: Face,
) -> int:
    """Answer a question from the indexed documents, with sources.

    Exit code 4 means that the documents hold no answer that passes the thresholds.
    """
    text = read_question(question, "question")
    settings = face.settings(rerank=rerank)
    from mixrag_cli.commands.sessions import open_session_for
    from mixrag_cli.commands.sources import freshness_note, locate_files

    session = open_session_for(file, settings)
    answer = session.ask(text, make_scope(path, modality, kind))
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
