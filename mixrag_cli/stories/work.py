"""How far an index run is, in bytes of the files that it reads, and what it is doing at the moment."""

from __future__ import annotations

import threading
from collections.abc import Callable

from mixrag_cli.extraction import ExtractionJob
from mixrag_cli.stories.events import IndexEvents

# Of a file's time: what is left is embedding. On the mixed collection the readers and the writer took 31 % beyond the
# bare embedder (tests/benchmarks/collection.py).
READ_SHARE = 0.25


class Work:
    """Counts bytes that are read and embedded, tells who watches, and never goes back.

    A file counts for READ_SHARE of its bytes as it is read, for the rest as its texts are embedded.
    """

    def __init__(self, events: IndexEvents, n_bytes: int) -> None:
        self.tokens = 0
        self._events = events
        self._total = n_bytes
        self._reading: dict[str, float] = {}
        self._read = 0.0
        self._embedded = 0.0
        self._told = 0
        self._lock = threading.Lock()
        events.phase("read", n_bytes)

    def beat(self, job: ExtractionJob, done: int, total: int) -> None:
        """A long file advances; called from the reading threads."""
        with self._lock:
            self._reading[job.document_id] = job.source.size * min(1.0, done / max(1, total))
        self._tell(job.path)

    def took(self, document_id: str, size: int, path: str, *, has_text: bool) -> None:
        """A file is read; has_text: it will be embedded."""
        with self._lock:
            self._reading.pop(document_id, None)
            self._read += size
            self._embedded += 0 if has_text else size
        self._tell(path)

    def embedding(self, n_texts: int, n_bytes: int, path: str) -> Callable[[int], None]:
        """The texts of files of so many bytes are being embedded; call what comes out with the number of texts done."""
        self._events.phase("embed", self._total)
        if not n_texts:
            self._embedded += n_bytes

        def embedded(count: int) -> None:
            self._embedded += n_bytes * count / n_texts
            self._tell(path)

        return embedded

    def wait_for_writing(self) -> None:
        """Nothing goes on but that a batch is written."""
        self._events.phase("write", self._total)

    def _tell(self, path: str) -> None:
        with self._lock:
            read = self._read + sum(self._reading.values())
            done = round(READ_SHARE * read + (1 - READ_SHARE) * self._embedded)
            self._told = max(self._told, min(done, self._total))
            self._events.advance(self._told, f"{path} · {self.tokens:,} tokens")
