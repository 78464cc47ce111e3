"""The reader process: `python -m mixrag_cli.limits PARENT mixrag_cli.extraction.child SOCKET PARENT MEMORY_MB CPU_S`.

    request with an open file ─► reader ─► tables ─► chunks ─► frames back

One file at a time, until the parent closes the socket. Whatever a file does to a reader ends here: an exception
becomes a failure frame, and a crash, a hang or a flood of memory ends this process and no other.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from mixrag_cli.chunking import Telling, chunk_document, chunk_row_lines
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.extraction.beat import Beat
from mixrag_cli.extraction.redaction import redact_document, redact_text
from mixrag_cli.extraction.transport import (
    CHUNKS_PER_FRAME,
    Request,
    chunk_to_plain,
    receive_request,
    send_frame,
)
from mixrag_cli.limits import allow_computing, limit_process
from mixrag_cli.models.tokens import load_token_counter
from mixrag_cli.plain import table_to_plain
from mixrag_cli.readers import ReadLimits, ReadSource, fallback_reader_for, reader_for
from mixrag_cli.records.documents import Document
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.tables import Table
from mixrag_cli.settings import NO_PIPELINE
from mixrag_cli.tables.facts import facts_to_tables
from mixrag_cli.tables.grid import grid_to_table

MEGABYTE = 1_000_000
LONG_CELLS = 20_000  # of a grid that takes seconds to read, on a busy machine longer than a file may be silent
HEAD_BYTES = 16  # of a file, by which some formats are known


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
        head = file.read(HEAD_BYTES)
        file.seek(0)
        read = fallback_reader_for(request.name) if request.fallback else reader_for(request.name, head)
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


def _document_to_tables(document: Document, request: Request, beat: Beat) -> list[tuple[int, Table]]:
    """The grids that are tables, each with its index in the document; a grid's title is what it stands under."""
    tables = []
    for block in document.blocks:
        if block.grid is None:
            continue
        beat(block.grid, len(document.grids))
        title = block.heading_path[-1] if block.heading_path else document.title or request.name
        grid = document.grids[block.grid]
        with beat.meanwhile() if len(grid.cells) > LONG_CELLS else nullcontext():
            table = grid_to_table(grid, document=request.document_id, title=title)
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
    if request.prose_chunks == "topics" or request.nlp != NO_PIPELINE:
        from mixrag_cli.extraction.understanding import topics_by, with_references

        telling = Telling(request.table_representation, topics_by(request, beat))
        chunks = chunk_document(document, tables, telling=telling, **shared)
        chunks = with_references(chunks, document, request, beat)
    else:
        chunks = chunk_document(document, tables, telling=Telling(request.table_representation), **shared)
    lines = chunk_row_lines(document, tables, first=len(chunks), **shared)
    return (*chunks, *lines), len(lines)


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
