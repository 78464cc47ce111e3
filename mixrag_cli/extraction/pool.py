"""ReaderPool: many files through a few reader processes, results as they come.

Each process has a thread of its own that asks it, waits for it and replaces it. So reading goes on while the
caller embeds and writes what it already has. A bounded queue holds the readers back when the caller is slower.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from types import TracebackType

from mixrag_cli.cleaning import display_path
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.extraction.transport import Request
from mixrag_cli.extraction.worker import Worker, WorkerLost
from mixrag_cli.readers import has_fallback
from mixrag_cli.records import Extraction, SourceFile
from mixrag_cli.settings import Settings
from mixrag_cli.walking import open_source

MAX_FILES_PER_WORKER = 200  # a fresh process now and then: native libraries leak
MAX_WORKERS = 4
RESULTS_WAITING = 8  # how far the readers may run ahead of the caller
# What one process should have to do before a second is worth its start of half a second.
BYTES_PER_WORKER = 500_000
FILES_PER_WORKER = 50
# Failures of a reader rather than of a file: another reader may do better.
CODES_FOR_FALLBACK = frozenset({"timeout", "memory", "crashed", "reader-failed"})
POLL_SECONDS = 0.2  # how soon a thread that waits for room in the queue sees that nobody wants its result any more

BeatListener = Callable[["ExtractionJob", int, int], None]


@dataclass(frozen=True, slots=True)
class ExtractionJob:
    """One file to read. path: from the indexed folder on; its words are searched with the file's passages."""

    source: SourceFile
    document_id: str
    path: str

    @property
    def name(self) -> str:
        """The file name, by which its reader is chosen."""
        return display_path(self.source.path.rpartition(b"/")[2])


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """A job with what came of it: an extraction, or the reason why there is none."""

    job: ExtractionJob
    extraction: Extraction | None = None
    failure: FileUnreadable | None = None


class ReaderPool:
    """Reads files in processes that may be killed.

    window: the embedder's, in tokens; chunks are cut to it. No process is started before there is a file to read.
    Leaving the context, an exception included, ends all of them.
    """

    def __init__(self, settings: Settings, window: int = 256) -> None:
        self._settings = settings
        self._window = window
        self._runs: list[_Run] = []

    def __enter__(self) -> ReaderPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for run in self._runs:
            run.stop()

    def extract_all(
        self, jobs: Iterable[ExtractionJob], on_beat: BeatListener | None = None
    ) -> Iterator[ExtractionResult]:
        """One result for each job, in the order of completion.

        on_beat: called with (job, done, total) from the reading threads as a long file advances.
        """
        todo = list(jobs)
        if not todo:
            return
        run = _Run(self._settings, self._window, todo, on_beat or _unheard)
        self._runs.append(run)
        try:
            yield from run.results(self._worth_starting(todo))
        finally:
            run.stop()
            self._runs.remove(run)

    def _worth_starting(self, todo: list[ExtractionJob]) -> int:
        allowed = self._settings.workers or min(os.cpu_count() or 1, MAX_WORKERS)
        by_size = sum(job.source.size for job in todo) // BYTES_PER_WORKER
        by_count = len(todo) // FILES_PER_WORKER
        return max(1, min(allowed, len(todo), 1 + max(by_size, by_count)))


