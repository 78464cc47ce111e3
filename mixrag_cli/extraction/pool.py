"""ReaderPool: many files through a few seats, results as they come.

A seat reads one file after another: a process of this machine, or one on a node of a cluster. Each has a thread of its
own. So reading goes on while the caller embeds and writes what it already has. A bounded queue holds the readers back
when the caller is slower.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

from mixrag_cli.extraction.jobs import BeatListener, ExtractionJob, ExtractionResult, Seat, SeatLost
from mixrag_cli.extraction.process_seat import ProcessSeat
from mixrag_cli.settings import Settings

MAX_WORKERS = 4
RESULTS_WAITING = 8  # how far the readers may run ahead of the caller
# What one process should have to do before a second is worth its start of half a second.
BYTES_PER_WORKER = 500_000
FILES_PER_WORKER = 50
WAIT_SECONDS = 1.0  # how long the caller waits for a result before it is told that none comes
POLL_SECONDS = 0.2  # how soon a thread that waits for room in the queue sees that nobody wants its result any more


class ReaderPool:
    """Reads files in processes that may be killed.

    window: the embedder's, in tokens; chunks are cut to it. far_seats: gives the seats of a cluster for so many files,
    once there are any; what they lose is read here. No process is started before there is a file to read.
    Leaving the context, an exception included, ends all of them.
    """

    def __init__(
        self, settings: Settings, window: int = 256, far_seats: Callable[[int], Sequence[Seat]] | None = None
    ) -> None:
        self._settings = settings
        self._window = window
        self._far_seats = far_seats
        self._runs: list[_Run] = []

    def __enter__(self) -> ReaderPool:
        return self

    def __exit__(self, *_: object) -> None:
        for run in self._runs:
            run.stop()

    def extract_all(
        self,
        jobs: Iterable[ExtractionJob],
        on_beat: BeatListener | None = None,
        on_wait: Callable[[], None] | None = None,
    ) -> Iterator[ExtractionResult]:
        """One result for each job, in the order of completion.

        on_beat: called with (job, done, total) from the reading threads as a long file advances. on_wait: called from
        this one now and then while no result comes.
        """
        todo = list(jobs)
        if not todo:
            return
        run = _Run(todo, on_beat or _unheard, self._process_seat)
        self._runs.append(run)
        try:
            yield from run.results(self._seats(todo), on_wait)
        finally:
            run.stop()
            self._runs.remove(run)

    def _seats(self, todo: list[ExtractionJob]) -> Sequence[Seat]:
        if self._far_seats is not None:
            return self._far_seats(len(todo))
        return [self._process_seat() for _ in range(self._worth_starting(todo))]

    def _process_seat(self) -> ProcessSeat:
        return ProcessSeat(self._settings, self._window)

    def _worth_starting(self, todo: list[ExtractionJob]) -> int:
        allowed = self._settings.workers or min(os.cpu_count() or 1, MAX_WORKERS)
        by_size = sum(job.source.size for job in todo) // BYTES_PER_WORKER
        by_count = len(todo) // FILES_PER_WORKER
        return max(1, min(allowed, len(todo), 1 + max(by_size, by_count)))


class _Run:
    """One call of extract_all: its jobs, its seats and the queue between them and the caller.

    A job whose seat was lost waits for another seat. The last thread takes a seat of this machine, so that every job
    comes to its end.
    """

    def __init__(self, todo: list[ExtractionJob], on_beat: BeatListener, last_resort: Callable[[], Seat]) -> None:
        self._on_beat = on_beat
        self._last_resort = last_resort
        self._is_stopped = False
        self._count = len(todo)
        self._todo = iter(todo)
        self._returned: list[ExtractionJob] = []
        self._lock = threading.Lock()
        self._queue: queue.Queue[ExtractionResult | BaseException] = queue.Queue(RESULTS_WAITING)
        self._threads: list[threading.Thread] = []
        self._seats: list[Seat] = []
        self._n_working = 0

    def results(self, seats: Sequence[Seat], on_wait: Callable[[], None] | None = None) -> Iterator[ExtractionResult]:
        """Start the threads and hand out what they bring. Raises what went wrong in a thread, if anything."""
        self._seats += seats
        self._n_working = len(seats)
        for number, seat in enumerate(seats):
            thread = threading.Thread(target=self._work, args=(seat,), name=f"reader-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()
        for _ in range(self._count):
            result = self._next_result(on_wait)
            if isinstance(result, BaseException):
                raise result
            yield result

    def _next_result(self, on_wait: Callable[[], None] | None) -> ExtractionResult | BaseException:
        while True:
            try:
                return self._queue.get(timeout=None if on_wait is None else WAIT_SECONDS)
            except queue.Empty:
                if on_wait is not None:
                    on_wait()

    def stop(self) -> None:
        """End every seat and wait for the threads, which then have nothing to wait for."""
        with self._lock:
            self._is_stopped = True
            for seat in self._seats:
                seat.kill()
        for thread in self._threads:
            thread.join()

    def _work(self, seat: Seat) -> None:
        """Read until no job is left, or until the seat is lost while others go on."""
        try:
            while (job := self._next_job()) is not None:
                try:
                    self._put(seat.extract(job, self._on_beat))
                except SeatLost:
                    seat.release()
                    if (other := self._instead_of(job)) is None:
                        return
                    seat = other
        except BaseException as exc:  # a fault of ours: the caller must hear of it, not wait for ever
            self._put(exc)
        finally:
            seat.release()

    def _next_job(self) -> ExtractionJob | None:
        """A job that no seat has; None when there are no more or the caller has left: then the thread leaves too."""
        with self._lock:
            job = None
            if not self._is_stopped:
                job = self._returned.pop() if self._returned else next(self._todo, None)
            self._n_working -= job is None
            return job

    def _instead_of(self, job: ExtractionJob) -> Seat | None:
        """Give the job back; the seat in the place of the lost one, None where others are left to do the work."""
        with self._lock:
            self._returned.append(job)
            if self._is_stopped or self._n_working > 1:
                self._n_working -= 1
                return None
            seat = self._last_resort()
            self._seats.append(seat)
            return seat

    def _put(self, result: ExtractionResult | BaseException) -> None:
        """Hand over a result, waiting for room as long as there is a caller."""
        while not self._is_stopped:
            try:
                self._queue.put(result, timeout=POLL_SECONDS)
                break
            except queue.Full:
                pass


def _unheard(job: ExtractionJob, done: int, total: int) -> None:
    """A listener that does not listen."""
