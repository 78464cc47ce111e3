"""What has to be done to bring the index up to the files: compared by size, time and inode first, by content where
those cannot be trusted.

    same status, not racy           -> unchanged, without opening the file
    other status, same content      -> touched: the row is brought up to date, the file is not read
    other or new content            -> to_read; renamed_from where a vanished file had the same content
    another encoding is said        -> to_read
    read by an older program        -> to_read, see READING
    left out, or unreadable         -> noted: a row that says so; or stale: what is known of the file is kept
    gone                            -> removed
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from mixrag_cli.cleaning import display_path, path_from_display
from mixrag_cli.errors import FileUnreadable, MixragError
from mixrag_cli.records.files import DocumentRow, Skipped, SourceFile, bytes_hash_of, content_key, stable_id
from mixrag_cli.walking.rules import Rule
from mixrag_cli.walking.sources import judge_content, look_again

# A file written in the same tick of the clock as the scan that read it may have changed after the reading without a
# new time. 2 s is the coarsest time stamp in use (FAT).
RACY_NS = 2_000_000_000

# A folder that seems to have lost much of its files has more often been unmounted or moved than emptied.
MAX_REMOVED_SHARE = 0.2
MAX_REMOVED = 100
ALWAYS_REMOVABLE = 4  # so few are soon read again; in a folder of 3, deleting 1 must just work

# Failures that say nothing about a file's content: what is known of it stays, marked stale.
PASSING_FAILURES = frozenset({"permission", "read-error", "changed"})


@dataclass(frozen=True, slots=True)
class Change:
    """A file to read. row_id: its document's id. content_hash: see DocumentRow.

    previous: its row of before, when its content changed or an older program read it. renamed_from: the row of a
    vanished file with the same content; what the store holds of that has to go when this file is written.
    """

    source: SourceFile
    row_id: str
    content_hash: str
    previous: DocumentRow | None = None
    renamed_from: DocumentRow | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """What a walk means for the store.

    removed: rows to forget, before anything is written. touched, stale, noted: rows to write as they are; touched
    and stale ones keep their chunks, noted ones (status "left_out" or "skipped") have none. A file that was indexed
    and is now left out is both in removed and in noted, with one id.
    n_known, n_missing: how many files the store knew, and how many of them are gone from the disk (rather than left
    out now): the numbers for guard_removals.
    """

    unchanged: tuple[DocumentRow, ...]
    to_read: tuple[Change, ...]
    removed: tuple[DocumentRow, ...]
    touched: tuple[DocumentRow, ...] = ()
    stale: tuple[DocumentRow, ...] = ()
    noted: tuple[DocumentRow, ...] = ()
    n_known: int = 0
    n_missing: int = 0


def document_id(root: bytes, path: bytes) -> str:
    """The id of the document that a file is: 32 hex digits."""
    return stable_id("document", root, path)


def detect_changes(
    found: Iterable[SourceFile],
    known: Iterable[DocumentRow],
    scan_started_ns: int,
    hash_file: Callable[[SourceFile], str],
    skipped: Iterable[Skipped] = (),
    judge: Callable[[SourceFile], Rule | None] = judge_content,
) -> Changes:
    """Compare the walk of one root (what it found and what it skipped) with the rows known of that root.

    scan_started_ns: the clock before the walk began; it becomes the seen_ns of touched and noted rows.
    judge: the rule that leaves a file out for its content. It and hash_file run only on files that may have changed.
    Raises ValueError when there is more than one root.
    """
    rows = {row.key: row for row in known}
    comparison = _Comparison(rows, scan_started_ns, hash_file, judge)
    roots = {row.root for row in rows.values()}
    for source in found:
        roots.add(source.root)
        comparison.take_found(source)
    if len(roots) > 1:
        raise ValueError("the files and rows of one root at a time")
    root = roots.pop() if roots else b""
    for entry in skipped:
        comparison.take_skipped(root, entry)
    comparison.take_unseen()
    return comparison.conclude()


def guard_removals(n_known: int, n_removed: int, prune: bool) -> None:
    """Raise MixragError when so many files are missing that the folder itself is more likely to be.

    That is: more than 100, or more than a fifth of those known, or all of them. Up to 4 may always go, as long as
    one stays; a lone file may go, too. prune: the user has said that they are meant to go.
    """
    if prune or n_removed == 0:
        return
    all_gone = n_removed >= n_known > 1
    many_gone = n_removed > MAX_REMOVED or n_removed > MAX_REMOVED_SHARE * n_known
    if all_gone or (many_gone and n_removed > ALWAYS_REMOVABLE):
        raise MixragError(
            f"{n_removed:,} of {n_known:,} files are missing; nothing removed",
            "mixrag index --prune (if they are meant to be gone)",
        )


class _Comparison:
    """One run of detect_changes: the known rows by raw path, and the piles."""

    def __init__(
        self,
        known: dict[bytes, DocumentRow],
        started_ns: int,
        hash_file: Callable[[SourceFile], str],
        judge: Callable[[SourceFile], Rule | None],
    ) -> None:
        self.known = known
        self.started_ns = started_ns
        self.hash_file = hash_file
        self.judge = judge
        self.unchanged: list[DocumentRow] = []
        self.touched: list[DocumentRow] = []
        self.stale: list[DocumentRow] = []
        self.noted: list[DocumentRow] = []
        self.removed: list[DocumentRow] = []
        self.to_read: list[Change] = []
        self.missing: list[DocumentRow] = []
        self.seen: set[bytes] = set()  # keys of known rows that are accounted for
        self.closed_folders: set[bytes] = set()  # could not be looked into
        self.left_out_folders: set[bytes] = set()

    def take_found(self, source: SourceFile) -> None:
        """Put one file of the walk on its pile."""
        row = self.known.get(source.path)
        if row is not None and is_surely_same(source, row):
            self.seen.add(source.path)
            self.unchanged.append(row)
            return
        try:
            try:
                self._compare_content(source, row)
            except FileUnreadable as failure:
                if failure.code != "changed":
                    raise
                self._compare_content(look_again(source), row)
        except FileUnreadable as failure:
            self._take_failure(source, failure)

    def _compare_content(self, source: SourceFile, row: DocumentRow | None) -> None:
        content_hash = content_key(self.hash_file(source), source.encoding)
        if row is not None and row.content_hash == content_hash:
            self._touch(source, row)
        elif rule := self.judge(source):
            self._note_left_out(source, row, rule, content_hash)
        else:
            previous = row if row is not None and row.status != "left_out" else None
            self.to_read.append(Change(source, document_id(source.root, source.path), content_hash, previous))
        self.seen.add(source.path)

    def _touch(self, source: SourceFile, row: DocumentRow) -> None:
        # A time in the future stays racy for ever: writing the row again would make no later run faster.
        is_settled = source.mtime_ns < self.started_ns - RACY_NS
        if has_same_status(source, row) and not row.stale and not is_settled:
            self.unchanged.append(row)
            return
        fresh = with_status(row, source, self.started_ns)
        self.touched.append(replace(fresh, stale=False, code="", reason="") if row.stale else fresh)

    def _note_left_out(self, source: SourceFile, row: DocumentRow | None, rule: Rule, content_hash: str) -> None:
        entry = Skipped(display_path(source.path), rule.code, rule.reason, by_rule=True)
        note = replace(self._note_of(source.root, source.path, entry), content_hash=content_hash)
        self.noted.append(with_status(note, source, self.started_ns))
        if row is not None and has_content(row):
            self.removed.append(row)

    def _take_failure(self, source: SourceFile, failure: FileUnreadable) -> None:
        if failure.code == "vanished":
            return  # not seen: a row of it is missing
        entry = Skipped(display_path(source.path), failure.code, failure.reason)
        self.take_skipped(source.root, entry)

    def take_skipped(self, root: bytes, entry: Skipped) -> None:
        """Put one thing that was passed over on its pile."""
        key = path_from_display(entry.path)
        row = self.known.get(key)
        self.seen.add(key)
        if key.endswith(b"/"):
            (self.left_out_folders if entry.by_rule else self.closed_folders).add(key)
        if row is not None and has_content(row):
            if entry.code in PASSING_FAILURES:
                self._mark_stale(row, entry.code, entry.reason)
                return
            self.removed.append(row)
        note = self._note_of(root, key, entry)
        if row is not None and says_the_same(row, note):
            self.unchanged.append(row)
        else:
            self.noted.append(note)

    def _note_of(self, root: bytes, key: bytes, entry: Skipped) -> DocumentRow:
        return DocumentRow(
            id=document_id(root, key),
            root=root,
            key=key,
            path=entry.path,
            status="left_out" if entry.by_rule else "skipped",
            seen_ns=self.started_ns,
            code=entry.code,
            reason=entry.reason,
        )

    def _mark_stale(self, row: DocumentRow, code: str, reason: str) -> None:
        if row.status == "skipped":  # it has nothing that could be out of date
            self.unchanged.append(row)
            return
        stale = replace(row, stale=True, code=code, reason=reason)
        (self.unchanged if stale == row else self.stale).append(stale)

    def take_unseen(self) -> None:
        """Put the known rows that the walk said nothing about on their piles."""
        for key, row in self.known.items():
            if key in self.seen:
                continue
            folders = enclosing_folders(key)
            if not self.closed_folders.isdisjoint(folders):
                self._mark_stale(row, "permission", "its folder could not be looked into")
            elif has_content(row) and self.left_out_folders.isdisjoint(folders):
                self.missing.append(row)
            else:
                self.removed.append(row)

    def conclude(self) -> Changes:
        """The piles, with vanished files matched to new ones of the same content."""
        to_read, gone = match_renames(self.to_read, self.missing)
        return Changes(
            unchanged=tuple(self.unchanged),
            to_read=tuple(to_read),
            removed=(*self.removed, *gone),
            touched=tuple(self.touched),
            stale=tuple(self.stale),
            noted=tuple(self.noted),
            n_known=sum(map(has_content, self.known.values())),
            n_missing=len(gone),
        )


def has_same_status(source: SourceFile, row: DocumentRow) -> bool:
    """Whether size, time and inode are those of the row. The device's number is not: it changes with a remount."""
    return source.mtime_ns == row.mtime_ns and source.size == row.size and source.inode == row.inode


