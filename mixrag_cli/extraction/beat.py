"""The sign of life that a reader process gives its parent while it works."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from mixrag_cli.extraction.transport import send_frame

BEAT_SECONDS = 0.2  # a reader may beat a thousand times a second; the parent needs to hear it a few times


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
        """Beat while a library is loaded or a large table read: on a busy machine longer than a file may be silent.

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