class _Run:
    """One call of extract_all: its jobs, its seats and the queue between them and the caller."""

    def __init__(self, settings: Settings, window: int, todo: list[ExtractionJob], on_beat: BeatListener) -> None:
        self.settings = settings
        self.window = window
        self.on_beat = on_beat
        self.is_stopped = False
        self._count = len(todo)
        self._todo = iter(todo)
        self._lock = threading.Lock()
        self._queue: queue.Queue[ExtractionResult | BaseException] = queue.Queue(RESULTS_WAITING)
        self._threads: list[threading.Thread] = []
        self._workers: set[Worker] = set()

    def results(self, n_seats: int) -> Iterator[ExtractionResult]:
        """Start the threads and hand out what they bring. Raises what went wrong in a thread, if anything."""
        for number in range(n_seats):
            thread = threading.Thread(target=_Seat(self).work, name=f"reader-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()
        for _ in range(self._count):
            result = self._queue.get()
            if isinstance(result, BaseException):
                raise result
            yield result

    def stop(self) -> None:
        """End every process and wait for the threads, which then have nothing to wait for."""
        with self._lock:
            self.is_stopped = True
            for worker in self._workers:
                worker.kill()
        for thread in self._threads:
            thread.join()

    def next_job(self) -> ExtractionJob | None:
        """A job that no seat has yet; None when there are no more or the caller has left."""
        with self._lock:
            return None if self.is_stopped else next(self._todo, None)

    def put(self, result: ExtractionResult | BaseException) -> None:
        """Hand over a result, waiting for room as long as there is a caller."""
        while not self.is_stopped:
            try:
                self._queue.put(result, timeout=POLL_SECONDS)
                break
            except queue.Full:
                pass

    def start_worker(self) -> Worker:
        """A new process, known to stop(). Raises WorkerLost when the caller has left."""
        with self._lock:
            if self.is_stopped:
                raise WorkerLost("stopped", "stopped")
            worker = Worker(self.settings)
            self._workers.add(worker)
            return worker

    def end_worker(self, worker: Worker) -> None:
        """Let the process go; no error when it is gone."""
        with self._lock:
            self._workers.discard(worker)
        worker.stop()


class _Seat:
    """One thread with its process: asks it, waits for it, replaces it."""

    def __init__(self, run: _Run) -> None:
        self._run = run
        self._worker: Worker | None = None

    def work(self) -> None:
        """Read until no job is left."""
        try:
            while (job := self._run.next_job()) is not None:
                self._run.put(self._extract(job))
        except BaseException as exc:  # a fault of ours: the caller must hear of it, not wait for ever
            self._run.put(exc)
        finally:
            self._release()

    def _extract(self, job: ExtractionJob) -> ExtractionResult:
        try:
            return ExtractionResult(job, self._read(job))
        except FileUnreadable as first:
            if first.code not in CODES_FOR_FALLBACK or self._run.is_stopped or not has_fallback(job.name):
                return ExtractionResult(job, failure=first)
            return self._extract_by_fallback(job, first)

    def _extract_by_fallback(self, job: ExtractionJob, first: FileUnreadable) -> ExtractionResult:
        try:
            extraction = self._read(job, fallback=True)
        except FileUnreadable as second:
            # the second reader's own word on the file says more than that the first one died
            return ExtractionResult(job, failure=first if second.code in CODES_FOR_FALLBACK else second)
        warning = f"read by the second reader: {first.reason}"
        return ExtractionResult(job, replace(extraction, warnings=(*extraction.warnings, warning)))

    def _read(self, job: ExtractionJob, *, fallback: bool = False) -> Extraction:
        """What the process makes of the file. Raises FileUnreadable, also when the process is lost over it."""
        fd = open_source(job.source)
        try:
            return self._ready_worker().read(
                self._request(job, fallback), fd, lambda done, total: self._run.on_beat(job, done, total)
            )
        except WorkerLost as exc:
            self._release()
            raise FileUnreadable(exc.code, exc.reason) from exc
        finally:
            os.close(fd)

    def _request(self, job: ExtractionJob, fallback: bool) -> Request:
        settings = self._run.settings
        return Request(
            name=job.name,
            path=job.path,
            document_id=job.document_id,
            embedder=settings.embedder,
            window=self._run.window,
            max_file_mb=settings.max_file_mb,
            max_text_file_mb=settings.max_text_file_mb,
            table_representation=settings.table_representation,
            prose_chunks=settings.prose_chunks,
            fallback=fallback,
            ocr=settings.ocr == "auto",
        )

    def _ready_worker(self) -> Worker:
        if self._worker is not None and self._worker.files_read >= MAX_FILES_PER_WORKER:
            self._release()
        if self._worker is None:
            self._worker = self._run.start_worker()
        return self._worker

    def _release(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            self._run.end_worker(worker)


def _unheard(job: ExtractionJob, done: int, total: int) -> None:
    """A listener that does not listen."""
