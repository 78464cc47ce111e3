"""A file that takes minutes: its reader gives signs of life, and what was read before it is not kept waiting."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.extraction import ExtractionJob, ExtractionResult, ReaderPool, child, pool
from mixrag_cli.extraction.beat import Beat
from mixrag_cli.extraction.transport import Request, receive_frame
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.records.files import DocumentRow, SourceFile
from mixrag_cli.records.places import Locator
from mixrag_cli.settings import Settings
from mixrag_cli.stories import batching
from mixrag_cli.stories.batching import Batch, Tally
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.work import Work


def job_of(folder: Path, name: str, text: str) -> ExtractionJob:
    (folder / name).write_text(text, "utf-8")
    status = (folder / name).stat()
    place = status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino
    return ExtractionJob(SourceFile(os.fsencode(folder), os.fsencode(name), *place), name, name)


def test_the_caller_hears_that_no_result_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "WAIT_SECONDS", 0.01)
    waits: list[float] = []
    with ReaderPool(Settings()) as readers:
        jobs = [job_of(tmp_path, "a.txt", "One.")]
        assert len(list(readers.extract_all(jobs, on_wait=lambda: waits.append(time.monotonic())))) == 1
    assert waits  # a process takes longer to start


def test_a_reader_gives_signs_of_life_while_it_reads_a_large_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "LONG_CELLS", 1)
    monkeypatch.setattr(child, "grid_to_table", lambda grid, **_: time.sleep(1.5))
    builder = DocumentBuilder("sheet", "Funding")
    builder.add("a b", "table", grid=Grid(1, 2, (GridCell(0, 0, "a"), GridCell(0, 1, "b")), Locator((0, 0))), sheet="S")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        request = Request("f.xlsx", "f.xlsx", "d", "", 256, 50, 20)
        child._document_to_tables(builder.build(), request, Beat(theirs))
        theirs.close()
        frames = []
        while (frame := receive_frame(ours)) is not None:
            frames.append(frame)
    assert len(frames) == 2  # before the table, and a second later


def test_what_was_read_is_committed_while_a_long_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = job_of(tmp_path, "a.txt", "One.")
    row = DocumentRow("a", b"", b"a.txt", "a.txt", "indexed", size=4)
    written: list[str] = []
    writer = SimpleNamespace(write_batch=lambda documents: written.extend(one.row.path for one in documents))
    known = SimpleNamespace(begin_writing=lambda: None)
    work = Work(Silent(), {"a.txt": 4, "long.xlsx": 4_000_000})
    with Batch(writer, SimpleNamespace(dim=4), known, Silent(), work, Tally()) as batch:  # type: ignore[arg-type]
        batch.take(ExtractionResult(job, failure=FileUnreadable("damaged", "not a text")), row)
        batch.wait()
        batch.settle()
        assert not written
        monkeypatch.setattr(batching, "BATCH_SECONDS", 0.0)
        batch.wait()
        batch.settle()
        assert written == ["a.txt"]
