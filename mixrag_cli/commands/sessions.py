"""The session that a question is put to: the index found from here upward, or files read on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mixrag_cli.commands.sources import locate_files
from mixrag_cli.pipeline.session import Session, open_session
from mixrag_cli.records import Table
from mixrag_cli.settings import Settings

if TYPE_CHECKING:
    from mixrag_cli.output.lines import Locate
    from mixrag_cli.output.passages import Behind


def open_session_for(files: Sequence[Path] | None, settings: Settings, *, needs_generator: bool = False) -> Session:
    """The files read now where some are named, else the index. Raises what opening either raises.

    needs_generator: raise ModelUnusable at once where it cannot be had; else an answer notes it.
    """
    session = _open(files, settings)
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
    if not files:
        return open_session(Path.cwd(), settings)
    from mixrag_cli.pipeline.unindexed import open_files

    return open_files(files, settings)
