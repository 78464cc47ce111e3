"""What the indexed folders hold beside what the store remembers of them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mixrag_cli import __version__
from mixrag_cli.cleaning import display_path
from mixrag_cli.errors import NoIndex
from mixrag_cli.records.files import DocumentRow, Skipped, SourceFile
from mixrag_cli.settings import Settings
from mixrag_cli.store import open_reader
from mixrag_cli.stories.roots import IndexPlan, RootPlan
from mixrag_cli.stories.selections import Selections
from mixrag_cli.stories.unread import reads_images
from mixrag_cli.walking import IMAGE, Change, Selection, WalkLimits, detect_changes, document_id, hash_file, walk_root


@dataclass(frozen=True, slots=True)
class Scan:
    """What all walks found beside what the store remembers. to_read pairs each change with its row to be."""

    to_read: tuple[tuple[Change, DocumentRow], ...] = ()
    removed: tuple[DocumentRow, ...] = ()
    noted: tuple[DocumentRow, ...] = ()
    unchanged: tuple[DocumentRow, ...] = ()
    n_known: int = 0
    n_missing: int = 0
    selections: Selections = field(default_factory=dict)  # that were walked by, to be kept

    @property
    def has_work(self) -> bool:
        """Whether the store has to be opened for writing."""
        return bool(self.to_read or self.removed or self.noted)

    def __add__(self, other: Scan) -> Scan:
        return Scan(
            self.to_read + other.to_read,
            self.removed + other.removed,
            self.noted + other.noted,
            self.unchanged + other.unchanged,
            self.n_known + other.n_known,
            self.n_missing + other.n_missing,
        )


def scan_roots(
    plan: IndexPlan, settings: Settings, follow: bool, selections: Selections, known: Sequence[DocumentRow]
) -> Scan:
    """All roots compared with what is known of them. Raises MixragError for a root that cannot be walked."""
    total = Scan()
    for root in plan.roots:
        selection = selections.get(os.fsdecode(root.name), Selection())
        limits = WalkLimits(settings.max_file_mb, selection, reads_images=reads_images(settings))
        total = total + _scan_root(root, plan.store, known, limits, follow)
    return total


def _scan_root(root: RootPlan, store: Path, known: Iterable[DocumentRow], limits: WalkLimits, follow: bool) -> Scan:
    """Compare one root with what is known of it.

    The store names a root by text ("." for the folder it lies in), so that both can move together; the walk names it
    by its real path. Rows are translated at this border, both ways.
    """
    started_ns = time.time_ns()
    real_root = os.path.realpath(os.fsencode(root.folder))
    found: list[SourceFile] = []
    passed_over: list[Skipped] = []
    for step in walk_root(root.folder, limits=limits, follow=follow, store=store, within=root.within):
        found.append(step) if isinstance(step, SourceFile) else passed_over.append(step)
    rows = [replace(row, root=real_root) for row in known if row.root == root.name and root.covers(row.key)]
    changes = detect_changes(found, rows, started_ns, hash_file, passed_over)

    def stored(row: DocumentRow) -> DocumentRow:
        return replace(row, root=root.name, id=document_id(root.name, row.key), path=root.display(row.path))

    gone = [change.renamed_from for change in changes.to_read if change.renamed_from is not None]
    return Scan(
        to_read=tuple((change, _row_of(change, root, started_ns)) for change in changes.to_read),
        removed=tuple(stored(row) for row in (*changes.removed, *gone)),
        noted=tuple(stored(row) for row in (*changes.noted, *changes.touched, *changes.stale)),
        unchanged=tuple(stored(row) for row in changes.unchanged),
        n_known=changes.n_known,
        n_missing=changes.n_missing,
    )


def known_rows(store: Path, settings: Settings) -> list[DocumentRow]:
    """The files that the store remembers; what another version of this program could not read is to be tried again,
    and so are scans once there is OCR.
    """
    try:
        with open_reader(store) as reader:
            rows = reader.document_rows()
            same_program = reader.record.program == __version__
    except NoIndex:
        return []
    scans_again = reads_images(settings)
    return [
        replace(row, content_hash="")
        if row.status == "skipped" and (not same_program or (scans_again and row.code == IMAGE.code))
        else row
        for row in rows
    ]


def _row_of(change: Change, root: RootPlan, started_ns: int) -> DocumentRow:
    source = change.source
    return DocumentRow(
        id=document_id(root.name, source.path),
        root=root.name,
        key=source.path,
        path=root.display(display_path(source.path)),
        status="indexed",
        size=source.size,
        mtime_ns=source.mtime_ns,
        device=source.device,
        inode=source.inode,
        seen_ns=started_ns,
        content_hash=change.content_hash,
    )
