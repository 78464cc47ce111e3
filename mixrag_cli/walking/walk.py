"""The files under a root, and what was passed over and why. Paths are bytes throughout: the file system's own.

Nothing is read here but ignore files. No symbolic link is ever entered by accident: a link is reported, or with
follow=True stands for its target, which must lie inside the root and is then listed under its own path.
"""

# Paths are bytes here, which pathlib does not hold.
# ruff: noqa: PTH110, PTH116, PTH118, PTH119, PTH120

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mixrag_cli.cleaning import display_path
from mixrag_cli.errors import MixragError
from mixrag_cli.records.files import Skipped, SourceFile
from mixrag_cli.walking.ignores import (
    IGNORE_FILES,
    MAX_IGNORE_BYTES,
    IgnoreFile,
    Pattern,
    is_ignored,
    parse_ignore_text,
)
from mixrag_cli.walking.rules import (
    EXCLUDED,
    IGNORED,
    IMAGE,
    NO_READER_CODES,
    NOT_INCLUDED,
    SECRET,
    TOOL_FOLDER,
    TOOL_FOLDER_MARKS,
    WAIVED_WHEN_NAMED,
    Rule,
    judge_file_name,
    judge_folder_name,
)
from mixrag_cli.walking.selection import EVERYTHING, Selection
from mixrag_cli.walking.sources import open_beneath

LINK = Rule("link", "symbolic link; not followed")
DANGLING = Rule("link", "symbolic link that leads nowhere")
REPEATED = Rule("link", "the same folder as one already walked")
OUTSIDE = Rule("outside", "points outside the folder")
SPECIAL = Rule("special", "not a regular file")

READABLE_BY_ALL = 0o444


