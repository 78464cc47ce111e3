"""The writing half of an index run: files are read, embedded and committed in batches, then the store is finished."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from mixrag_cli.errors import MixragError, NoIndex, StoreDamaged, StoreMismatch
from mixrag_cli.extraction import ExtractionJob, ReaderPool, open_readers
from mixrag_cli.models import Embedder, late_dim_of, load_embedder, load_language, passage_window
from mixrag_cli.settings import NO_PIPELINE, Settings
from mixrag_cli.store import (
    EmbeddingCache,
    Registry,
    StoreReader,
    StoreWriter,
    cache_of,
    open_reader,
    open_writer,
    read_record,
    read_registry,
)
from mixrag_cli.stories.batching import Batch, Tally
from mixrag_cli.stories.calibrating import calibrate_when_due, keep_judged_fits, read_judged_fits
from mixrag_cli.stories.comparing import Scan
from mixrag_cli.stories.embedding import KnownEmbeddings, remember
from mixrag_cli.stories.events import IndexEvents
from mixrag_cli.stories.extras import FORMS
from mixrag_cli.stories.roots import IndexPlan
from mixrag_cli.stories.selections import keep_selections
from mixrag_cli.stories.wishes import IndexWishes
from mixrag_cli.stories.work import Work

REMEMBERED_FILES = 64  # whose embeddings are held at once when they leave the index


def fill(
    plan: IndexPlan,
    scan: Scan,
    settings: Settings,
    events: IndexEvents,
    tally: Tally,
    wishes: IndexWishes,
) -> None:
    """Bring the store up to date with the scan: removals, rows, then every file to read, in batches.

    Raises as build_index does.
    """
    embedder = load_embedder(settings, for_many=True)
    if settings.nlp != NO_PIPELINE:
        load_language(settings)  # what it lacks is told once, and not of each file
    replaced = _replaced(plan.store, embedder) if wishes.rebuild else []
    judged = read_judged_fits(plan.store) if wishes.rebuild else None
    if wishes.cluster:
        events.phase("join", None)
    with (  # the pool before the store: processes must be started before LanceDB is loaded
        open_readers(settings, passage_window(settings, embedder), wishes.cluster, events.note) as pool,
        open_writer(
            plan.store,
            roots=plan.folders,
            embedder_name=embedder.name,
            dim=embedder.dim,
            late_dim=late_dim_of(embedder),
            wait_s=wishes.wait_s,
            rebuild=wishes.rebuild,
        ) as writer,
        cache_of(plan.store) as cache,
        _other_indexes(plan.store, embedder, wishes.like) as others,
    ):
        known = KnownEmbeddings(cache, _stores(writer, replaced), others, keeps=wishes.rebuild)
        writer.prepare()
        if writer.recovered:
            events.note(writer.recovered)
        if judged and (note := keep_judged_fits(writer, judged)):
            events.note(note)
        _write_rows(writer, scan, settings, cache)
        work = Work(events, {row.path: change.source.size for change, row in scan.to_read})
        with Batch(writer, embedder, known, events, work, tally) as batch:
            is_whole = _read_all(pool, batch, scan, work)
        if not is_whole:
            tally.interrupted, tally.as_before = True, writer.replaces
            return
        _finish(writer, embedder, settings, events, tally)
        if wishes.rebuild:
            cache.clear()


def _finish(writer: StoreWriter, embedder: Embedder, settings: Settings, events: IndexEvents, tally: Tally) -> None:
    """Leave the store fast to ask, and its scores calibrated where they are due."""
    if embedder.unusable:
        tally.warnings.append(f"{embedder.unusable} passages gave no vector; only the word search finds them")
    events.phase("finish", None)
    writer.finish()
    try:
        if warning := calibrate_when_due(writer, embedder, settings, events):
            tally.warnings.append(warning)
    except KeyboardInterrupt:
        tally.interrupted = True


def _read_all(pool: ReaderPool, batch: Batch, scan: Scan, work: Work) -> bool:
    """Read, embed and commit every file of the scan; False where it was interrupted, after a last commit."""
    jobs = [ExtractionJob(change.source, row.id, row.path_below) for change, row in scan.to_read]
    rows = {row.id: row for _, row in scan.to_read}

    def beat(job: ExtractionJob, done: int, total: int) -> None:
        work.beat(rows[job.document_id], done, total)

    try:
        for result in pool.extract_all(jobs, beat, batch.wait):
            batch.take(result, rows[result.job.document_id])
        batch.flush()
        batch.settle()
    except KeyboardInterrupt:
        batch.commit()
        batch.settle()
        return False
    return True


def _replaced(store: Path, embedder: Embedder) -> list[StoreReader]:
    """The index that a rebuild replaces, where it was made by the same model; its vectors need not be made again."""
    try:
        record = read_record(store)
    except (NoIndex, StoreDamaged, StoreMismatch):
        return []
    return [StoreReader(store, record, None)] if record.embedder == embedder.name else []


@contextmanager
def _other_indexes(store: Path, embedder: Embedder, like: Sequence[Path]) -> Iterator[list[StoreReader]]:
    """Other indexes that the same model made, the user's and those named: a passage of theirs is not embedded again."""
    try:
        registry = read_registry()
    except MixragError:
        registry = Registry()
    own = os.path.realpath(store)
    with ExitStack() as opened:
        readers = []
        for place in dict.fromkeys((*map(str, like), *registry.collections.values(), *registry.roots.values())):
            with suppress(MixragError):
                record = read_record(Path(place))
                is_other = os.path.realpath(place) != own and record.was_made_at(Path(place))
                if is_other and record.embedder == embedder.name:
                    readers.append(opened.enter_context(open_reader(Path(place))))
        yield readers


def _stores(writer: StoreWriter, replaced: Sequence[StoreReader]) -> Callable[[], Sequence[StoreReader]]:
    """Where embeddings may stand: what was committed last, opened anew after each commit, and what it replaces."""
    opened: dict[int, StoreReader] = {}

    def stores() -> Sequence[StoreReader]:
        if writer.record.number not in opened:
            opened.clear()
            opened[writer.record.number] = writer.read()
        return [*opened.values(), *replaced]

    return stores


def _write_rows(writer: StoreWriter, scan: Scan, settings: Settings, cache: EmbeddingCache) -> None:
    """All that needs no reading: how tables are told, what is gone, what is only noted."""
    forms = {name: getattr(settings, name) for name in FORMS}
    if any(writer.record.extra.get(name) != form for name, form in forms.items()):
        writer.put_extra(forms)
    keep_selections(writer, scan.selections)
    if scan.removed:
        gone = [row.id for row in scan.removed]
        for part in range(0, len(gone), REMEMBERED_FILES):
            remember(writer.read().embeddings_of(gone[part : part + REMEMBERED_FILES]), cache, writer.record.embedder)
        writer.remove(gone)
    if scan.noted:
        writer.put_rows(scan.noted)
