"""summarise_tables(): a generator's summary for every table, once all else can be searched.

    tables without one ─► known from before: taken as it is
                       └─ else asked ─► numbers checked ─► asked once more ─► dropped
                                        └─► embedded, added to the index in batches, each a commit

A summary becomes a passage of its own that shows the table's text: only its search words and its vector are the
summary's, so that a model's words lead to a table and are never quoted. What was made, or rejected twice, is
remembered by the table's content and the model; a run that was interrupted or spent its budget is taken up by the next.

Source: FinanceRAG study, section 3: summaries as additional chunks, the tables staying in the text.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue
from typing import cast

from mixrag_cli.errors import ModelUnusable, NoIndex
from mixrag_cli.generator import Generator, Reply, ways_to
from mixrag_cli.models import Embedder, late_dim_of
from mixrag_cli.models.replies import ReplyCache
from mixrag_cli.records.files import DocumentRow
from mixrag_cli.records.passages import Chunk, summary_chunk_id
from mixrag_cli.records.tables import Table
from mixrag_cli.settings import Settings
from mixrag_cli.store import (
    EmbeddingCache,
    StoredDocument,
    StoreReader,
    StoreWriter,
    cache_of,
    open_reader,
    open_writer,
)
from mixrag_cli.stories.embedding import KnownEmbeddings, embed_cached
from mixrag_cli.stories.events import IndexEvents
from mixrag_cli.stories.extras import SUMMARIES
from mixrag_cli.stories.summary_budget import BUDGETS, INTERRUPTED, Budget, BudgetSpentError, reply_within
from mixrag_cli.tables.summaries import (
    LIMITS,
    Form,
    Summary,
    fit_table,
    foreign_numbers,
    read_summary,
    reason_for,
    summary_key,
    summary_request,
)

CACHE = Path("cache", "summaries")  # inside the store's folder; a rebuild keeps it
COMMIT_SUMMARIES = 32
COMMIT_SECONDS = 60.0  # the most that dying loses; what was replied is remembered even then

Place = tuple[DocumentRow, Table, Chunk]


@dataclass(frozen=True, slots=True)
class SummaryReport:
    """What became of the tables that had no summary.

    tables: in the index; made: asked and accepted; remembered: accepted before; rejected: twice, numbers that the table
    does not hold or no readable reply; left: not come to. tokens: of prompts and replies. stopped: "", "tokens",
    "time", "interrupted", or why the model could not be used.
    """

    form: Form
    model: str = ""
    tables: int = 0
    made: int = 0
    remembered: int = 0
    rejected: int = 0
    left: int = 0
    tokens: int = 0
    seconds: float = 0.0
    stopped: str = ""

    @property
    def lacks_model(self) -> bool:
        """Whether it stopped because the model could not be used."""
        return self.stopped not in ("", *BUDGETS, INTERRUPTED)


@dataclass(slots=True)
class _Counts:
    made: int = 0
    remembered: int = 0
    rejected: int = 0

    @property
    def done(self) -> int:
        """Tables that need no further look."""
        return self.made + self.remembered + self.rejected


def summarise_tables(
    store: Path,
    settings: Settings,
    *,
    load_embedder: Callable[[], Embedder],
    load_generator: Callable[[], Generator],
    events: IndexEvents,
    wait_s: float = 0,
) -> SummaryReport:
    """Bring the summaries of the store's tables up to date with settings.summaries, as far as the budget goes.

    Both models are loaded only when there is something to do. Raises what opening and writing a store raises.
    """
    started = time.monotonic()
    form = cast(Form, settings.summaries)
    cache = ReplyCache(store / CACHE)
    try:
        with open_reader(store) as reader:
            model = _known_model(reader, settings)
            waiting, n_tables = _waiting(reader, model, settings)
            if not waiting:
                return SummaryReport(form, model, n_tables)
            is_remembered = _is_remembered(reader, waiting, form, model, cache)
    except NoIndex:
        return SummaryReport(form)
    generators: Sequence[Generator] = ()
    if not is_remembered:
        try:
            generator = load_generator()
        except ModelUnusable as error:
            return SummaryReport(form, tables=n_tables, left=len(waiting), stopped=error.message)
        model, generators = generator.name, ways_to(generator, settings.generator_requests)
    run = _Run(store, settings, form, model, generators, cache, events)
    try:
        n_waiting = run.go(load_embedder(), wait_s)
    finally:
        for each in generators:
            each.close()
    return replace(run.report(n_tables, n_waiting), seconds=round(time.monotonic() - started, 2))


# --- which tables ---------------------------------------------------------------------------------------------------

TableIds = Sequence[tuple[str, str]]  # of tables: (id, document id)


def _maker(settings: Settings, model: str) -> dict[str, str]:
    """What makes the summaries of this run, as the commit record keeps it."""
    named = (settings.summaries, settings.generator, settings.generator_model, model)
    return dict(zip(("form", "generator", "generator_model", "model"), named, strict=True))


def _known_model(reader: StoreReader, settings: Settings) -> str:
    """The name of the model that made the index's summaries; "" where it was asked for by other settings."""
    known = reader.record.extra.get(SUMMARIES)
    model = str(known.get("model", "")) if isinstance(known, Mapping) else ""
    return model if known == _maker(settings, model) else ""


