"""The session that a question is put to: the index found from here upward, named ones, or files read on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mixrag_cli.actions.lending import NotWarm, lender
from mixrag_cli.actions.named import collections_of
from mixrag_cli.actions.sources import locate_files
from mixrag_cli.commands.options import Face, Search
from mixrag_cli.errors import WrongUsage
from mixrag_cli.settings import Settings
from mixrag_cli.stories.freshness import freshness_note, origin_note
from mixrag_cli.stories.session import Session, open_session, open_several
from mixrag_cli.stories.several import Several

if TYPE_CHECKING:
    from mixrag_cli.output.lines import Locate


def open_session_for(
    search: Search, settings: Settings, face: Face, *, asks: bool = False, needs_generator: bool = False
) -> Session:
    """The files read now where some are named, else the index, brought up to date first where that is wished.

    asks: whether a question is to be answered; what reads passages for it is then loaded meanwhile.
    needs_generator: raise ModelUnusable at once where it cannot be had; else an answer notes it.
    Raises WrongUsage for wishes that exclude each other, and what opening either raises.
    """
    _check_files_alone(search, face)
    if search.sync:
        _sync(settings, face)
    session = _open(search.file, settings, asks=asks)
    if needs_generator:
        session.load_generator()
    return session


def open_all_for(
    search: Search, settings: Settings, face: Face, *, asks: bool = False, needs_generator: bool = False
) -> Session | Several:
    """As open_session_for; of several collections, all of them."""
    stores = collections_of(face)
    if not stores:
        return open_session_for(search, settings, face, asks=asks, needs_generator=needs_generator)
    _check_files_alone(search, face)
    if (lend := lender()) is not None:
        return lend(settings, stores)
    if search.sync:
        for store in stores.values():
            _sync(replace(settings, store=store), face)
    sessions = open_several(stores, settings, asks=asks)
    if needs_generator:
        sessions[0].load_generator()
    return Several(sessions)


def notes_on(session: Session | Several) -> tuple[str, ...]:
    """What is to be known of an index beside its answers: that it was not made here, is not whole, is not fresh."""
    return tuple(
        f"{each.name}: {note}" if each.name else note
        for each in members_of(session)
        for note in (
            "" if each.name else origin_note(each.reader, each.settings),
            freshness_note(each.reader, each.settings),
        )
        if note
    )


def locate_files_of(session: Session | Several) -> Locate:
    """A function from display paths to the session's files."""
    members = members_of(session)
    places = [locate_files(each.reader.documents_saying, each.reader.store) for each in members]

    def locate(path: str) -> Path | None:
        return next((found for place in places if (found := place(path))), None)

    return locate


def members_of(session: Session | Several) -> tuple[Session, ...]:
    """The sessions of a question: one, or that of each collection."""
    return session.members if isinstance(session, Several) else (session,)


def _check_files_alone(search: Search, face: Face) -> None:
    if search.file and (search.sync or face.names):
        other = "--sync" if search.sync else "--collection"
        raise WrongUsage(f"{other} is for an index, and --file reads files without one", "one of the two")


def _sync(settings: Settings, face: Face) -> None:
    from mixrag_cli.actions.refreshing import sync  # indexing is a third of what a search without it takes to start

    sync(settings, face)


def _open(files: Sequence[Path] | None, settings: Settings, *, asks: bool) -> Session:
    if (lend := lender()) is not None:
        if files:
            raise NotWarm
        lent = lend(settings, {})
        assert isinstance(lent, Session)  # no collections are named
        return lent
    if not files:
        return open_session(Path.cwd(), settings, asks=asks)

    from mixrag_cli.stories.unindexed import open_files

    return open_files(files, settings)
