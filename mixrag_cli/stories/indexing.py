"""build_index(): from folders on disk to a committed store.

1. walk the roots; compare with what the store remembers
2. nothing to do: report, without loading a model or opening the store for writing
3. worker processes turn files into chunks and tables; here they are embedded and written in batches
4. one commit record a batch; an interruption keeps all batches committed before it
   (--rebuild: into tables of their own, which take the place of the old ones at the end)
5. where enough is new: what the sources' scores are worth in this collection
6. with a generator and by wish: a summary for each table, in commits of their own
7. where groups of passages are searched: a summary for each
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from mixrag_cli.errors import NoIndex, StoreMismatch, WrongUsage
from mixrag_cli.generator import Generator
from mixrag_cli.models import load_embedder, require_generator
from mixrag_cli.records.files import DocumentRow, Skipped
from mixrag_cli.settings import Settings
from mixrag_cli.store import (
    ensure_unlocked,
    read_record,
    rebuild_hint,
)
from mixrag_cli.stories.batching import Tally
from mixrag_cli.stories.calibrating import is_left
from mixrag_cli.stories.comparing import Scan, known_rows, scan_roots
from mixrag_cli.stories.events import IndexEvents
from mixrag_cli.stories.extras import FORMS
from mixrag_cli.stories.filling import fill
from mixrag_cli.stories.grouping import GroupReport, summarise_groups, wants_groups
from mixrag_cli.stories.roots import IndexPlan, plan_index
from mixrag_cli.stories.selections import are_kept, selections_for
from mixrag_cli.stories.summarising import SummaryReport, summarise_tables
from mixrag_cli.stories.summary_budget import INTERRUPTED
from mixrag_cli.stories.unread import unread_formats
from mixrag_cli.stories.wishes import IndexWishes
from mixrag_cli.walking import (
    guard_removals,
    is_reread,
)

NO_WISHES = IndexWishes()


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an index run did. skipped: unreadable; left_out: by rule; seconds: wall; summaries, groups: where asked for.

    reread: of files that are as they were, but were read by an older program.
    as_before: a rebuild was interrupted, and the index is the one that was there.
    no_reader: of those left out, how many have a format that nothing here reads, by suffix. touched: display paths of
    the files that were read or removed. elsewhere: indexed folders above which the store does not lie.
    """

    store: Path
    added: int = 0
    changed: int = 0
    reread: int = 0
    unchanged: int = 0
    renamed: int = 0
    removed: int = 0
    stale: int = 0
    skipped: tuple[Skipped, ...] = ()
    left_out: tuple[Skipped, ...] = ()
    no_reader: Mapping[str, int] = field(default_factory=dict)
    chunks: int = 0
    tokens: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    interrupted: bool = False
    as_before: bool = False
    summaries: SummaryReport | None = None
    groups: GroupReport | None = None
    touched: tuple[str, ...] = ()
    elsewhere: tuple[Path, ...] = ()


def build_index(
    roots: Sequence[Path],
    settings: Settings,
    *,
    events: IndexEvents,
    wishes: IndexWishes = NO_WISHES,
    generator: Callable[[], Generator] | None = None,
) -> IndexReport:
    """Bring the store up to date with the folders and say what was done.

    roots: folders, or files to be taken though a rule leaves them out; none: those of the store found from the
    current folder upward, else the current folder.
    generator: loads what writes summaries; None for the one that the settings name.
    Raises StoreLocked, StoreMismatch (made with another model or another representation of tables), StoreDamaged,
    ModelUnusable, MixragError (no such folder; a root that has all but vanished).
    """
    started = time.perf_counter()
    if settings.summaries != "none" and not (generator or settings.generator):
        raise WrongUsage("summaries of tables are written by a generator, and none is set", "mixrag models list")
    plan = plan_index(roots, settings)
    ensure_unlocked(plan.store, wishes.wait_s)
    selections = selections_for(plan, wishes.selection, rebuild=wishes.rebuild)
    if not wishes.rebuild:
        _check_forms(plan.store, settings)
    events.phase("scan", None)
    known = () if wishes.rebuild else known_rows(plan.store, settings)
    scan = scan_roots(plan, settings, wishes.follow, selections, known)
    guard_removals(scan.n_known, scan.n_missing, wishes.prune)
    tally = Tally()
    if (
        wishes.rebuild
        or scan.has_work
        or not are_kept(plan.store, selections)
        or not _is_finished(plan.store, settings)
    ):
        fill(plan, replace(scan, selections=selections), settings, events, tally, wishes)
    summaries, groups = _summarise(plan.store, settings, tally, events, wishes, generator)
    return replace(_report(plan, scan, tally, time.perf_counter() - started), summaries=summaries, groups=groups)


