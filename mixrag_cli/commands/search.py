"""mixrag search: ranked passages, no answer."""

from __future__ import annotations

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
    command,
    make_scope,
    read_question,
)


@command
def search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="What to look for; - reads it from stdin.")],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many passages at most.")] = 10,
    path: PathFilter = None,
    modality: ModalityFilter = None,
    kind: KindFilter = None,
    file: FileOption = None,
    rerank: RerankOption = None,
    expand: ExpandOption = None,
    generator: GeneratorOption = None,
    *,
    face: Face,
) -> None:
    """List the passages that match best, by words and by meaning."""
    text = read_question(query, "query")
    settings = face.settings(rerank=rerank, expansion=expand and expand.value, generator=generator)
    from mixrag_cli.commands.sessions import open_session_for

    session = open_session_for(file, settings)
    result = session.search(text, make_scope(path, modality, kind), limit)
    if face.json:
        from mixrag_cli.output.payloads import search_to_json
        from mixrag_cli.output.streams import write_json

        write_json(search_to_json(result))
    else:
        from mixrag_cli.commands.sources import locate_files
        from mixrag_cli.output.console import make_console
        from mixrag_cli.output.terminal import print_search

        locate = locate_files(lambda: session.document_rows, session.reader.store)
        print_search(make_console(color=face.color.value), result, locate)
