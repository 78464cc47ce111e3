"""build_index(): from folders on disk to a committed store.

1. walk the roots; compare with what the store remembers
2. nothing to do: report, without loading a model or opening the store for writing
3. worker processes turn files into chunks and tables; here they are embedded and written in batches
4. one commit record a batch; an interruption keeps all batches committed before it
5. where enough is new: what the sources' scores are worth in this collection
6. with a generator and by wish: a summary for each table, in commits of their own
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mixrag_cli import __version__
from mixrag_cli.cleaning import display_path
from mixrag_cli.errors import NoIndex, StoreDamaged, StoreMismatch, WrongUsage
from mixrag_cli.extraction import ExtractionJob, ReaderPool
from mixrag_cli.generator import Generator
from mixrag_cli.models import late_dim_of, load_embedder, load_generator
from mixrag_cli.pipeline.batching import Batch, IndexEvents, Tally
from mixrag_cli.pipeline.calibrating import JudgedFits, calibrate_when_due, is_left, keep_judged_fits, read_judged_fits
from mixrag_cli.pipeline.embedding import EMBEDDING_CACHE
from mixrag_cli.pipeline.extras import TABLE_FORM
from mixrag_cli.pipeline.roots import IndexPlan, RootPlan, plan_index
from mixrag_cli.pipeline.selections import Selections, are_kept, keep_selections, selections_for
from mixrag_cli.pipeline.summarising import INTERRUPTED, SummaryReport, summarise_tables
from mixrag_cli.pipeline.unread import reads_images, unread_formats
from mixrag_cli.records import DocumentRow, Skipped, SourceFile
from mixrag_cli.settings import Settings
from mixrag_cli.store import (
    EmbeddingCache,
    StoreWriter,
    ensure_unlocked,
    open_reader,
    open_writer,
    read_record,
    rebuild_hint,
    set_store_aside,
)
from mixrag_cli.walking import (
    IMAGE,
    Change,
    Selection,
    WalkLimits,
    detect_changes,
    document_id,
    guard_removals,
    hash_file,
    walk_root,
)


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an index run did. skipped: unreadable; left_out: by rule; seconds: wall; summaries: where asked for.

    no_reader: of those left out, how many have a format that nothing here reads, by suffix. touched: display paths of
    the files that were read or removed. elsewhere: indexed folders above which the store does not lie.
    """

    store: Path
    added: int = 0
    changed: int = 0
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
    summaries: SummaryReport | None = None
    touched: tuple[str, ...] = ()
    elsewhere: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class _Scan:
    """What all walks found beside what the store remembers. to_read pairs each change with its row to be."""

    to_read: tuple[tuple[Change, DocumentRow], ...] = ()
    removed: tuple[DocumentRow, ...] = ()
    noted: tuple[DocumentRow, ...] = ()
    unchanged: tuple[DocumentRow, ...] = ()
    n_known: int = 0
    n_missing: int = 0
    selections: Selections = field(default_factory=dict)  # that were walked by, to be kept

    @property
    def has_work(self) -> bool:
        """Whether the store has to be opened for writing."""
        return bool(self.to_read or self.removed or self.noted)

    def __add__(self, other: _Scan) -> _Scan:
        return _Scan(
            self.to_read + other.to_read,
            self.removed + other.removed,
            self.noted + other.noted,
            self.unchanged + other.unchanged,
            self.n_known + other.n_known,
            self.n_missing + other.n_missing,
        )


