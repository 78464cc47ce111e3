"""The session that a question is put to: the index found from here upward, or files read on the spot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mixrag_cli.commands.options import Face, Search
from mixrag_cli.commands.sources import locate_files
from mixrag_cli.errors import WrongUsage
from mixrag_cli.pipeline.session import Session, open_session
from mixrag_cli.records import Table
from mixrag_cli.settings import Settings

if TYPE_CHECKING:
    from mixrag_cli.output.lines import Locate
    from mixrag_cli.output.passages import Behind

Lend = Callable[[Settings], Session]
_lend: Lend | None = None  # set while a warm server runs a command


class NotWarm(SystemExit):
    """The command wants another session than the one that is kept warm; it is to be run by its caller."""


@contextmanager
def lend_session(lend: Lend) -> Iterator[None]:
    """Let commands use the session that lend gives for their settings, instead of opening one."""
    global _lend
    _lend = lend
    try:
        yield
    finally:
        _lend = None


def open_session_for(search: Search, settings: Settings, face: Face, *, needs_generator: bool = False) -> Session:
    """The files read now where some are named, else the index, brought up to date first where that is wished.

    needs_generator: raise ModelUnusable at once where it cannot be had; else an answer notes it.
    Raises WrongUsage for both wishes at once, and what opening either raises.
    """
    if search.sync:
        if search.file:
            raise WrongUsage("--sync is for an index, and --file reads files without one", "one of the two")
        from mixrag_cli.commands.refreshing import sync

        sync(settings, face)
    session = _open(search.file, settings)
    if needs_generator:
        session.generator  # noqa: B018
    return session


def locate_files_of(session: Session) -> Locate:
    """A function from display paths to the session's files."""
    return locate_files(lambda: session.document_rows, session.reader.store)


def behind_of(session: Session) -> Behind:
    """The session's files and tables, for what is shown of a citation; a table is fetched when it is first wanted."""
    from mixrag_cli.output.passages import Behind

    @cache
    def table(table_id: str) -> Table | None:
        return session.reader.tables([table_id]).get(table_id)

    return Behind(locate_files_of(session), table)


def _open(files: Sequence[Path] | None, settings: Settings) -> Session:
    if _lend is not None:
        if files:
            raise NotWarm
        return _lend(settings)
    if not files:
        return open_session(Path.cwd(), settings)
    from mixrag_cli.pipeline.unindexed import open_files

    return open_files(files, settings)