@dataclass(frozen=True, slots=True)
class WalkLimits:
    """What the walk leaves out for its size, and by the user's wish. reads_images: whether text on them can be read."""

    max_file_mb: int = 512
    selection: Selection = EVERYTHING
    reads_images: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A directory entry with its own (not its target's) status."""

    name: bytes
    status: os.stat_result
    readable: bool


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder still to be walked; ignores: those of the folders above it, outermost first."""

    path: bytes
    ignores: tuple[IgnoreFile, ...]


Step = SourceFile | Skipped | Folder


def walk_root(
    root: Path,
    *,
    limits: WalkLimits | None = None,
    follow: bool = False,
    store: Path | None = None,
    within: bytes = b"",
    skip: Container[bytes] = (),
) -> Iterator[SourceFile | Skipped]:
    """Every wanted file under root, in the order of its path's bytes, and every file or folder passed over.

    A folder that is left out is one Skipped whose path ends in "/". store: the index's own folder, passed over in
    silence. within: only this file or folder, relative to the root; since the user named it, it is taken even when it
    is hidden, ignored or generated, but never when it is a secret; and a file without a reader is then not left out by
    rule but unreadable. skip: folders, relative to the root, that are not entered.

    Raises MixragError when the root, or within, is not there or cannot be listed.
    """
    walk = Walk(root, limits or WalkLimits(), follow, store, skip)
    yield from walk.run(within.strip(b"/"))


class Walk:
    """One walk over one root: what has been seen so far, and the links to look at in the end."""

    def __init__(
        self, root: Path, limits: WalkLimits, follow: bool, store: Path | None, skip: Container[bytes]
    ) -> None:
        self.shown_root = display_path(os.fsencode(root))
        self.root = os.path.realpath(os.fsencode(root))
        self.max_bytes = limits.max_file_mb * 1_000_000
        self.selection = limits.selection
        self.waived = frozenset({IMAGE.code}) if limits.reads_images else frozenset[str]()
        self.follow = follow
        self.store = identity_of(store)
        self.skip = skip
        self.seen_folders: set[tuple[int, int]] = set()
        self.listed: set[bytes] = set()  # kept only with follow: a link's target is listed once
        self.links: list[bytes] = []

    def run(self, within: bytes) -> Iterator[SourceFile | Skipped]:
        """The whole walk, then the links."""
        try:
            first = self._named(within) if within else self._enter(b"", ())
        except OSError as exc:
            shown = display_path(os.path.join(self.root, within)) if within else self.shown_root
            raise MixragError(f"{shown}: {describe_error(exc)}") from exc
        yield from self._walk(first)
        while self.links:
            links, self.links = sorted(self.links), []
            for link in links:
                yield from self._walk(self._follow_link(link))

    def _walk(self, first: list[Step]) -> Iterator[SourceFile | Skipped]:
        stack = first[::-1]
        while stack:
            step = stack.pop()
            if isinstance(step, Folder):
                if step.path not in self.skip:
                    stack.extend(reversed(self._try_folder(step)))
                continue
            if self.follow and isinstance(step, SourceFile):
                if step.path in self.listed:
                    continue
                self.listed.add(step.path)
            yield step

    def _try_folder(self, folder: Folder) -> list[Step]:
        try:
            return self._enter(folder.path, folder.ignores)
        except OSError as exc:
            code = "permission" if exc.errno in (errno.EACCES, errno.EPERM) else "read-error"
            return [Skipped(display_path(folder.path + b"/"), code, describe_error(exc))]

    def _enter(self, path: bytes, ignores: tuple[IgnoreFile, ...]) -> list[Step]:
        """What to do with each entry of a folder, in order. Raises OSError when it cannot be listed."""
        status, entries = list_folder(self.root, path)
        if (status.st_dev, status.st_ino) in self.seen_folders:
            return [left_out(path + b"/", REPEATED)]
        if path and any(entry.name in TOOL_FOLDER_MARKS for entry in entries):
            return [left_out(path + b"/", TOOL_FOLDER)]
        self.seen_folders.add((status.st_dev, status.st_ino))
        ignores = self._with_own(path, entries, ignores)
        prefix = path + b"/" if path else b""
        steps = (self._judge(prefix + entry.name, entry, ignores) for entry in entries)
        return [step for step in steps if step is not None]

    def _with_own(self, path: bytes, entries: list[Entry], ignores: tuple[IgnoreFile, ...]) -> tuple[IgnoreFile, ...]:
        names = {entry.name for entry in entries if entry.name in IGNORE_FILES}
        lines = [
            pattern for name in IGNORE_FILES if name in names for pattern in read_ignore_file(self.root, path, name)
        ]
        return (*ignores, IgnoreFile(os.fsdecode(path), lines)) if lines else ignores

    def _judge(
        self, path: bytes, entry: Entry, ignores: tuple[IgnoreFile, ...], waived: frozenset[str] = frozenset()
    ) -> Step | None:
        """The step for one entry. waived: codes of rules that do not count here; None: nothing to do or to say."""
        mode = entry.status.st_mode
        if stat.S_ISDIR(mode):
            return self._judge_folder(path, entry, ignores, waived)
        rule = judge_file_name(entry.name)
        if rule is not None and rule.code not in waived | self.waived:
            return left_out(path, rule)
        if "ignored" not in waived and is_ignored(path, False, ignores):
            return left_out(path, IGNORED)
        if "excluded" not in waived and self.selection.excludes(path, False):
            return left_out(path, EXCLUDED)
        if "excluded" not in waived and not self.selection.includes(path):
            return left_out(path, NOT_INCLUDED)
        if stat.S_ISLNK(mode):
            if not self.follow:
                return left_out(path, self._judge_link(path))
            self.links.append(path)
            return None
        if not stat.S_ISREG(mode):
            return left_out(path, SPECIAL)
        if entry.status.st_size > self.max_bytes:
            return Skipped(display_path(path), "too-large", f"larger than {self.max_bytes // 1_000_000:,} MB")
        if not entry.readable:
            return Skipped(display_path(path), "permission", "permission denied")
        return source_file(self.root, path, entry.status, self.selection.encoding_of(path))

    def _judge_folder(
        self, path: bytes, entry: Entry, ignores: tuple[IgnoreFile, ...], waived: frozenset[str]
    ) -> Step | None:
        if (entry.status.st_dev, entry.status.st_ino) == self.store:
            return None
        rule = judge_folder_name(entry.name)
        if rule is not None and rule.code not in waived:
            return left_out(path + b"/", rule)
        if "ignored" not in waived and is_ignored(path, True, ignores):
            return left_out(path + b"/", IGNORED)
        if "excluded" not in waived and self.selection.excludes(path, True):
            return left_out(path + b"/", EXCLUDED)
        return Folder(path, ignores)

    def _named(self, path: bytes) -> list[Step]:
        """The steps for what the user named: all ignore files above it count for what is below it.

        Raises OSError when it is not there.
        """
        folder, _, name = path.rpartition(b"/")
        if folder and (rule := secret_above(folder)):
            return [left_out(path, rule)]
        above = [os.path.join(self.root, part) for part in folders_above(path)]
        if self.store and self.store in map(identity_of, above):
            return []
        real = os.path.realpath(os.path.join(self.root, path))
        status = os.lstat(os.path.join(self.root, path))
        if real != os.path.join(self.root, path):
            return self._follow_link(path)
        ignores: tuple[IgnoreFile, ...] = ()
        for part in folders_above(path):
            ignores = self._with_own(part, list_folder(self.root, part)[1], ignores)
        readable = os.access(real, os.R_OK, effective_ids=os.access in os.supports_effective_ids)
        step = self._judge(path, Entry(name, status, readable), ignores, WAIVED_WHEN_NAMED)
        if isinstance(step, Skipped) and step.code in NO_READER_CODES:
            step = replace(step, by_rule=False)  # the user meant this very file, so it counts as one that failed
        return [] if step is None else [step]

    def _judge_link(self, path: bytes) -> Rule:
        """Why a link is not followed."""
        full = os.path.join(self.root, path)
        if not os.path.exists(full):
            return DANGLING
        return LINK if is_inside(os.path.realpath(full), self.root) else OUTSIDE

    def _follow_link(self, path: bytes) -> list[Step]:
        """The step for the target of a link: inside the root and under its own path, or a reason."""
        full = os.path.realpath(os.path.join(self.root, path))
        if not is_inside(full, self.root):
            return [left_out(path, OUTSIDE)]
        target = full[len(self.root.rstrip(b"/")) + 1 :]
        if not os.path.exists(full):
            return [left_out(path, DANGLING)]
        status = os.lstat(full)
        if (status.st_dev, status.st_ino) in self.seen_folders or not target or target in self.listed:
            return [left_out(path, REPEATED)] if stat.S_ISDIR(status.st_mode) else []
        folder = target if stat.S_ISDIR(status.st_mode) else os.path.dirname(target)
        if rule := secret_above(folder):
            return [left_out(path, rule)]
        readable = os.access(full, os.R_OK, effective_ids=os.access in os.supports_effective_ids)
        entry = Entry(os.path.basename(target), status, readable)
        step = self._judge(target, entry, (), frozenset({"hidden", "ignored"}))
        return [] if step is None else [step]


def list_folder(root: bytes, path: bytes) -> tuple[os.stat_result, list[Entry]]:
    """A folder's own status and its entries, in the order that makes the whole walk sorted by path.

    Opened component by component from the root, never through a link. Raises OSError.
    """
    folder = open_beneath(root, path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(folder) as found:
            entries = [entry for item in found if (entry := read_entry(item, folder)) is not None]
        entries.sort(key=lambda entry: entry.name + b"/" if stat.S_ISDIR(entry.status.st_mode) else entry.name)
        return os.fstat(folder), entries
    finally:
        os.close(folder)


def read_entry(item: os.DirEntry[str], folder: int) -> Entry | None:
    """An entry with its status; None when it vanished. Raises OSError: a folder may be listable but not passable."""
    try:
        status = item.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    # The permission bits settle nearly every file without a further call to the system.
    readable = status.st_mode & READABLE_BY_ALL == READABLE_BY_ALL or os.access(
        item.name, os.R_OK, dir_fd=folder, effective_ids=os.access in os.supports_effective_ids
    )
    return Entry(os.fsencode(item.name), status, readable)


def read_ignore_file(root: bytes, folder: bytes, name: bytes) -> list[Pattern]:
    """The patterns of one ignore file; none when it is no regular file or cannot be read."""
    try:
        file = open_beneath(root, folder + b"/" + name if folder else name, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return []
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return []
        return parse_ignore_text(os.read(file, MAX_IGNORE_BYTES))
    except OSError:
        return []
    finally:
        os.close(file)


def source_file(root: bytes, path: bytes, status: os.stat_result, encoding: str = "") -> SourceFile:
    """The record of a file with this status."""
    return SourceFile(root, path, status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino, encoding)


def left_out(path: bytes, rule: Rule) -> Skipped:
    """A path passed over by rule."""
    return Skipped(display_path(path), rule.code, rule.reason, by_rule=True)


def folders_above(path: bytes) -> Iterator[bytes]:
    """The folders that hold a path, outermost first: b"a/b/c" -> b"", b"a", b"a/b"."""
    yield b""
    parts = path.split(b"/")[:-1]
    for depth in range(1, len(parts) + 1):
        yield b"/".join(parts[:depth])


def secret_above(folder: bytes) -> Rule | None:
    """The rule, when any component of the folder's path is kept for secrets."""
    return SECRET if any(judge_folder_name(part) == SECRET for part in folder.split(b"/")) else None


def is_inside(path: bytes, root: bytes) -> bool:
    """Whether a real path is the root or lies under it."""
    return path == root or path.startswith(root.rstrip(b"/") + b"/")


def identity_of(folder: Path | bytes | None) -> tuple[int, int] | None:
    """Device and inode of a folder, None when there is none."""
    try:
        status = os.stat(folder) if folder is not None else None
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if status else None


def describe_error(exc: OSError) -> str:
    """The system's own words for an error, in our form."""
    return (os.strerror(exc.errno) if exc.errno else str(exc)).lower()
