"""How far an index run is, in bytes of the files that it reads, and what it is doing at the moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from mixrag_cli.records.files import DocumentRow
from mixrag_cli.stories.events import IndexEvents

# Of a file's time: what is left is embedding. On the mixed collection the readers and the writer took 31 % beyond the
# bare embedder (tests/benchmarks/collection.py).
READ_SHARE = 0.25
# Of a csv, so many bytes cost what those of a text do; of the rest rows are read and searched by words, not embedded:
# a million rows of 74 MB take 28 s (tests/benchmarks/million_rows.py), as much as .8 MB of text.
EMBEDDED_ROWS_BYTES = 200_000
BEYOND_SHARE = 0.01
ROW_SUFFIXES = frozenset(("csv", "tsv", "tab"))
# What a byte costs beside one of prose or code, by the tokens that are embedded for it: of up to ten files of each kind
# in 24 folders of public files, where prose and code had 350 tokens a kB. Workbooks are packed, and the bytes of pages
# and slides are mostly fonts and pictures.
COSTS = {
    **dict.fromkeys(("xlsx", "xlsm"), 4.7),
    **dict.fromkeys(ROW_SUFFIXES, 2.8),
    "xls": 1.4,
    "ods": 0.7,
    **dict.fromkeys(("html", "htm"), 0.2),
    **dict.fromkeys(("eml", "mbox"), 0.2),
    **dict.fromkeys(("docx", "odt", "epub"), 0.14),
    "pdf": 0.11,
    "ipynb": 0.07,
    **dict.fromkeys(("pptx", "odp"), 0.02),
}


def work_of(path: str, size: int) -> float:
    """What a file of so many bytes costs, in bytes of text that cost as much."""
    suffix = path.lower().rpartition(".")[2]
    if suffix in ROW_SUFFIXES and size > EMBEDDED_ROWS_BYTES:
        return EMBEDDED_ROWS_BYTES + BEYOND_SHARE * (size - EMBEDDED_ROWS_BYTES)
    return COSTS.get(suffix, 1.0) * size


class Work:
    """Counts what is read and embedded, tells who watches, and never goes back.

    A file counts for READ_SHARE of its work as it is read, for the rest as its texts are embedded. What is told is that
    share of all bytes, so that bytes pass as time does.
    """

    def __init__(self, events: IndexEvents, sizes: Mapping[str, int]) -> None:
        """sizes: bytes by path."""
        self.tokens = 0
        self._events = events
        self._total = sum(sizes.values())
        self._work = sum(work_of(path, size) for path, size in sizes.items())
        self._reading: dict[str, float] = {}
        self._read = 0.0
        self._embedded = 0.0
        self._told = 0
        self._lock = threading.Lock()
        events.phase("read", self._total)

    def beat(self, row: DocumentRow, done: int, total: int) -> None:
        """A long file advances; called from the reading threads."""
        with self._lock:
            self._reading[row.id] = work_of(row.path, row.size) * min(1.0, done / max(1, total))
        self._tell(row.path)

    def took(self, document_id: str, size: int, path: str, *, has_text: bool) -> None:
        """A file is read; has_text: it will be embedded."""
        with self._lock:
            self._reading.pop(document_id, None)
            self._read += work_of(path, size)
            self._embedded += 0 if has_text else work_of(path, size)
        self._tell(path)

    def embedding(self, texts: Mapping[str, int], sizes: Mapping[str, int]) -> Callable[[int], None]:
        """The texts of files are being embedded; call what comes out with the number of texts done.

        texts: by path, how many there are; sizes: bytes. The file of most texts is told: it is waited for.
        """
        self._events.phase("embed", self._total)
        work, n_texts = sum(work_of(path, size) for path, size in sizes.items()), sum(texts.values())
        longest = max(texts, key=lambda path: texts[path], default="")
        if not n_texts:
            self._embedded += work

        def embedded(count: int) -> None:
            self._embedded += work * count / n_texts
            self._tell(longest)

        return embedded

    def wait_for_writing(self) -> None:
        """Nothing goes on but that a batch is written."""
        self._events.phase("write", self._total)

    def _tell(self, path: str) -> None:
        with self._lock:
            read = self._read + sum(self._reading.values())
            share = (READ_SHARE * read + (1 - READ_SHARE) * self._embedded) / max(self._work, 1.0)
            done = round(self._total * share)
            self._told = max(self._told, min(done, self._total))
            self._events.advance(self._told, f"{path} · {self.tokens:,} tokens")