def _waiting(reader: StoreReader, model: str, settings: Settings) -> tuple[TableIds, int]:
    """The tables without a summary by this model, all where the index has another's; and how many tables there are."""
    places = reader.table_places()
    if reader.record.extra.get(SUMMARIES) != _maker(settings, model):
        return places, len(places)
    done = reader.known_chunks([summary_chunk_id(table) for table, _ in places])
    return [place for place in places if summary_chunk_id(place[0]) not in done], len(places)


def _is_remembered(reader: StoreReader, waiting: TableIds, form: Form, model: str, cache: ReplyCache) -> bool:
    """Whether all that the model would be asked is known; of no model nothing is."""
    keys = (summary_key(table, form, model) for _, table, _ in _places(reader, waiting))
    return bool(model) and all(cache.get(key) is not None for key in keys)


def _places(reader: StoreReader, waiting: TableIds) -> Iterator[Place]:
    """Each waiting table with its file and the passage that shows it whole, file by file."""
    wanted = {table for table, _ in waiting}
    documents = {document for _, document in waiting}
    for row in reader.document_rows(["indexed"]):
        if row.id not in documents:
            continue
        whole: dict[str, Chunk] = {}
        for chunk in reader.chunks_of(row.id):
            if chunk.is_whole_table:
                whole.setdefault(chunk.parent, chunk)
        for table in reader.tables_of(row.id):
            if table.id in wanted and table.id in whole:
                yield row, table, whole[table.id]


