"""A file as the walk finds it, and as the store remembers it; ids and paths."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import Literal

# What is made of a file's bytes: raised whenever readers, tables, chunking or terms make something else of the same
# file, so that files that an older program read are read again. tests/test_reading_version.py says when.
READING = 18
READ_BY_OLDER = "read by an older version"


def stable_id(*parts: str | bytes | int) -> str:
    """Hash the parts, in order, to 32 hex digits.

    Parts are length-prefixed, so ("ab", "c") and ("a", "bc") differ.
    """
    digest = hashlib.sha256()
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()[:32]


def content_key(bytes_hash: str, encoding: str = "") -> str:
    """What a file's passages are made of: its bytes, the program's reading, the encoding where the user said one.

    Example: "9f…" and "cp1252" -> "9f…@1+cp1252".
    """
    return f"{bytes_hash}@{READING}" + (f"+{encoding}" if encoding else "")


def bytes_hash_of(content_hash: str) -> str:
    """The hash of the bytes alone. Example: "9f…@1+cp1252" -> "9f…"."""
    return content_hash.partition("+")[0].partition("@")[0]


def path_from_root(path: str, root: str) -> str:
    """A display path from the indexed folder on: the folders above it speak of the disk, not of the document.

    Example: path "/home/ann/filings/2023/q1.pdf", root "/home/ann/filings" -> "filings/2023/q1.pdf".
    """
    return path.removeprefix(root.rpartition("/")[0]).lstrip("/") if path.startswith(f"{root}/") else path


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A regular file that the walk found.

    root: absolute path of the indexed folder; path: relative to it. Both are bytes: the file system's own.
    encoding: that the user says its text is in, "" where it is to be found out.
    """

    root: bytes
    path: bytes
    size: int
    mtime_ns: int
    device: int
    inode: int
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is not in the index, and why.

    path: cleaned for display, relative to the root. code: a stable word. by_rule: left out on purpose
    (ignored, hidden, secret, …) rather than unreadable; only the latter turns the exit code into 3.
    """

    path: str
    code: str
    reason: str
    by_rule: bool = False


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A file as the store remembers it.

    status: "indexed", "empty", "skipped" (unreadable) or "left_out" (by rule). path: cleaned for display. key: the raw
    path. content_hash: content_key() of what was read, with the sha256 of the bytes, hex; "" where never read; before
    there was a READING, without it. seen_ns: when the scan that read it began.
    """

    id: str
    root: bytes
    key: bytes
    path: str
    status: Literal["indexed", "empty", "skipped", "left_out"]
    size: int = 0
    mtime_ns: int = 0
    device: int = 0
    inode: int = 0
    seen_ns: int = 0
    content_hash: str = ""
    modality: str = ""
    title: str = ""
    code: str = ""
    reason: str = ""
    chunks: int = 0
    tokens: int = 0
    stale: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def path_below(self) -> str:
        """The path from the indexed folder on: all of it that is searched."""
        return path_from_root(self.path, os.fsdecode(self.root))

    @property
    def bytes_hash(self) -> str:
        """The hash of the file's bytes alone, "" where it was never read."""
        return bytes_hash_of(self.content_hash)

    @property
    def is_outdated(self) -> bool:
        """Whether an older program read it, that may have made other passages of the same bytes."""
        known = content_key(self.bytes_hash, self.encoding)
        return bool(self.content_hash) and self.content_hash != known

    @property
    def encoding(self) -> str:
        """The encoding that the user said when the file was read, "" where none."""
        return self.content_hash.partition("+")[2]
