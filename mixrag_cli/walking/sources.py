"""Opening a found file safely: still the same regular file, reached through no link, never blocking.

Between the walk and the reading anything may have been swapped. So a path is followed component by component from
the root with O_NOFOLLOW, and the opened file must be the one that the walk saw.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from dataclasses import replace

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.records.files import SourceFile
from mixrag_cli.walking.rules import HEAD_BYTES, Rule, judge_head

HASH_BLOCK_BYTES = 1 << 20
# Where the system has it: a folder on the way needs to be passable, not listable, and is not opened for reading.
FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

CHANGED = ("changed", "changed while being read; will be read next time")


def open_beneath(root: bytes, path: bytes, flags: int) -> int:
    """A descriptor of root/path; no component of path is a link, "." or "..". The caller closes it.

    path: relative, b"" for the root itself. Raises OSError: ELOOP or ENOTDIR where a link is in the way.
    """
    flags |= os.O_NOFOLLOW | os.O_CLOEXEC
    if not path:
        return os.open(root, flags & ~os.O_NOFOLLOW)
    *folders, name = path.split(b"/")
    if not name or name in (b".", b"..") or any(part in (b"", b".", b"..") for part in folders):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    at = os.open(root, FOLDER_FLAGS & ~os.O_NOFOLLOW)
    try:
        for part in folders:
            below = os.open(part, FOLDER_FLAGS, dir_fd=at)
            os.close(at)
            at = below
        return os.open(name, flags, dir_fd=at)
    finally:
        os.close(at)


def open_source(source: SourceFile) -> int:
    """A descriptor for reading, at the start of exactly the file that the walk saw. The caller closes it.

    Raises FileUnreadable: "vanished", "changed", "permission", "special" or "read-error".
    """
    try:
        file = open_beneath(source.root, source.path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOCTTY", 0))
    except OSError as exc:
        raise explain_failure(exc) from exc
    try:
        ensure_unchanged(file, source)
    except BaseException:
        os.close(file)
        raise
    return file


def ensure_unchanged(file: int, source: SourceFile) -> None:
    """Raise FileUnreadable unless the open file is regular and still what the walk saw.

    To be called after reading, too: a file that was written to meanwhile was not read as one whole.
    """
    try:
        status = os.fstat(file)
    except OSError as exc:
        raise explain_failure(exc) from exc
    if not stat.S_ISREG(status.st_mode):
        raise FileUnreadable("special", "not a regular file")
    seen = (source.device, source.inode, source.size, source.mtime_ns)
    if (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns) != seen:
        raise FileUnreadable(*CHANGED)


def look_again(source: SourceFile) -> SourceFile:
    """The same path with its status of now, for the one retry after a change.

    Raises FileUnreadable as open_source does.
    """
    try:
        file = open_beneath(source.root, source.path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as exc:
        raise explain_failure(exc) from exc
    try:
        status = os.fstat(file)
    finally:
        os.close(file)
    if not stat.S_ISREG(status.st_mode):
        raise FileUnreadable("special", "not a regular file")
    return replace(source, size=status.st_size, mtime_ns=status.st_mtime_ns, device=status.st_dev, inode=status.st_ino)


def hash_file(source: SourceFile) -> str:
    """sha256 of the file's bytes, 64 hex digits, read in blocks of 1 MB.

    Raises FileUnreadable as open_source does, and "changed" when the file was written to while it was read.
    """
    file = open_source(source)
    try:
        digest, block = hashlib.sha256(), bytearray(min(HASH_BLOCK_BYTES, source.size + 1))
        view = memoryview(block)
        left = source.size  # an endless file (as under /proc) ends here, too
        while left > 0 and (n := os.readv(file, [view])):
            digest.update(view[:n])
            left -= n
        ensure_unchanged(file, source)
        if left != 0:
            raise FileUnreadable(*CHANGED)
        return digest.hexdigest()
    except OSError as exc:
        raise explain_failure(exc) from exc
    finally:
        os.close(file)


def judge_content(source: SourceFile) -> Rule | None:
    """The rule that leaves this file out for its first bytes, or None. Raises FileUnreadable as open_source does."""
    file = open_source(source)
    try:
        return judge_head(source.path.rpartition(b"/")[2], os.read(file, HEAD_BYTES))
    except OSError as exc:
        raise explain_failure(exc) from exc
    finally:
        os.close(file)


def explain_failure(exc: OSError) -> FileUnreadable:
    """The system's error as ours."""
    if exc.errno == errno.ENOENT:
        return FileUnreadable("vanished", "vanished before it could be read")
    if exc.errno in (errno.ELOOP, errno.ENOTDIR):
        return FileUnreadable(*CHANGED)  # a link or another thing was put in its way
    if exc.errno in (errno.EACCES, errno.EPERM):
        return FileUnreadable("permission", "permission denied")
    if exc.errno == errno.ENXIO:
        return FileUnreadable("special", "not a regular file")
    reason = os.strerror(exc.errno).lower() if exc.errno else str(exc).lower()
    return FileUnreadable("read-error", f"cannot be read: {reason}")