def build_index(
    roots: Sequence[Path],
    settings: Settings,
    *,
    events: IndexEvents,
    rebuild: bool = False,
    prune: bool = False,
    follow: bool = False,
    wait_s: float = 0,
    selection: Selection | None = None,
    generator: Callable[[], Generator | None] | None = None,
) -> IndexReport:
    """Bring the store up to date with the folders and say what was done.

    roots: folders, or files to be taken though a rule leaves them out; none: those of the store found from the
    current folder upward, else the current folder. prune: allow the removal of many vanished files at once.
    selection: globs for these roots, kept from now on; None for those kept.
    generator: loads what writes summaries; None for the one that the settings name.
    Raises StoreLocked, StoreMismatch (made with another model or another representation of tables), StoreDamaged,
    ModelUnusable, MixragError (no such folder; a root that has all but vanished).
    """
    started = time.perf_counter()
    if settings.summaries != "none" and not (generator or settings.generator):
        raise WrongUsage("summaries of tables are written by a generator, and none is set", "mixrag models list")
    plan = plan_index(roots, settings)
    ensure_unlocked(plan.store, wait_s)
    judged = read_judged_fits(plan.store) if rebuild else None
    selections = selections_for(plan, selection, rebuild=rebuild)
    if rebuild:
        set_store_aside(plan.store, wait_s)
    _check_table_form(plan.store, settings)
    events.phase("scan", None)
    try:
        scan = _scan(plan, settings, follow, selections)
    except StoreDamaged:
        ensure_unlocked(plan.store)  # another run, come between, is taking the tables away to make them anew
        raise
    guard_removals(scan.n_known, scan.n_missing, prune)
    tally = Tally()
    if scan.has_work or not are_kept(plan.store, selections) or not _is_finished(plan.store, settings):
        _write(plan, replace(scan, selections=selections), settings, events, tally, wait_s, judged)
    summaries = None
    if settings.summaries != "none" and not tally.interrupted:
        summaries = summarise_tables(
            plan.store,
            settings,
            load_embedder=lambda: load_embedder(settings),
            load_generator=generator or (lambda: load_generator(settings)),
            events=events,
            wait_s=wait_s,
        )
        tally.interrupted = summaries.stopped == INTERRUPTED
    return replace(_report(plan, scan, tally, time.perf_counter() - started), summaries=summaries)


def _check_table_form(store: Path, settings: Settings) -> None:
    """Files that have not changed keep their tables' texts, so one index cannot hold two representations."""
    try:
        record = read_record(store)
    except NoIndex:
        return
    made, asked = record.extra.get(TABLE_FORM), settings.table_representation
    if made not in (None, asked) and record.counts.get("tables"):
        raise StoreMismatch(f"index was made with table_representation {made}, not {asked}", rebuild_hint(store))


# --- what has changed ---------------------------------------------------------------------------------------------


def _scan(plan: IndexPlan, settings: Settings, follow: bool, selections: Selections) -> _Scan:
    known = _known_rows(plan.store, settings)
    total = _Scan()
    for root in plan.roots:
        selection = selections.get(os.fsdecode(root.name), Selection())
        limits = WalkLimits(settings.max_file_mb, selection, reads_images=reads_images(settings))
        total = total + _scan_root(root, plan.store, known, limits, follow)
    return total


def _scan_root(root: RootPlan, store: Path, known: Iterable[DocumentRow], limits: WalkLimits, follow: bool) -> _Scan:
    """Compare one root with what is known of it.

    The store names a root by text ("." for the folder it lies in), so that both can move together; the walk names it
    by its real path. Rows are translated at this border, both ways.
    """
    started_ns = time.time_ns()
    real_root = os.path.realpath(os.fsencode(root.folder))
    found: list[SourceFile] = []
    passed_over: list[Skipped] = []
    for step in walk_root(root.folder, limits=limits, follow=follow, store=store, within=root.within):
        found.append(step) if isinstance(step, SourceFile) else passed_over.append(step)
    rows = [replace(row, root=real_root) for row in known if row.root == root.name and root.covers(row.key)]
    changes = detect_changes(found, rows, started_ns, hash_file, passed_over)

    def stored(row: DocumentRow) -> DocumentRow:
        return replace(row, root=root.name, id=document_id(root.name, row.key), path=root.display(row.path))

    gone = [change.renamed_from for change in changes.to_read if change.renamed_from is not None]
    return _Scan(
        to_read=tuple((change, _row_of(change, root, started_ns)) for change in changes.to_read),
        removed=tuple(stored(row) for row in (*changes.removed, *gone)),
        noted=tuple(stored(row) for row in (*changes.noted, *changes.touched, *changes.stale)),
        unchanged=tuple(stored(row) for row in changes.unchanged),
        n_known=changes.n_known,
        n_missing=changes.n_missing,
    )


def _known_rows(store: Path, settings: Settings) -> list[DocumentRow]:
    """The files that the store remembers; what another version of this program could not read is to be tried again,
    and so are scans once there is OCR.
    """
    try:
        with open_reader(store) as reader:
            rows = reader.document_rows()
            same_program = reader.record.program == __version__
    except NoIndex:
        return []
    scans_again = reads_images(settings)
    return [
        replace(row, content_hash="")
        if row.status == "skipped" and (not same_program or (scans_again and row.code == IMAGE.code))
        else row
        for row in rows
    ]


