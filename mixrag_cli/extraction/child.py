"""The reader process: `python -m mixrag_cli.limits PARENT mixrag_cli.extraction.child SOCKET PARENT MEMORY_MB CPU_S`.

    request with an open file ─► reader ─► tables ─► chunks ─► frames back

One file at a time, until the parent closes the socket. Whatever a file does to a reader ends here: an exception
becomes a failure frame, and a crash, a hang or a flood of memory ends this process and no other.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from mixrag_cli.chunking import Telling, chunk_document, chunk_row_lines
from mixrag_cli.chunking.references import add_references
from mixrag_cli.chunking.topics import Vectors, topic_finder
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.extraction.redaction import redact_document, redact_text
from mixrag_cli.extraction.transport import (
    CHUNKS_PER_FRAME,
    Request,
    chunk_to_plain,
    receive_request,
    send_frame,
)
from mixrag_cli.limits import allow_computing, limit_process
from mixrag_cli.models import NO_PIPELINE, Embedder, load_embedder, load_language
from mixrag_cli.models.tokens import load_token_counter
from mixrag_cli.plain import table_to_plain
from mixrag_cli.readers import ReadLimits, ReadSource, fallback_reader_for, reader_for
from mixrag_cli.records.documents import Document
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.tables import Table
from mixrag_cli.settings import Settings
from mixrag_cli.tables.facts import facts_to_tables
from mixrag_cli.tables.grid import grid_to_table

if TYPE_CHECKING:
    from mixrag_cli.models.language import Pipeline

SENTENCES_AT_ONCE = 64  # embedded between two beats
BEAT_SECONDS = 0.2  # a reader may beat a thousand times a second; the parent needs to hear it a few times
MEGABYTE = 1_000_000


def main(arguments: list[str]) -> int:
    """Serve requests until the parent closes the socket, or until memory ran out once."""
    descriptor, parent, memory_mb, cpu_s = map(int, arguments)
    limit_process(memory_mb, parent)
    connection = socket.socket(fileno=descriptor)
    is_sound = True
    while is_sound and (received := receive_request(connection)) is not None:
        content, fd = received
        allow_computing(cpu_s)
        is_sound = serve(connection, Request(**content), fd)
    return 0


def serve(connection: socket.socket, request: Request, fd: int) -> bool:
    """Answer one request; False when this process should not be used again."""
    try:
        extract(connection, request, fd)
    except FileUnreadable as exc:
        return _send_failure(connection, exc.code, exc.reason)
    except MemoryError:
        _send_failure(connection, "memory", "the reader ran out of memory", is_last=True)
        return False
    except RecursionError:
        return _send_failure(connection, "damaged", "nested too deeply")
    except (BrokenPipeError, ConnectionResetError):  # the parent has gone or no longer wants this
        return False
    except Exception as exc:  # a fault in a reader, or a file that found one: this file fails, the run goes on
        return _send_failure(connection, "reader-failed", f"the reader failed: {type(exc).__name__}")
    return True


def extract(connection: socket.socket, request: Request, fd: int) -> None:
    """Read the file, find its tables, cut its chunks and send them.

    Raises FileUnreadable, and whatever a reader raises.
    """
    beat = Beat(connection)
    with os.fdopen(fd, "rb") as file:
        before = os.fstat(fd)
        beat(0, before.st_size)  # the start is over: from now on silence is the file's
        if before.st_size > request.max_file_mb * MEGABYTE:
            raise FileUnreadable("too-large", f"larger than {request.max_file_mb} MB")
        limits = ReadLimits(request.max_file_mb, request.max_text_file_mb, request.ocr)
        source = ReadSource(request.name, before.st_size, file, beat, limits, redact_text, request.encoding)
        read = fallback_reader_for(request.name) if request.fallback else reader_for(request.name)
        beat(0, before.st_size)
        document = read(source)
        after = os.fstat(fd)
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise FileUnreadable("changed", "changed while being read; will be read next time")
    document = redact_document(document)
    tables = _document_to_tables(document, request, beat)
    chunks, n_words_only = _document_to_chunks(document, tables, request, beat)
    facts = facts_to_tables(document.facts, document=request.document_id, title=document.title or request.name)
    _send_extraction(connection, document, chunks, n_words_only, [*(table for _, table in tables), *facts])


class Beat:
    """Tells the parent that work goes on, at most a few times a second."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._next = 0.0

    def __call__(self, done: int, total: int) -> None:
        """Say that done of total is done, if the last time is long enough ago."""
        if time.monotonic() >= self._next:
            send_frame(self._connection, {"beat": [done, total]})
            self._next = time.monotonic() + BEAT_SECONDS

    @contextmanager
    def meanwhile(self) -> Iterator[None]:
        """Beat while a library is being loaded, which on a busy machine takes longer than a file may be silent.

        How long a file may take in all is bounded all the same.
        """
        is_over = Event()

        def keep_beating() -> None:
            while not is_over.wait(1):
                self(0, 1)

        beating = Thread(target=keep_beating, daemon=True)
        beating.start()
        try:
            yield
        finally:
            is_over.set()
            beating.join()