def _summarise(
    store: Path,
    settings: Settings,
    tally: Tally,
    events: IndexEvents,
    wishes: IndexWishes,
    generator: Callable[[], Generator] | None,
) -> tuple[SummaryReport | None, GroupReport | None]:
    """What is written of tables and of groups of passages, each where it is wanted and nothing was interrupted."""
    summaries = groups = None
    load = generator or partial(require_generator, settings)
    embedder = partial(load_embedder, settings)
    if settings.summaries != "none" and not tally.interrupted:
        summaries = summarise_tables(
            store, settings, load_embedder=embedder, load_generator=load, events=events, wait_s=wishes.wait_s
        )
        tally.interrupted = summaries.stopped == INTERRUPTED
    if wishes.groups and wants_groups(settings) and not tally.interrupted:
        groups = summarise_groups(store, settings, load_embedder=embedder, load_generator=load, events=events)
        tally.interrupted = groups.stopped == INTERRUPTED
    return summaries, groups


def _check_forms(store: Path, settings: Settings) -> None:
    """Files that have not changed keep their passages, so one index cannot hold two ways of making them."""
    try:
        record = read_record(store)
    except NoIndex:
        return
    for name, (usual, counted) in FORMS.items():
        asked = getattr(settings, name)
        made = record.extra.get(name, usual)
        if made is not None and made != asked and record.counts.get(counted):
            raise StoreMismatch(f"index was made with {name} {made}, not {asked}", rebuild_hint(store))


def _is_finished(store: Path, settings: Settings) -> bool:
    """Whether the last run came to its end; where not, the indexes want finishing, or the scores calibrating."""
    try:
        record = read_record(store)
    except NoIndex:
        return False
    return record.is_finished and not is_left(record, settings)


# --- the report ---------------------------------------------------------------------------------------------------


def _report(plan: IndexPlan, scan: Scan, tally: Tally, seconds: float) -> IndexReport:
    failed = {row.id for row in tally.skipped}
    read = [change for change, row in scan.to_read if row.id in tally.committed - failed]
    reread = sum(is_reread(change) for change in read)
    changed = sum(change.previous is not None for change in read) - reread
    renamed = sum(change.renamed_from is not None for change in read)
    rows = (*scan.unchanged, *scan.noted, *tally.skipped)
    left_out = tuple(_skipped(row) for row in rows if row.status == "left_out")
    return IndexReport(
        store=plan.store,
        added=len(read) - changed - reread - renamed,
        changed=changed,
        reread=reread,
        unchanged=sum(row.status in ("indexed", "empty") for row in rows),
        renamed=renamed,
        removed=max(0, len(scan.removed) - renamed),
        stale=sum(row.stale for row in rows),
        skipped=tuple(_skipped(row) for row in rows if row.status == "skipped" or row.stale),
        left_out=left_out,
        no_reader=unread_formats(left_out),
        chunks=tally.chunks,
        tokens=tally.tokens,
        seconds=round(seconds, 2),
        warnings=tuple(tally.warnings),
        interrupted=tally.interrupted,
        as_before=tally.as_before,
        touched=_touched(scan, tally),
        elsewhere=plan.elsewhere,
    )


def _touched(scan: Scan, tally: Tally) -> tuple[str, ...]:
    read = [row.path for _, row in scan.to_read if row.id in tally.committed]
    return tuple(dict.fromkeys((*read, *(row.path for row in scan.removed))))


def _skipped(row: DocumentRow) -> Skipped:
    return Skipped(row.path, row.code, row.reason, by_rule=row.status == "left_out")
