"""A seat of this machine: one reader process at a time, asked, waited for, and replaced where it is lost."""

from __future__ import annotations

import os
import threading
from dataclasses import replace

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.extraction.jobs import BeatListener, ExtractionJob, ExtractionResult
from mixrag_cli.extraction.transport import Request
from mixrag_cli.extraction.worker import Worker, WorkerLost
from mixrag_cli.readers import has_fallback
from mixrag_cli.records.passages import Extraction
from mixrag_cli.settings import Settings
from mixrag_cli.walking import open_source

MAX_FILES_PER_WORKER = 200  # a fresh process now and then: native libraries leak
# Failures of a reader rather than of a file: another reader may do better.
CODES_FOR_FALLBACK = frozenset({"timeout", "memory", "crashed", "reader-failed"})


class ProcessSeat:
    """Reads files in a process that may be killed (jobs.Seat). window: the embedder's, in tokens.

    Keep the thread that uses it alive: the kernel ends the process with it.
    """

    def __init__(self, settings: Settings, window: int) -> None:
        self._settings = settings
        self._window = window
        self._worker: Worker | None = None
        self._is_killed = False
        self._lock = threading.Lock()

    def extract(self, job: ExtractionJob, on_beat: BeatListener) -> ExtractionResult:
        """What comes of the file; where its reader is lost over it, what the second reader makes of it."""
        try:
            return ExtractionResult(job, self._read(job, on_beat))
        except FileUnreadable as first:
            if first.code not in CODES_FOR_FALLBACK or self._is_killed or not has_fallback(job.name):
                return ExtractionResult(job, failure=first)
            return self._extract_by_fallback(job, on_beat, first)

    def release(self) -> None:
        """Let the process go; no error when there is none."""
        with self._lock:
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.stop()

    def kill(self) -> None:
        """End the process at once and start no other."""
        with self._lock:
            self._is_killed = True
            if self._worker is not None:
                self._worker.kill()

    def _extract_by_fallback(
        self, job: ExtractionJob, on_beat: BeatListener, first: FileUnreadable
    ) -> ExtractionResult:
        try:
            extraction = self._read(job, on_beat, fallback=True)
        except FileUnreadable as second:
            # the second reader's own word on the file says more than that the first one died
            return ExtractionResult(job, failure=first if second.code in CODES_FOR_FALLBACK else second)
        warning = f"read by the second reader: {first.reason}"
        return ExtractionResult(job, replace(extraction, warnings=(*extraction.warnings, warning)))

    def _read(self, job: ExtractionJob, on_beat: BeatListener, *, fallback: bool = False) -> Extraction:
        """What the process makes of the file. Raises FileUnreadable, also when the process is lost over it."""
        fd = open_source(job.source)
        try:
            request = self._request(job, fallback)
            return self._ready_worker().read(request, fd, lambda done, total: on_beat(job, done, total))
        except WorkerLost as exc:
            self.release()
            raise FileUnreadable(exc.code, exc.reason) from exc
        finally:
            os.close(fd)

    def _request(self, job: ExtractionJob, fallback: bool) -> Request:
        settings = self._settings
        return Request(
            name=job.name,
            path=job.path,
            document_id=job.document_id,
            embedder=settings.embedder,
            window=self._window,
            max_file_mb=settings.max_file_mb,
            max_text_file_mb=settings.max_text_file_mb,
            table_representation=settings.table_representation,
            prose_chunks=settings.prose_chunks,
            nlp=settings.nlp,
            fallback=fallback,
            ocr=settings.ocr == "auto",
            encoding=job.source.encoding,
        )

    def _ready_worker(self) -> Worker:
        if self._worker is not None and self._worker.files_read >= MAX_FILES_PER_WORKER:
            self.release()
        with self._lock:
            if self._is_killed:
                raise WorkerLost("stopped", "stopped")
            if self._worker is None:
                self._worker = Worker(self._settings)
            return self._worker
