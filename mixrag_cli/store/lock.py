"""Who may write and who reads what: locks on two files of the store.

The one writer holds the byte of `lock`. Of `readers.lock` each byte stands for one version of a table: a reader shares
the bytes of the versions that it reads, and clean-up removes those that nobody holds. The gate, a byte of its own, is
shared while a reader opens the store and held alone by clean-up. The kernel frees a lock when its holder dies, so there
are no stale locks. The text inside `lock` is for messages only.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import struct
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mixrag_cli.errors import MixragError, StoreLocked, reason_of
from mixrag_cli.store.layout import PRIVATE_FILE, file_mode

LOCK_FILE = "lock"
READERS_FILE = "readers.lock"
RETRY_S = 0.05
CLEANUP_PATIENCE_S = 30.0  # a reader meets a clean-up, which deletes files and is over in moments

WRITER = 0  # the one byte of `lock`
GATE = 2**62
ALL_BYTES = 0  # as a length: to the end, wherever that is
_FLOCK = "@hhqqi4x"  # struct flock: kind, whence, first byte, how many, whose

_BUSY = {errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK}


@contextmanager
def write_lock(store: Path, wait_s: float = 0) -> Iterator[None]:
    """Hold the store's write lock; wait up to wait_s seconds for another writer to finish.

    Raises StoreLocked, or MixragError where the file system cannot write or lock.
    """
    descriptor = _open_lock(store / LOCK_FILE)
    try:
        if not _before(time.monotonic() + wait_s, lambda: _lock_bytes(descriptor, fcntl.F_WRLCK, WRITER), store):
            raise StoreLocked(_holder(descriptor), hint="mixrag index --wait 60")
        _sign(descriptor)
        yield
    finally:
        os.close(descriptor)


def ensure_unlocked(store: Path, wait_s: float = 0) -> None:
    """Raise StoreLocked at once where another process is writing, before any work is done in vain."""
    if store.is_dir():
        with write_lock(store, wait_s):
            pass


def written_since(store: Path) -> float | None:
    """When the process that is writing the store began, in seconds since the epoch; None where nobody writes.

    It asks and locks nothing, so that it keeps no writer out.
    """
    try:
        descriptor = os.open(store / LOCK_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        signature = _signature(descriptor) if _is_held(descriptor, WRITER) else None
        return signature[1] if signature else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


@contextmanager
def opening_for_reading(store: Path) -> Iterator[int | None]:
    """A descriptor to hold versions with, while no clean-up begins; what is held is let go when it is closed.

    None where the file cannot be opened or locked: then nobody can clean up there either.
    """
    try:
        descriptor = os.open(store / READERS_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        deadline = time.monotonic() + CLEANUP_PATIENCE_S
        is_open = _before(deadline, lambda: _lock_bytes(descriptor, fcntl.F_RDLCK, GATE), store)
    except MixragError:
        is_open = False
    if not is_open:
        os.close(descriptor)
        yield None
        return
    try:
        yield descriptor
        _lock_bytes(descriptor, fcntl.F_UNLCK, GATE)
    except BaseException:
        os.close(descriptor)
        raise


def hold(descriptor: int, places: Iterable[int]) -> None:
    """Share these bytes; call it inside opening_for_reading."""
    for place in places:
        _lock_bytes(descriptor, fcntl.F_RDLCK, place)


@contextmanager
def cleaning_up(store: Path) -> Iterator[Callable[[int, int], bool] | None]:
    """Keep out readers that would open the store; yields whether any of so many bytes from a place on is held.

    None, without waiting, where a reader is opening it right now.
    """
    descriptor = _open_lock(store / READERS_FILE)
    try:
        is_alone = _before(0.0, lambda: _lock_bytes(descriptor, fcntl.F_WRLCK, GATE), store)
        yield (lambda place, count: _is_held(descriptor, place, count)) if is_alone else None
    finally:
        os.close(descriptor)


@contextmanager
def exclude_readers(store: Path) -> Iterator[bool]:
    """Try, without waiting, to keep all readers out; yields whether that worked."""
    descriptor = _open_lock(store / READERS_FILE)
    try:
        yield _before(0.0, lambda: _lock_bytes(descriptor, fcntl.F_WRLCK, 0, ALL_BYTES), store)
    finally:
        os.close(descriptor)


def _lock_bytes(descriptor: int, kind: int, place: int, count: int = 1) -> None:
    """Raises OSError, with EAGAIN where another holds them."""
    fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _range(kind, place, count))


def _is_held(descriptor: int, place: int, count: int = 1) -> bool:
    known = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _range(fcntl.F_WRLCK, place, count))
    return bool(struct.unpack(_FLOCK, known)[0] != fcntl.F_UNLCK)


def _range(kind: int, place: int, count: int) -> bytes:
    return struct.pack(_FLOCK, kind, os.SEEK_SET, place, count, 0)


def _open_lock(path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, PRIVATE_FILE)
        if os.fstat(descriptor).st_uid == os.geteuid():
            os.fchmod(descriptor, file_mode(path.parent))
    except OSError as exc:
        raise MixragError(f"cannot write {path.parent}: {reason_of(exc)}") from exc
    return descriptor


def _before(deadline: float, lock: Callable[[], None], store: Path) -> bool:
    """Whether the lock was got in time; tried at least once. Raises MixragError where the file system has none."""
    while True:
        try:
            lock()
        except OSError as exc:
            if exc.errno not in _BUSY:
                raise MixragError(
                    f"cannot lock {store}: {reason_of(exc)}",
                    hint="put the index on a local disk: mixrag index --store PATH FOLDER",
                ) from exc
        else:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(RETRY_S)


def _sign(descriptor: int) -> None:
    note = json.dumps({"pid": os.getpid(), "since": time.time()}).encode("ascii")
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, note, 0)


def _signature(descriptor: int) -> tuple[int, float] | None:
    """The process that holds the lock, and since when; None where it has not signed yet."""
    try:
        note = json.loads(os.pread(descriptor, 200, 0))
        pid, since = int(note["pid"]), float(note["since"])
        time.localtime(since)
        return pid, since
    except (ValueError, KeyError, TypeError, OSError, OverflowError):
        return None


def _holder(descriptor: int) -> str:
    plain = "another mixrag is indexing this folder"
    if (signature := _signature(descriptor)) is None:
        return plain
    pid, since = signature
    return f"{plain} (pid {pid}, since {time.strftime('%H:%M', time.localtime(since))})"
