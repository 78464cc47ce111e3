"""An index brought up to date besides another wish: before a question (--sync), or for as long as it runs (--watch)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mixrag_cli.actions.caller import tell
from mixrag_cli.actions.run_view import view_of
from mixrag_cli.actions.signals import interruption_code
from mixrag_cli.commands.options import Face
from mixrag_cli.errors import Interrupted, MixragError
from mixrag_cli.output.payloads import index_to_json
from mixrag_cli.output.progress import duration_text
from mixrag_cli.output.streams import write_json
from mixrag_cli.records.files import Skipped
from mixrag_cli.settings import Settings
from mixrag_cli.store import find_store
from mixrag_cli.stories.indexing import IndexReport, build_index
from mixrag_cli.stories.wishes import IndexWishes

WAIT_S = 60.0  # for another run to end that is indexing already: its result is wanted too
MAX_NAMED = 3  # files named in the line of a refresh


def sync(settings: Settings, face: Face) -> None:
    """Bring the files that have changed into the index found from here; a note says what that was.

    Tables and groups get no summaries: the next `mixrag index` makes them. Raises NoIndex, StoreLocked, Interrupted.
    """

    here = replace(settings, store=find_store(Path.cwd(), settings.store), summaries="none")
    with view_of(face) as view:
        report = build_index((), here, events=view, wishes=IndexWishes(wait_s=WAIT_S, groups=False))
    if report.interrupted:
        raise Interrupted(interruption_code())
    _tell_unreadable(report, face)
    if report.touched:
        face.note(f"index brought up to date: {refresh_line(report)}")


def keep_fresh(due: Iterator[None], refresh: Callable[[], IndexReport], face: Face) -> int:
    """Refresh each time that it is due, a line each, until a signal comes; the exit code that it means.

    A refresh that fails is told, once while it fails for the same reason, and the next is tried.
    """
    face.note("watching for changes; Ctrl-C stops it")
    failure = ""
    try:
        for _ in due:
            try:
                report = refresh()
            except MixragError as error:
                if error.message != failure:
                    tell(face, error)
                failure = error.message
                continue
            failure = ""
            if report.interrupted:
                break
            _tell_unreadable(report, face)
            if report.touched:
                face.note(f"{time.strftime('%H:%M:%S')}  {refresh_line(report)}")
                _tell_json(report, face)
    except KeyboardInterrupt:
        pass
    face.note("stopped watching")
    return interruption_code()


def refresh_line(report: IndexReport) -> str:
    """What a refresh did, with the first names. Example: "2 changed (a.md, b.md); 14 passages in 0.6 s"."""
    failed = len(_new_failures(report))
    done = {
        "added": report.added,
        "changed": report.changed,
        "read again": report.reread,
        "renamed": report.renamed,
        "removed": report.removed,
        "unreadable": failed,
    }
    counts = ", ".join(f"{count:,} {what}" for what, count in done.items() if count)
    names = ", ".join(report.touched[:MAX_NAMED])
    more = len(report.touched) - MAX_NAMED
    rest = f" and {more:,} more" if more > 0 else ""
    passages = f"{report.chunks:,} {'passage' if report.chunks == 1 else 'passages'}"
    return f"{counts} ({names}{rest}); {passages} in {duration_text(report.seconds)}"


def _new_failures(report: IndexReport) -> Sequence[Skipped]:
    """Of the files that cannot be read those that were tried in this run."""
    return [each for each in report.skipped if each.path in report.touched]


def _tell_unreadable(report: IndexReport, face: Face) -> None:
    for each in _new_failures(report):
        face.note(f"{each.path}: {each.reason}; skipped")


def _tell_json(report: IndexReport, face: Face) -> None:
    if face.json:
        write_json(index_to_json(report))
