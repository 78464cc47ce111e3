"""Who may write and who is reading: flock on two files of the store.

`lock` is held by the one writer; `readers.lock` shared by every reader and exclusively by clean-up. The kernel
frees a lock when its holder dies, so there are no stale locks. The text inside `lock` is for messages only.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mixrag_cli.errors import MixragError, StoreLocked

LOCK_FILE = "lock"
READERS_FILE = "readers.lock"
RETRY_S = 0.05
CLEANUP_PATIENCE_S = 30.0  # a reader meets a clean-up, which deletes files and is over in moments

_BUSY = {errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK}


@contextmanager
def write_lock(store: Path, wait_s: float = 0) -> Iterator[None]:
    """Hold the store's write lock; wait up to wait_s seconds for another writer to finish.

    Raises StoreLocked, or MixragError where the file system cannot write or lock.
    """
    descriptor = _open_lock(store / LOCK_FILE)
    try:
        if not _lock_before(descriptor, fcntl.LOCK_EX, time.monotonic() + wait_s, store):
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


def share_for_reading(store: Path) -> int | None:
    """A descriptor that holds the shared lock until it is closed, so that no clean-up removes what is being read.

    None where the file cannot be opened or locked: then nobody can clean up there either.
    """
    try:
        descriptor = os.open(store / READERS_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        locked = _lock_before(descriptor, fcntl.LOCK_SH, time.monotonic() + CLEANUP_PATIENCE_S, store)
    except MixragError:
        locked = False
    if locked:
        return descriptor
    os.close(descriptor)
    return None


@contextmanager
def exclude_readers(store: Path) -> Iterator[bool]:
    """Try, without waiting, to keep all readers out; yields whether that worked."""
    descriptor = _open_lock(store / READERS_FILE)
    try:
        yield _lock_before(descriptor, fcntl.LOCK_EX, 0.0, store)
    finally:
        os.close(descriptor)


def _open_lock(path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        os.fchmod(descriptor, 0o600)
    except OSError as exc:
        raise MixragError(f"cannot write {path.parent}: {(exc.strerror or str(exc)).lower()}") from exc
    return descriptor


def _lock_before(descriptor: int, kind: int, deadline: float, store: Path) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except OSError as exc:
            if exc.errno not in _BUSY:
                raise MixragError(
                    f"cannot lock {store}: {(exc.strerror or str(exc)).lower()}",
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


def _holder(descriptor: int) -> str:
    plain = "another mixrag is indexing this folder"
    try:
        note = json.loads(os.pread(descriptor, 200, 0))
        since = time.strftime("%H:%M", time.localtime(float(note["since"])))
        return f"{plain} (pid {int(note['pid'])}, since {since})"
    except (ValueError, KeyError, TypeError, OSError, OverflowError):
        return plain
