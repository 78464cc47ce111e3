"""What stands behind an answer's citations: the session's files and tables."""

from __future__ import annotations

from functools import cache

from mixrag_cli.actions.sessions import locate_files_of, members_of
from mixrag_cli.output.passages import Behind
from mixrag_cli.records.tables import Table
from mixrag_cli.stories.session import Session
from mixrag_cli.stories.several import Several


def behind_of(session: Session | Several) -> Behind:
    """The session's files and tables, for what is shown of a citation; a table is fetched when it is first wanted."""

    @cache
    def table(table_id: str) -> Table | None:
        found = (each.reader.tables([table_id]).get(table_id) for each in members_of(session))
        return next(filter(None, found), None)

    return Behind(locate_files_of(session), table)
