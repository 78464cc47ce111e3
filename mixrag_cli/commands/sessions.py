"""The session that a question is put to: the index found from here upward, named ones, or files read on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mixrag_cli.commands.lending import NotWarm, lender
from mixrag_cli.commands.named import stores_named
from mixrag_cli.commands.options import Face, Search
from mixrag_cli.commands.sources import locate_files
from mixrag_cli.errors import WrongUsage
from mixrag_cli.records import Table
from mixrag_cli.settings import Settings
from mixrag_cli.stories.session import Session, open_session, open_several
from mixrag_cli.stories.several import Several

if TYPE_CHECKING:
    from mixrag_cli.output.lines import Locate
    from mixrag_cli.output.passages import Behind


def open_session_for(search: Search, settings: Settings, face: Face, *, needs_generator: bool = False) -> Session:
    """The files read now where some are named, else the index, brought up to date first where that is wished.

    needs_generator: raise ModelUnusable at once where it cannot be had; else an answer notes it.
    Raises WrongUsage for wishes that exclude each other, and what opening either raises.
    """
    _check_files_alone(search, face)
    if search.sync:
        from mixrag_cli.commands.refreshing import sync

        sync(settings, face)
    session = _open(search.file, settings)
    if needs_generator:
        session.generator  # noqa: B018
    return session


def open_all_for(search: Search, settings: Settings, face: Face, *, needs_generator: bool = False) -> Session | Several:
    """As open_session_for; of several collections, all of them."""
    if len(face.names) < 2:
        return open_session_for(search, settings, face, needs_generator=needs_generator)
    _check_files_alone(search, face)
    if lender() is not None:
        raise NotWarm
    stores = stores_named(face.names)
    if search.sync:
        from mixrag_cli.commands.refreshing import sync

        for store in stores.values():
            sync(replace(settings, store=store), face)
    sessions = open_several(stores, settings)
    if needs_generator:
        sessions[0].generator  # noqa: B018
    return Several(sessions)


def changed_since(session: Session | Several) -> str:
    """One line on how many indexed files have changed since, "" where none has or looking takes too long."""
    from mixrag_cli.stories.freshness import freshness_note

    notes = [(each.name, freshness_note(each.document_rows, each.reader.store)) for each in _members_of(session)]
    return "; ".join(f"{name}: {note}" if name else note for name, note in notes if note)


def locate_files_of(session: Session | Several) -> Locate:
    """A function from display paths to the session's files."""
    members = _members_of(session)
    places = [locate_files(lambda each=each: each.document_rows, each.reader.store) for each in members]  # type: ignore[misc]

    def locate(path: str) -> Path | None:
        return next((found for place in places if (found := place(path))), None)

    return locate


def behind_of(session: Session | Several) -> Behind:
    """The session's files and tables, for what is shown of a citation; a table is fetched when it is first wanted."""
    from mixrag_cli.output.passages import Behind

    @cache
    def table(table_id: str) -> Table | None:
        found = (each.reader.tables([table_id]).get(table_id) for each in _members_of(session))
        return next(filter(None, found), None)

    return Behind(locate_files_of(session), table)


def _members_of(session: Session | Several) -> tuple[Session, ...]:
    return session.members if isinstance(session, Several) else (session,)


def _check_files_alone(search: Search, face: Face) -> None:
    if search.file and (search.sync or face.names):
        other = "--sync" if search.sync else "--collection"
        raise WrongUsage(f"{other} is for an index, and --file reads files without one", "one of the two")


def _open(files: Sequence[Path] | None, settings: Settings) -> Session:
    if (lend := lender()) is not None:
        if files:
            raise NotWarm
        return lend(settings)
    if not files:
        return open_session(Path.cwd(), settings)
    from mixrag_cli.stories.unindexed import open_files

    return open_files(files, settings)