# --- the run --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Run:
    """One run over the waiting tables. stopped: why it did not end.

    generators: ways to one model that can be asked at once; none where all is remembered.
    """

    store: Path
    settings: Settings
    form: Form
    model: str
    generators: Sequence[Generator]
    cache: ReplyCache
    events: IndexEvents
    counts: _Counts = field(default_factory=_Counts)
    budget: Budget = field(init=False)
    stopped: str = ""
    _idle: SimpleQueue[Generator] = field(default_factory=SimpleQueue)
    _done: list[tuple[Place, Summary]] = field(default_factory=list)
    _committed: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.budget = Budget.of(self.settings)
        for generator in self.generators:
            self._idle.put(generator)

    @property
    def at_once(self) -> int:
        """How many tables are summarised at the same time."""
        return max(1, len(self.generators))

    def go(self, embedder: Embedder, wait_s: float) -> int:
        """Summarise as far as it goes; returns how many tables waited."""
        with (
            open_writer(
                self.store,
                roots=(),
                embedder_name=embedder.name,
                dim=embedder.dim,
                late_dim=late_dim_of(embedder),
                wait_s=wait_s,
            ) as writer,
            cache_of(self.store) as embeddings,
        ):
            waiting = self._prepare(writer)
            self.events.phase("summarise", len(waiting))
            try:
                for place, summary, is_new in self._in_order(_places(writer.read(), waiting)):
                    self._keep(place, summary, is_new=is_new)
                    self.events.advance(self.counts.done, f"{place[0].path} · {self.budget.tokens:,} tokens")
                    if self._is_due():
                        self._commit(writer, embedder, embeddings)
            except KeyboardInterrupt:
                self.stopped = INTERRUPTED
            except (BudgetSpentError, ModelUnusable) as error:
                self.stopped = str(error)
            self._commit(writer, embedder, embeddings)
            if self.stopped != INTERRUPTED:  # what is committed can be searched; the next run tidies up
                writer.finish()
            return len(waiting)

    def report(self, n_tables: int, n_waiting: int) -> SummaryReport:
        """What became of the waiting tables, once it has ended."""
        return SummaryReport(
            form=self.form,
            model=self.model,
            tables=n_tables,
            made=self.counts.made,
            remembered=self.counts.remembered,
            rejected=self.counts.rejected,
            left=n_waiting - self.counts.done,
            tokens=self.budget.tokens,
            stopped=self.stopped,
        )

    def _prepare(self, writer: StoreWriter) -> TableIds:
        """The waiting tables; summaries by another model or in another form are taken out first."""
        waiting, _ = _waiting(writer.read(), self.model, self.settings)
        maker = _maker(self.settings, self.model)
        if writer.record.extra.get(SUMMARIES) != maker:
            if SUMMARIES in writer.record.extra:
                writer.remove_chunks([summary_chunk_id(table) for table, _ in waiting])
            writer.put_extra({SUMMARIES: maker})
        return waiting

    def _is_due(self) -> bool:
        waited = time.monotonic() - self._committed
        return len(self._done) >= COMMIT_SUMMARIES or (bool(self._done) and waited > COMMIT_SECONDS)

    def _commit(self, writer: StoreWriter, embedder: Embedder, embeddings: EmbeddingCache) -> None:
        if self._done:
            writer.add_chunks(_stored(self._done, embedder, embeddings))
        self._done = []
        self._committed = time.monotonic()

    def _in_order(self, places: Iterable[Place]) -> Iterator[tuple[Place, Summary | None, bool]]:
        """Each table with its summary and whether that is new, as many being written at once as there are generators.

        Raises what _summarise raises, once what was under way is told.
        """
        failed: BaseException | None = None
        under_way: deque[tuple[Place, Future[tuple[Summary | None, bool]]]] = deque()
        with ThreadPoolExecutor(self.at_once) as pool:
            for place in (*places, None):
                while under_way and (place is None or len(under_way) >= self.at_once):
                    before, work = under_way.popleft()
                    try:
                        found = work.result()
                    except BaseException as error:
                        failed = failed or error
                        self._stop_if_interrupted(error)
                        continue
                    yield before, *found
                if failed is not None and not under_way:
                    raise failed
                if failed is None and place is not None:
                    under_way.append((place, pool.submit(self._summarise, place[1])))

    def _stop_if_interrupted(self, error: BaseException) -> None:
        if isinstance(error, KeyboardInterrupt):
            for generator in self.generators:
                generator.cancel()

    def _summarise(self, table: Table) -> tuple[Summary | None, bool]:
        """As remembered, else asked. Raises BudgetSpentError, ModelUnusable, KeyboardInterrupt."""
        key = summary_key(table, self.form, self.model)
        if (known := self.cache.get(key)) is not None:
            return read_summary(json.dumps(known), self.form), False
        if not self.generators:
            raise ModelUnusable("the summaries that were remembered are gone", "the same command again")
        generator = self._idle.get()
        try:
            summary = self._ask(generator, table)
        finally:
            self._idle.put(generator)
        self.cache.put(key, summary.to_json() if summary is not None else {})
        return summary, True

    def _keep(self, place: Place, summary: Summary | None, *, is_new: bool) -> None:
        if summary is None:
            self.counts.rejected += 1
            return
        self.counts.made += is_new
        self.counts.remembered += not is_new
        self._done.append((place, summary))

    def _ask(self, generator: Generator, table: Table) -> Summary | None:
        """The summary, asked for at most twice; None where both replies were of no use."""
        shown = fit_table(table, self.form, generator, self.settings.context_tokens)
        reason = ""
        for _ in range(2):
            summary = read_summary(self._reply(generator, shown, reason).text, self.form)
            foreign = foreign_numbers(summary.text, table) if summary is not None else ()
            if summary is not None and not foreign:
                return summary
            reason = reason_for(foreign) if foreign else "it was not the JSON object that was asked for"
        return None

    def _reply(self, generator: Generator, shown: str, reason: str) -> Reply:
        wanted = LIMITS[self.form].reply_tokens
        request = summary_request(
            shown, self.form, max_tokens=wanted, seconds=self.budget.seconds(), seed=self.settings.seed, reason=reason
        )
        return reply_within(self.budget, generator, request)


def _stored(
    done: Iterable[tuple[Place, Summary]], embedder: Embedder, embeddings: EmbeddingCache
) -> list[StoredDocument]:
    """The summaries as passages: a table's own text to show, the summary's words and vector to be found by."""
    entries = list(done)
    texts = [f"{whole.context}\n{summary.text}" for (_, _, whole), summary in entries]
    vectors, late = embed_cached(texts, embedder, KnownEmbeddings(embeddings))
    stored = []
    for number, ((row, table, whole), summary) in enumerate(entries):
        words = f"{whole.words} {summary.text}".strip()
        chunk = replace(whole, id=summary_chunk_id(table.id), words=words)
        stored.append(StoredDocument(row, (chunk,), vectors[number : number + 1], (), late[number : number + 1]))
    return stored