def is_surely_same(source: SourceFile, row: DocumentRow) -> bool:
    """Whether the file cannot have changed since it was read, judged without opening it."""
    is_racy = source.mtime_ns >= row.seen_ns - RACY_NS
    is_read = bool(row.content_hash) and not row.is_outdated and row.encoding == source.encoding
    return has_same_status(source, row) and not is_racy and is_read and not row.stale


def is_reread(change: Change) -> bool:
    """Whether the file is as it was, and is read because an older program read it."""
    before = change.previous
    return before is not None and before.is_outdated and before.bytes_hash == bytes_hash_of(change.content_hash)


def has_content(row: DocumentRow) -> bool:
    """Whether the row stands for a file that was read (or tried), rather than for a name passed over."""
    return row.status != "left_out" and bool(row.content_hash)


def says_the_same(row: DocumentRow, note: DocumentRow) -> bool:
    """Whether a row already says what the note would. Ids and shown paths are the caller's to choose: not compared."""
    return (row.status, row.code, row.reason, row.content_hash) == (note.status, note.code, note.reason, "")


def with_status(row: DocumentRow, source: SourceFile, seen_ns: int) -> DocumentRow:
    """The row with the size, time and place that the walk found."""
    return replace(
        row,
        size=source.size,
        mtime_ns=source.mtime_ns,
        device=source.device,
        inode=source.inode,
        seen_ns=seen_ns,
    )


