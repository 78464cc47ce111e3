"""One reader process as the program sees it: started, asked, watched and, if need be, killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import Any

from mixrag_cli.children import child_command, child_surroundings
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.extraction.transport import (
    Request,
    TransportError,
    chunk_from_plain,
    receive_frame,
    send_request,
)
from mixrag_cli.plain import table_from_plain
from mixrag_cli.records.passages import Chunk, Extraction
from mixrag_cli.records.tables import Table
from mixrag_cli.settings import NO_PIPELINE, Settings

START_SECONDS = 300  # of silence, until a new child has begun with its first file: no file can be to blame for those
# What a spaCy pipeline may hold beside a file: spaCy loads torch where it is installed, and torch built for CUDA maps
# 2.1 GB before it has done anything.
PIPELINE_MEMORY_MB = 3000
GRACE_SECONDS = 2.0  # a child whose socket is closed leaves by itself; after this it is killed
# One thread a process: the files are the parallelism.
CHILD_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


class WorkerLost(Exception):
    """The process died or was killed over the file it read.

    code: "timeout", "memory" or "crashed". reason: one line for people.
    """

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Worker:
    """A reader process. Use from one thread, and keep that thread alive: the kernel ends the child with it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        ours, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                self._command(theirs.fileno()),
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                **child_surroundings(**CHILD_ENVIRONMENT),
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self._connection = ours
        self.files_read = 0

    @property
    def pid(self) -> int:
        """The process id of the child."""
        return self._process.pid

    def read(
        self, request: Request, fd: int, on_beat: Callable[[int, int], None] = lambda done, total: None
    ) -> Extraction:
        """What the child makes of the open file.

        Raises FileUnreadable when the child reports one, WorkerLost when it dies, stays silent too long or takes
        too long in all; the child is gone then.
        """
        watch = _Watch(self._connection, self._settings, START_SECONDS if self.files_read == 0 else 0)
        self.files_read += 1
        try:
            send_request(self._connection, request.to_plain(), fd)
            return self._collect(watch, on_beat)
        except TimeoutError:
            self.kill()
            raise WorkerLost("timeout", watch.reason()) from None
        except (TransportError, OSError):
            raise self._cause_of_death() from None
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError) as exc:
            self.kill()  # records that do not fit: the child is not itself any more
            raise WorkerLost("crashed", "the reader sent what cannot be used") from exc

    def stop(self) -> None:
        """Let the child leave, or make it."""
        self._connection.close()
        try:
            self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End the child at once. May be called from any thread; what read() waits for then ends too."""
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _command(self, descriptor: int) -> list[str]:
        pipeline_mb = 0 if self._settings.nlp == NO_PIPELINE else PIPELINE_MEMORY_MB
        memory_mb = self._settings.worker_memory_mb + pipeline_mb
        numbers = [descriptor, os.getpid(), memory_mb, self._settings.worker_cpu_s]
        return child_command("mixrag_cli.extraction.child", list(map(str, numbers)))

    def _collect(self, watch: _Watch, on_beat: Callable[[int, int], None]) -> Extraction:
        chunks: list[Chunk] = []
        tables: list[Table] = []
        while (frame := receive_frame(self._connection, watch.before_wait)) is not None:
            watch.heard()
            if "beat" in frame:
                on_beat(int(frame["beat"][0]), int(frame["beat"][1]))
            elif "chunks" in frame:
                chunks += map(chunk_from_plain, frame["chunks"])
            elif "table" in frame:
                tables.append(table_from_plain(frame["table"]))
            elif "failure" in frame:
                self._report_failure(frame)
            else:
                done = frame["done"]
                return Extraction(
                    done["modality"],
                    str(done["title"]),
                    tuple(chunks),
                    tuple(tables),
                    int(done["n_characters"]),
                    tuple(map(str, done["warnings"])),
                    min(max(int(done["words_only"]), 0), len(chunks)),
                )
        raise TransportError("closed without an answer")

    def _report_failure(self, frame: Mapping[str, Any]) -> None:
        code, reason = map(str, frame["failure"])
        if frame["is_last"]:
            self.kill()
            raise WorkerLost(code, reason)
        raise FileUnreadable(code, reason)

    def _cause_of_death(self) -> WorkerLost:
        """Why the connection ended; makes sure that the child has ended too."""
        try:
            status = self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return WorkerLost("crashed", "the reader stopped answering")
        if status == -signal.SIGXCPU:
            return WorkerLost("timeout", f"gave up after {self._settings.worker_cpu_s} s of computing")
        if status == -signal.SIGKILL:
            return WorkerLost("crashed", "the reader was killed; the machine may be short of memory")
        return WorkerLost("crashed", "the reader crashed")


class _Watch:
    """The two clocks of one file: how long the child may be silent, and how long it may take in all.

    start_s: how long it may be silent at first, where that is longer.
    """

    def __init__(self, connection: socket.socket, settings: Settings, start_s: int) -> None:
        self._connection = connection
        self._settings = settings
        self._deadline = time.monotonic() + start_s + settings.worker_total_s
        self._bearable = max(start_s, settings.worker_silence_s)
        self._silence_ends = time.monotonic() + self._bearable
        self._is_started = False

    def heard(self) -> None:
        """The child has said something whole: at first that it has started, and the file's time begins."""
        now = time.monotonic()
        if not self._is_started:
            self._is_started = True
            self._deadline = now + self._settings.worker_total_s
        self._bearable = self._settings.worker_silence_s
        self._silence_ends = now + self._bearable

    def before_wait(self) -> None:
        """Give the connection what is left of the nearer limit; bytes that are already there are still read."""
        left = min(self._deadline, self._silence_ends) - time.monotonic()
        self._connection.settimeout(max(left, 0.001))

    def reason(self) -> str:
        """Which limit was reached, in words."""
        if time.monotonic() >= self._deadline:
            return f"gave up after {self._settings.worker_total_s} s"
        return f"gave up after {self._bearable} s without progress"