def _document_to_tables(document: Document, request: Request, beat: Beat) -> list[tuple[int, Table]]:
    """The grids that are tables, each with its index in the document; a grid's title is what it stands under."""
    tables = []
    for block in document.blocks:
        if block.grid is None:
            continue
        beat(block.grid, len(document.grids))
        title = block.heading_path[-1] if block.heading_path else document.title or request.name
        table = grid_to_table(document.grids[block.grid], document=request.document_id, title=title)
        if table is not None:
            tables.append((block.grid, table))
    return tables


def _document_to_chunks(
    document: Document, tables: list[tuple[int, Table]], request: Request, beat: Beat
) -> tuple[tuple[Chunk, ...], int]:
    """All chunks, and how many of them, at the end, are to be searched by words alone."""
    if not document.blocks:
        return (), 0
    shared: dict[str, Any] = {
        "document_id": request.document_id,
        "path": request.path,
        "count_tokens": _counting_with_beats(load_token_counter(request.embedder), beat, len(document.text)),
        "window": request.window,
    }
    telling = Telling(request.table_representation, _topics_by(request, beat))
    chunks = chunk_document(document, tables, telling=telling, **shared)
    if request.nlp != NO_PIPELINE:
        total = len(document.text)
        with beat.meanwhile():
            pipeline = _pipeline(request.nlp)
        chunks = add_references(chunks, document, pipeline, lambda done: beat(done, total))
    lines = chunk_row_lines(document, tables, first=len(chunks), **shared)
    return (*chunks, *lines), len(lines)


def _topics_by(request: Request, beat: Beat) -> Callable[[Sequence[str]], Sequence[int]] | None:
    """What finds where the topic turns, by the embedder that the passages get; None where nobody asks for it."""
    if request.prose_chunks != "topics":
        return None
    embedder = _embedder(request.embedder)

    def embed(sentences: Sequence[str]) -> Vectors:
        parts = []
        for start in range(0, len(sentences), SENTENCES_AT_ONCE):
            parts.append(embedder.embed(sentences[start : start + SENTENCES_AT_ONCE]))
            beat(start, len(sentences))
        return np.concatenate(parts)

    return topic_finder(embed)


@lru_cache(maxsize=1)
def _pipeline(name: str) -> Pipeline:
    return load_language(Settings(nlp=name))


@lru_cache(maxsize=1)
def _embedder(name: str) -> Embedder:
    """The settings' embedder on one core: there is a process a core."""
    return load_embedder(Settings(embedder=name, threads=1, device="cpu"))


def _counting_with_beats(count_tokens: Callable[[str], int], beat: Beat, total: int) -> Callable[[str], int]:
    """The counter, beating as it counts: cutting a long document into chunks is work too."""
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        beat(min(counted, total), total)
        return count_tokens(text)

    return count


def _send_extraction(
    connection: socket.socket, document: Document, chunks: tuple[Chunk, ...], n_words_only: int, tables: list[Table]
) -> None:
    for start in range(0, len(chunks), CHUNKS_PER_FRAME):
        send_frame(
            connection, {"chunks": [chunk_to_plain(chunk) for chunk in chunks[start : start + CHUNKS_PER_FRAME]]}
        )
    for table in tables:
        send_frame(connection, {"table": table_to_plain(table)})
    done = {
        "modality": document.modality,
        "title": document.title,
        "n_characters": len(document.text),
        "warnings": document.warnings,
        "words_only": n_words_only,
    }
    send_frame(connection, {"done": done})


def _send_failure(connection: socket.socket, code: str, reason: str, *, is_last: bool = False) -> bool:
    send_frame(connection, {"failure": [code, reason], "is_last": is_last})
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
