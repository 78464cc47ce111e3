"""mixrag search: ranked passages, no answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from mixrag_cli.commands.options import (
    ExpandOption,
    Face,
    GeneratorOption,
    Search,
    command,
    read_question,
)
from mixrag_cli.output.streams import write_json


@command
def search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="What to look for; - reads it from stdin.")],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many passages at most.")] = 10,
    *,
    within: Search,
    expand: ExpandOption = None,
    generator: GeneratorOption = None,
    face: Face,
) -> None:
    """List the passages that match best, by words and by meaning."""
    text = read_question(query, "query")
    settings = face.settings(rerank=within.rerank, expansion=expand, generator=generator)
    from mixrag_cli.commands.sessions import locate_files_of, open_session_for
    from mixrag_cli.pipeline.freshness import freshness_note

    session = open_session_for(within, settings, face)
    result = session.search(text, within.scope, limit)
    if changed := freshness_note(session.document_rows, session.reader.store):
        face.note(changed)
    if face.json:
        result = replace(result, warnings=(*result.warnings, *filter(None, [changed])))
        from mixrag_cli.output.payloads import search_to_json

        write_json(search_to_json(result))
    else:
        from mixrag_cli.output.search_view import print_search

        print_search(face.console(), result, locate_files_of(session))
