"""A batch of an index run: results gathered, embedded across files, and written as one commit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.extraction import ExtractionResult
from mixrag_cli.models import Embedder
from mixrag_cli.records.files import DocumentRow
from mixrag_cli.records.passages import Extraction
from mixrag_cli.store import StoredDocument, StoreWriter, text_key
from mixrag_cli.stories.embedding import (
    KnownEmbeddings,
    chunks_to_embed,
    embed_cached,
    keeps_tokens,
    text_to_embed,
    with_words_only,
)
from mixrag_cli.stories.events import IndexEvents
from mixrag_cli.stories.work import Work
from mixrag_cli.walking.changes import PASSING_FAILURES

# A batch is one commit: small enough that an interruption loses little, large enough that LanceDB's versions,
# whose manifest grows with each (320 B to 25 kB over 300 commits), stay few.
BATCH_FILES = 256
BATCH_CHARACTERS = 64_000_000
BATCH_LATE_BYTES = 16 * 2**20  # of token vectors, the heaviest part of most passages
BATCH_SECONDS = 10.0
MANY_CHUNKS = 1_024  # of one file, that takes long to embed: what was read before is written first
EMBED_CHUNKS = 256  # texts that wait before they are embedded: enough for batches of like length


@dataclass(slots=True)
class Tally:
    """The running counts of one build."""

    chunks: int = 0
    tokens: int = 0
    files: int = 0
    committed: set[str] = field(default_factory=set)
    skipped: list[DocumentRow] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    interrupted: bool = False
    as_before: bool = False  # a rebuild that was interrupted: the index is the one that was there


class Batch:
    """Results gathered until a commit is worth its while.

    Texts are embedded as soon as enough of them wait, across files, so that batches of like length form. What is
    embedded is written when the batch is full, by a thread, while the next one is read and embedded; at most one batch
    is being written. Use it in a with block.
    """

    def __init__(
        self,
        writer: StoreWriter,
        embedder: Embedder,
        known: KnownEmbeddings,
        events: IndexEvents,
        work: Work,
        tally: Tally,
    ) -> None:
        self._writer = writer
        self._embedder = embedder
        self._known = known
        self._events = events
        self._tally = tally
        self._work = work
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="writer")
        self._writing: Future[None] | None = None
        self._waiting: list[tuple[DocumentRow, Extraction]] = []
        self._done: list[StoredDocument] = []
        self._characters = 0
        self._late_bytes = 0
        self._started = time.perf_counter()

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()

    def take(self, result: ExtractionResult, row: DocumentRow) -> None:
        """Add one file's result; commit when the batch is full."""
        self._tally.files += 1
        if result.failure is not None:
            self._take_failure(result.failure, row)
        elif result.extraction is not None:
            if len(result.extraction.chunks) > MANY_CHUNKS:
                self.flush()
            self._take_extraction(result.extraction, row)
        has_text = bool(result.extraction and result.extraction.chunks)
        self._work.took(row.id, row.size, row.path, has_text=has_text)
        if sum(len(extraction.chunks) for _, extraction in self._waiting) >= EMBED_CHUNKS:
            self._embed_waiting()
        if self._is_full():
            self.flush()

    def wait(self) -> None:
        """No file comes for a while: what was read before a long one is not kept waiting for it."""
        if (self._waiting or self._done) and self._is_full():
            self.flush()

    def flush(self) -> None:
        """Embed what still waits and have the batch written as one commit."""
        self._embed_waiting()
        self.commit()

    def commit(self) -> None:
        """Have what is embedded written as one commit, and forget what is not. Raises what the one before met."""
        self.settle()
        if self._done:
            self._known.begin_writing()
            self._writing = self._thread.submit(self._write, self._done)
        self._waiting, self._done, self._characters, self._late_bytes = [], [], 0, 0
        self._started = time.perf_counter()

    def settle(self) -> None:
        """Wait until all that was given to be written is committed. Raises what went wrong."""
        writing, self._writing = self._writing, None
        if writing is not None:
            if not writing.done():
                self._work.wait_for_writing()
            writing.result()

    def _write(self, documents: Sequence[StoredDocument]) -> None:
        self._writer.write_batch(documents)
        self._tally.committed.update(document.row.id for document in documents)

    def _is_full(self) -> bool:
        return (
            len(self._waiting) + len(self._done) >= BATCH_FILES
            or self._characters >= BATCH_CHARACTERS
            or self._late_bytes >= BATCH_LATE_BYTES
            or time.perf_counter() - self._started >= BATCH_SECONDS
        )

    def _take_failure(self, failure: FileUnreadable, row: DocumentRow) -> None:
        # What may be gone the next time is not remembered by its content, so that the next run reads the file again.
        content_hash = "" if failure.code in PASSING_FAILURES else row.content_hash
        row = replace(row, status="skipped", code=failure.code, reason=failure.reason, content_hash=content_hash)
        self._tally.skipped.append(row)
        self._done.append(StoredDocument(row, (), np.zeros((0, self._embedder.dim), np.float32), ()))
        self._events.note(f"{row.path}: {failure.reason}")

    def _take_extraction(self, extraction: Extraction, row: DocumentRow) -> None:
        row = replace(
            row,
            status="indexed" if extraction.chunks else "empty",
            modality=extraction.modality,
            title=extraction.title,
            chunks=len(extraction.chunks),
            warnings=extraction.warnings,
        )
        self._tally.warnings += [f"{row.path}: {warning}" for warning in extraction.warnings]
        self._waiting.append((row, extraction))
        self._characters += extraction.n_characters

    def _embed_waiting(self) -> None:
        by_file = [chunks_to_embed(extraction) for _, extraction in self._waiting]
        chunks = [chunk for of_file in by_file for chunk in of_file]
        texts = list(map(text_to_embed, chunks))
        if not self._waiting:
            return
        sizes = {row.path: row.size for row, extraction in self._waiting if extraction.chunks}
        counts = {row.path: len(of_file) for (row, _), of_file in zip(self._waiting, by_file, strict=True)}
        on_batch = self._work.embedding(counts, sizes)
        vectors, made = embed_cached(texts, self._embedder, self._known, on_batch)
        late = [tokens if keeps_tokens(chunk) else None for chunk, tokens in zip(chunks, made, strict=True)]
        self._late_bytes += sum(tokens.nbytes for tokens in late if tokens is not None)
        start = 0
        for (row, extraction), of_file in zip(self._waiting, by_file, strict=True):
            end = start + len(of_file)
            tokens = self._embedder.count_tokens(texts[start:end])
            row = replace(row, tokens=tokens)
            own, own_late = with_words_only(vectors[start:end], late[start:end], extraction.n_words_only)
            keys = [*map(text_key, texts[start:end]), *[0] * extraction.n_words_only]
            self._done.append(StoredDocument(row, extraction.chunks, own, extraction.tables, own_late, keys))
            self._tally.chunks += len(extraction.chunks)
            self._tally.tokens += tokens
            self._work.tokens += tokens
            start = end
        self._waiting = []
