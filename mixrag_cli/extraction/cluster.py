"""Seats on the nodes of a Ray cluster. The one module that imports ray.

A cluster runs what its members send it, and it is given the texts of the files. So it is only joined where a person
names it, or where this user's own has been started on this machine.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import signal
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

# Read when ray is loaded, by it and by all that it starts.
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
os.environ.setdefault("RAY_worker_niceness", "0")  # of a cluster of our own; at Ray's 15 a busy machine starves it

import ray
from ray.exceptions import GetTimeoutError, RayError

from mixrag_cli import __version__
from mixrag_cli.errors import FileUnreadable, MixragError, WrongUsage
from mixrag_cli.extraction.jobs import BeatListener, ExtractionJob, ExtractionResult, SeatLost
from mixrag_cli.extraction.node import NodeReader
from mixrag_cli.extraction.process_seat import ProcessSeat
from mixrag_cli.extraction.transport import extraction_from_plain
from mixrag_cli.settings import Settings

AUTO = "auto"
LOCAL = "local"
MAX_SEATS = 256  # one writer embeds for all of them; far more would only wait
START_SECONDS = 60.0  # for a place in the cluster and for its imports; a busy machine took 12 s
STORE_BYTES = 128 * 2**20  # of results in flight on a cluster of our own; eight waiting results are a few MB
TRIES = 2  # of one file in the cluster, before this machine reads it


class FileUnseen(Exception):
    """A node does not see the file as this machine does."""


class Cluster:
    """A cluster that is joined, or one of this machine's cores that is started, until the block is left.

    address: HOST:PORT; "auto" for the one of this user on this machine, else a new one that ends with the block.
    Raises WrongUsage for an address that cannot be meant.
    """

    def __init__(self, address: str, settings: Settings, window: int) -> None:
        if "://" in address:
            raise WrongUsage(f"--ray {address}: give HOST:PORT, or auto", "ray status")
        if settings.offline == "on" and address != AUTO:
            raise WrongUsage(f"--ray {address}: offline is on", "mixrag config set offline off")
        self._address = address
        self._settings = settings
        self._window = window
        self._held = ExitStack()
        self._at_home = threading.Semaphore(os.cpu_count() or 1)
        self._lock = threading.Lock()
        self._lost: list[str] = []
        self._read_here = 0

    def __enter__(self) -> Cluster:
        """Raises MixragError where there is no such cluster, or where it has another mixrag or none."""
        if ray.is_initialized():  # joined already, by the program around this one
            return self
        try:
            with self._held:
                self._join()
                self._held.callback(ray.shutdown)
                self._held = self._held.pop_all()
        except (RayError, ConnectionError, OSError, ValueError, RuntimeError) as error:
            raise MixragError(
                f"--ray {self._address}: no cluster there ({_first_line(error)})", "ray status --address ADDRESS"
            ) from error
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def seats(self, n_files: int) -> list[ClusterSeat]:
        """A seat for each processor of the cluster, `workers` of them where that is set; at most one a file."""
        allowed = self._settings.workers or int(ray.cluster_resources().get("CPU", 1))
        return [
            ClusterSeat(self, self._settings, self._window) for _ in range(max(1, min(allowed, n_files, MAX_SEATS)))
        ]

    @property
    def notes(self) -> list[str]:
        """What went otherwise than it should in the cluster, a line each."""
        why = ", ".join(dict.fromkeys(self._lost))
        lost = [f"the cluster lost {len(self._lost)} reader processes ({why}); their files were read again"]
        lost = lost if self._lost else []
        here = f"{self._read_here} files could not be read in the cluster as they stand here, and were read here"
        return [*lost, here] if self._read_here else lost

    def note_lost(self, error: BaseException) -> None:
        """A node's process was lost."""
        with self._lock:
            self._lost.append(type(error).__name__)

    def extract_here(self, job: ExtractionJob, on_beat: BeatListener, seat: ProcessSeat) -> ExtractionResult:
        """What comes of a file on this machine, which reads no more at once than it has processors."""
        with self._lock:
            self._read_here += 1
        with self._at_home:
            try:
                return seat.extract(job, on_beat)
            finally:
                seat.release()

    def _join(self) -> None:
        logging.getLogger("ray").setLevel(logging.ERROR)
        shared: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
        # Ray lends the modules of the current folder to all that it starts, and a folder may be a stranger's.
        with _signals_kept(), contextlib.chdir("/"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a fork while the engine is loaded: what is forked becomes Ray at once
            if self._address != AUTO or (self._settings.offline == "off" and _runs_own_cluster()):
                ray.init(address=self._address, **shared)
            else:
                self._start(**shared)

    def _start(self, **shared: Any) -> None:
        """A cluster of this machine's processors, which nobody enters without the token."""
        if "RAY_AUTH_TOKEN_PATH" not in os.environ:  # Ray would write one into the home folder, for all to read
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        # A short path: Ray's sockets lie in it.
        folder = tempfile.TemporaryDirectory(prefix="mixrag-ray-", ignore_cleanup_errors=True)
        ray.init(
            address=LOCAL,
            num_cpus=self._settings.workers or os.cpu_count() or 1,
            object_store_memory=STORE_BYTES,
            include_dashboard=False,
            _temp_dir=self._held.enter_context(folder),
            **shared,
        )


class ClusterSeat:
    """Reads files on whatever node has room (jobs.Seat); takes another node when that one is lost."""

    def __init__(self, cluster: Cluster, settings: Settings, window: int) -> None:
        self._cluster = cluster
        self._arguments = (settings, window)
        self._reader: Any = None
        self._here = ProcessSeat(settings, window)
        self._is_killed = False
        self._lock = threading.Lock()

    def extract(self, job: ExtractionJob, on_beat: BeatListener) -> ExtractionResult:
        """What comes of the file; what no node sees, or what two lost, is read on this machine.

        Raises SeatLost where the cluster has no room, and MixragError for a node that is unfit.
        """
        for _ in range(TRIES):
            try:
                frames = self._ready_reader().read.remote(job.source, job.document_id, job.path)
                return _collect(job, (json.loads(ray.get(frame)) for frame in frames), on_beat)
            except FileUnseen:
                break
            except RayError as error:
                self.release()
                if self._is_killed:
                    raise SeatLost from None
                self._cluster.note_lost(error)
        return self._cluster.extract_here(job, on_beat, self._here)

    def release(self) -> None:
        """Let go of the node's process."""
        with self._lock:
            reader, self._reader = self._reader, None
        if reader is not None and ray.is_initialized():
            ray.kill(reader)

    def kill(self) -> None:
        """End the node's process and start no other."""
        with self._lock:
            self._is_killed = True
        self.release()
        self._here.kill()

    def _ready_reader(self) -> Any:
        with self._lock:
            if self._is_killed:
                raise SeatLost
            if self._reader is not None:
                return self._reader
            remote = ray.remote(num_cpus=1, max_restarts=0)(NodeReader)
            reader = self._reader = remote.options(scheduling_strategy="SPREAD").remote(*self._arguments)
        try:
            version = ray.get(reader.version.remote(), timeout=START_SECONDS)
        except GetTimeoutError:
            raise SeatLost from None
        if version != __version__:
            raise MixragError(f"a node of the cluster has mixrag {version}, this machine {__version__}")
        return reader


def _collect(job: ExtractionJob, frames: Iterator[Any], on_beat: BeatListener) -> ExtractionResult:
    """The result among what a node says. Raises FileUnseen."""
    for frame in frames:
        if "beat" in frame:
            on_beat(job, *frame["beat"])
        elif "failure" in frame:
            return ExtractionResult(job, failure=FileUnreadable(*frame["failure"]))
        elif "extraction" in frame:
            return ExtractionResult(job, extraction_from_plain(frame["extraction"]))
    raise FileUnseen


def _runs_own_cluster() -> bool:
    """Whether "auto" would join a cluster that this user, or root, has started or named.

    Ray notes the machine's newest cluster in a folder that everybody may write.
    """
    if os.environ.get("RAY_ADDRESS"):
        return True
    noted = Path(os.environ.get("RAY_TMPDIR", "/tmp"), "ray", "ray_current_cluster")
    try:
        return noted.stat().st_uid in (0, os.getuid())
    except OSError:
        return False


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Ray answers signals in a way of its own; the program's answers are put back."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:120]
