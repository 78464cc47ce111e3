"""mixrag search: ranked passages, no answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from mixrag_cli.commands.options import (
    ExpandOption,
    Face,
    GeneratorOption,
    Search,
    command,
    read_question,
)
from mixrag_cli.errors import MixragError, WrongUsage
from mixrag_cli.output.streams import write_json

if TYPE_CHECKING:
    from mixrag_cli.stories.session import SearchResult, Session
    from mixrag_cli.stories.several import Several

MOST_CONTEXT = 50  # passages on each side: more is the file itself, which show prints


@dataclass(frozen=True, slots=True)
class View:
    """What is wanted of the passages that are found."""

    files: Annotated[bool, typer.Option("--files", "-l", help="Only the paths of the files, one a line.")] = False
    context: Annotated[
        int,
        typer.Option(
            "--context", "-C", metavar="N", min=0, max=MOST_CONTEXT, help="So many passages before and after each."
        ),
    ] = 0
    open: Annotated[bool, typer.Option("--open", help="Open the best place in $VISUAL or $EDITOR, at its line.")] = (
        False
    )


@command
def search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="What to look for; - reads it from stdin.")],
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1000, help="How many passages, or files, at most.")
    ] = 10,
    *,
    view: View,
    within: Search,
    expand: ExpandOption = None,
    generator: GeneratorOption = None,
    face: Face,
) -> None:
    """List the passages that match best, by words and by meaning, file by file.

    A query that is exactly the name of a file finds that file first.
    """
    if view.open and (view.files or face.json):
        raise WrongUsage("--open shows the best place itself, and nothing is printed", "mixrag search --help")
    text = read_question(query, "query")
    settings = face.settings(may_be_several=True, rerank=within.rerank, expansion=expand, generator=generator)
    from mixrag_cli.commands.sessions import changed_since, open_all_for

    session = open_all_for(within, settings, face)
    result = session.search(text, within.scope, limit, one_a_file=view.files)
    if view.context and not view.files:
        result = replace(result, around=session.around(result.hits, view.context))
    if changed := changed_since(session):
        face.note(changed)
        result = replace(result, warnings=(*result.warnings, *([changed] if face.json else [])))
    (_open_best if view.open else _tell)(result, session, view, face)


def _tell(result: SearchResult, session: Session | Several, view: View, face: Face) -> None:
    if face.json:
        from mixrag_cli.output.search_payload import search_to_json

        write_json(search_to_json(result, only_files=view.files))
    elif view.files:
        from mixrag_cli.output.terminal import print_lines

        print_lines(face.console(), result.files)
    else:
        from mixrag_cli.commands.sessions import locate_files_of
        from mixrag_cli.output.search_view import print_search

        print_search(face.console(), result, locate_files_of(session))


def _open_best(result: SearchResult, session: Session | Several, _: View, face: Face) -> None:
    from mixrag_cli.commands.opening import open_place
    from mixrag_cli.commands.sessions import locate_files_of
    from mixrag_cli.output.places import reference

    if not result.hits:
        raise MixragError("no passage was found to open")
    best = result.hits[0]
    face.note(f"opening {reference(best.path, best.chunk.locator)}")
    open_place(best, locate_files_of(session)(best.path))
