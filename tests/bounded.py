"""What tests say of time, on a machine of any speed: that work grows in line with its size, and that it ends."""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import AnyStr

PATIENCE_S = 200  # what only a wait without end exceeds, on a machine that is busy with other things
PART = 4  # of the work is done alone first
N_MEASURED = 2  # times each, of which the quickest counts: what else the machine does only adds
MOST_GROWTH = 2 * PART  # work in line with its size takes PART times as long, work with its square PART**2 times
SLACK_S = 0.05  # of what does not grow


def assert_in_line(work: Callable[[AnyStr], object], whole: AnyStr) -> None:
    """The work on a text takes processor time in line with its length: as on a quarter of it, times four."""
    part_s, whole_s = (_least_seconds(work, text) for text in (whole[: len(whole) // PART], whole))
    assert whole_s < MOST_GROWTH * part_s + SLACK_S, (part_s, whole_s)


def _least_seconds(work: Callable[[AnyStr], object], of: AnyStr) -> float:
    """The garbage of all tests before is left alone meanwhile: it would be looked through the more, the longer the
    text."""
    found = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(N_MEASURED):
            started = time.process_time()
            work(of)
            found.append(time.process_time() - started)
    finally:
        gc.enable()
    return min(found)


@contextmanager
def patience() -> Iterator[None]:
    """Fail where the work within would not end; on the main thread alone."""

    def give_up(*_: object) -> None:
        raise AssertionError(f"not done after {PATIENCE_S} s")

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
