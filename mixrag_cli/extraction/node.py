"""What runs on a node of a cluster: one seat of that machine, asked by the machine that writes the index.

Knows nothing of the cluster's library. A file is read where it stands, so a node must see it under the same path, with
the same size and time; one that it does not see so is left to the machine that writes.
"""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mixrag_cli import __version__
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.extraction.jobs import ExtractionJob, ExtractionResult
from mixrag_cli.extraction.process_seat import ProcessSeat
from mixrag_cli.extraction.transport import extraction_to_plain
from mixrag_cli.records.files import SourceFile
from mixrag_cli.settings import Settings
from mixrag_cli.walking import look_again


class NodeReader:
    """Reads files for another machine, in a process of its own that may be killed."""

    def __init__(self, settings: Settings, window: int) -> None:
        self._seat = ProcessSeat(settings, window)
        # One thread for all files: the kernel ends the reader process with the thread that started it.
        self._thread = ThreadPoolExecutor(max_workers=1)

    def version(self) -> str:
        """Of mixrag on this node."""
        return __version__

    def read(self, source: SourceFile, document_id: str, path: str) -> Iterator[bytes]:
        """JSON objects: "beat" as a long file advances, at last "extraction", "failure" or "unseen"."""
        if (here := _as_seen_here(source)) is None:
            yield _frame("unseen", None)
            return
        said: queue.SimpleQueue[tuple[int, int] | None] = queue.SimpleQueue()
        job = ExtractionJob(here, document_id, path)
        reading = self._thread.submit(self._seat.extract, job, lambda _, done, total: said.put((done, total)))
        reading.add_done_callback(lambda _: said.put(None))
        while (beat := said.get()) is not None:
            yield _frame("beat", beat)
        yield _result_frame(reading.result())


def _as_seen_here(source: SourceFile) -> SourceFile | None:
    """The same file by this machine's numbers of device and inode; None where it is not the file that was meant."""
    try:
        here = look_again(source)
    except FileUnreadable:
        return None
    return here if (here.size, here.mtime_ns) == (source.size, source.mtime_ns) else None


def _result_frame(result: ExtractionResult) -> bytes:
    if result.extraction is not None:
        return _frame("extraction", extraction_to_plain(result.extraction))
    failure = result.failure or FileUnreadable("reader-failed", "the reader gave nothing")
    return _frame("failure", [failure.code, failure.reason])


def _frame(name: str, content: Any) -> bytes:
    return json.dumps({name: content}, separators=(",", ":")).encode("ascii")