def enclosing_folders(key: bytes) -> list[bytes]:
    """The folders above a path, each with its slash: b"a/b/c" -> [b"a/", b"a/b/"]."""
    return [key[: at + 1] for at, byte in enumerate(key[:-1]) if byte == 0x2F]


def match_renames(changes: Iterable[Change], missing: Iterable[DocumentRow]) -> tuple[list[Change], list[DocumentRow]]:
    """The changes with renamed_from set where a missing row has the new file's content, and the rows left over.

    Among several such rows one with the same last component of its path is taken first. Empty files are all alike
    and never matched.
    """
    by_hash: dict[str, list[DocumentRow]] = {}
    for row in missing:
        by_hash.setdefault(row.bytes_hash, []).append(row)
    matched = []
    for change in changes:
        same = by_hash.get(bytes_hash_of(change.content_hash))
        if not same or change.previous is not None or change.source.size == 0:
            matched.append(change)
            continue
        name = last_component(change.source.path)
        row = min(same, key=lambda row: (last_component(row.key) != name, row.key))
        same.remove(row)
        matched.append(replace(change, renamed_from=row))
    return matched, [row for rows in by_hash.values() for row in rows]


def last_component(path: bytes) -> bytes:
    """b"a/b.md" -> b"b.md"."""
    return path.rpartition(b"/")[2]
