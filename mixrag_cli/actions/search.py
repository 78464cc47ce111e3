"""mixrag search: ranked passages, no answer."""

from __future__ import annotations

from dataclasses import replace

from mixrag_cli.actions.caller import read_question, scope_of, settings_of
from mixrag_cli.actions.opening import open_place
from mixrag_cli.actions.sessions import locate_files_of, notes_on, open_all_for
from mixrag_cli.commands.options import ExpansionName, Face, Search
from mixrag_cli.commands.search import View
from mixrag_cli.errors import MixragError, WrongUsage
from mixrag_cli.output.places import reference
from mixrag_cli.output.search_payload import search_to_json
from mixrag_cli.output.streams import write_json
from mixrag_cli.stories.session import SearchResult, Session
from mixrag_cli.stories.several import Several


def search(
    query: list[str],
    limit: int,
    view: View,
    within: Search,
    expand: ExpansionName | None,
    generator: str | None,
    face: Face,
) -> None:
    """List the passages that match best, by words and by meaning, file by file."""
    if view.open and (view.files or face.json):
        raise WrongUsage("--open shows the best place itself, and nothing is printed", "mixrag search --help")
    text = read_question(query, "query")
    settings = settings_of(face, may_be_several=True, rerank=within.rerank, expansion=expand, generator=generator)

    session = open_all_for(within, settings, face)
    result = session.search(text, scope_of(within), limit, one_a_file=view.files)
    if view.context and not view.files:
        result = replace(result, around=session.around(result.hits, view.context))
    notes = notes_on(session)
    for note in notes:
        face.note(note)
    result = replace(result, warnings=(*result.warnings, *(notes if face.json else ())))
    (_open_best if view.open else _tell)(result, session, view, face)


def _tell(result: SearchResult, session: Session | Several, view: View, face: Face) -> None:
    if face.json:
        write_json(search_to_json(result, only_files=view.files))
        return
    from mixrag_cli.actions.screen import console_of  # with --json nothing of this is loaded
    from mixrag_cli.output.search_view import print_search
    from mixrag_cli.output.terminal import print_lines

    if view.files:
        print_lines(console_of(face), result.files)
    else:
        print_search(console_of(face), result, locate_files_of(session))


def _open_best(result: SearchResult, session: Session | Several, _: View, face: Face) -> None:
    if not result.hits:
        raise MixragError("no passage was found to open")
    best = result.hits[0]
    face.note(f"opening {reference(best.path, best.chunk.locator)}")
    open_place(best, locate_files_of(session)(best.path))