def _is_finished(store: Path, settings: Settings) -> bool:
    """Whether the last run came to its end; where not, the indexes want finishing, or the scores calibrating."""
    try:
        record = read_record(store)
    except NoIndex:
        return False
    return record.is_finished and not is_left(record, settings)


def _row_of(change: Change, root: RootPlan, started_ns: int) -> DocumentRow:
    source = change.source
    return DocumentRow(
        id=document_id(root.name, source.path),
        root=root.name,
        key=source.path,
        path=root.display(display_path(source.path)),
        status="indexed",
        size=source.size,
        mtime_ns=source.mtime_ns,
        device=source.device,
        inode=source.inode,
        seen_ns=started_ns,
        content_hash=change.content_hash,
    )


# --- reading, embedding, writing ----------------------------------------------------------------------------------


def _write(
    plan: IndexPlan,
    scan: _Scan,
    settings: Settings,
    events: IndexEvents,
    tally: Tally,
    wait_s: float,
    judged: JudgedFits | None,
) -> None:
    """Bring the store up to date with the scan: removals, rows, then every file to read, in batches.

    judged: of the store before, which a new one keeps.
    """
    embedder = load_embedder(settings)
    jobs = [ExtractionJob(change.source, row.id, row.path_below) for change, row in scan.to_read]
    rows = {row.id: row for _, row in scan.to_read}
    with (  # the pool before the store: processes must be started before LanceDB is loaded
        ReaderPool(settings, embedder.window) as pool,
        open_writer(
            plan.store,
            roots=plan.folders,
            embedder_name=embedder.name,
            dim=embedder.dim,
            late_dim=late_dim_of(embedder),
            wait_s=wait_s,
        ) as writer,
        EmbeddingCache(plan.store / EMBEDDING_CACHE) as cache,
    ):
        writer.prepare()
        if writer.recovered:
            events.note(writer.recovered)
        if judged and (note := keep_judged_fits(writer, judged)):
            events.note(note)
        _write_rows(writer, scan, settings)
        batch = Batch(writer, embedder, cache, events, tally)
        events.phase("read", len(jobs))
        try:
            for result in pool.extract_all(jobs):
                batch.take(result, rows[result.job.document_id])
            batch.flush()
        except KeyboardInterrupt:
            tally.interrupted = True
            batch.commit()
            return
        if embedder.unusable:
            tally.warnings.append(f"{embedder.unusable} passages gave no vector; only the word search finds them")
        events.phase("finish", None)
        writer.finish()
        try:
            if warning := calibrate_when_due(writer, embedder, settings, events):
                tally.warnings.append(warning)
        except KeyboardInterrupt:
            tally.interrupted = True


def _write_rows(writer: StoreWriter, scan: _Scan, settings: Settings) -> None:
    """All that needs no reading: how tables are told, what is gone, what is only noted."""
    if writer.record.extra.get(TABLE_FORM) != settings.table_representation:
        writer.put_extra({TABLE_FORM: settings.table_representation})
    keep_selections(writer, scan.selections)
    if scan.removed:
        writer.remove([row.id for row in scan.removed])
    if scan.noted:
        writer.put_rows(scan.noted)


# --- the report ---------------------------------------------------------------------------------------------------


def _report(plan: IndexPlan, scan: _Scan, tally: Tally, seconds: float) -> IndexReport:
    failed = {row.id for row in tally.skipped}
    read = [change for change, row in scan.to_read if row.id in tally.committed - failed]
    changed = sum(change.previous is not None for change in read)
    renamed = sum(change.renamed_from is not None for change in read)
    rows = (*scan.unchanged, *scan.noted, *tally.skipped)
    left_out = tuple(_skipped(row) for row in rows if row.status == "left_out")
    return IndexReport(
        store=plan.store,
        added=len(read) - changed - renamed,
        changed=changed,
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
        touched=_touched(scan, tally),
        elsewhere=plan.elsewhere,
    )


def _touched(scan: _Scan, tally: Tally) -> tuple[str, ...]:
    read = [row.path for _, row in scan.to_read if row.id in tally.committed]
    return tuple(dict.fromkeys((*read, *(row.path for row in scan.removed))))


def _skipped(row: DocumentRow) -> Skipped:
    return Skipped(row.path, row.code, row.reason, by_rule=row.status == "left_out")
