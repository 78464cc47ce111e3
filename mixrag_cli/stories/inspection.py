"""What is in a store, and taking documents out of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from mixrag_cli.errors import WrongUsage
from mixrag_cli.models import describe_generator
from mixrag_cli.readers.decoding import is_on_encoding
from mixrag_cli.readers.sheets.sampling import SEARCHABLE
from mixrag_cli.records.files import DocumentRow, Skipped
from mixrag_cli.retrieval.acceptance import JUDGES
from mixrag_cli.retrieval.calibration import ANY, Calibration, as_raw
from mixrag_cli.settings import Settings
from mixrag_cli.store import (
    find_store,
    find_store_of,
    open_reader,
    reopen_writer,
    size_of_store,
    text_to_root,
    written_since,
)
from mixrag_cli.stories.extras import SURETY, kept_calibration
from mixrag_cli.stories.freshness import DiskChanges, compare_with_disk, is_whole, state_of
from mixrag_cli.stories.naming import rows_named
from mixrag_cli.stories.scope import Scope, files_meant
from mixrag_cli.stories.unread import unread_formats


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """What a store holds. roots: absolute folders. updated: seconds since the epoch; bytes: on disk.

    calibration: what the thresholds come from. judged_answers: that tell how sure answers are. no_reader: of the files
    left out, those of a format that nothing here reads, counted by suffix. partly: of tables too long for all rows to
    have vectors, how much is found by what. encodings: of texts that are no UTF-8, in what they were read. run: whether
    the last index run came to its end; writing_since: seconds since the epoch, where one is under way.
    """

    store: Path
    roots: tuple[str, ...]
    documents: int
    by_modality: Mapping[str, int]
    chunks: int
    skipped: tuple[Skipped, ...]
    left_out: tuple[Skipped, ...]
    no_reader: Mapping[str, int]
    partly: tuple[str, ...]
    encodings: tuple[str, ...]
    models: Mapping[str, str]
    thresholds: Mapping[str, float]
    calibration: Calibration
    judged_answers: int
    stale: int
    bytes: int
    updated: float
    program: str
    changes: DiskChanges = field(default_factory=DiskChanges)
    run: Literal["finished", "stopped", "under way"] = "finished"
    writing_since: float | None = None


@dataclass(frozen=True, slots=True)
class ListedFile:
    """One file that a store remembers.

    bytes: of the file; state: see state_of; reason: why it is skipped or stale; notes: what its reader said of it.
    """

    path: str
    modality: str
    passages: int
    bytes: int
    state: str
    reason: str
    notes: tuple[str, ...] = ()

    @property
    def encodings(self) -> tuple[str, ...]:
        """Those of the notes that tell in what encoding it was read."""
        return tuple(filter(is_on_encoding, self.notes))


def list_files(start: Path, patterns: Sequence[str], settings: Settings, *, left_out: bool) -> tuple[ListedFile, ...]:
    """The remembered files that one of the patterns names, all without any, by path; loads no model.

    left_out: those that a rule leaves out as well. Raises NoIndex, StoreDamaged; WrongUsage for a pattern that names
    none.
    """
    store = find_store(start, settings.store)
    with open_reader(store) as reader:
        rows = [row for row in reader.document_rows() if left_out or row.status != "left_out"]
    named = _matching(rows, patterns, store, start, anywhere=True) if patterns else rows
    listed = (
        ListedFile(row.path, row.modality, row.chunks, row.size, state_of(row, store), row.reason, row.warnings)
        for row in named
    )
    return tuple(sorted(listed, key=lambda each: each.path))


def read_status(start: Path, settings: Settings) -> StoreStatus:
    """The state of the store found from start upward, and how the files differ from it; loads no model.

    Raises NoIndex, StoreDamaged.
    """
    store = find_store(start, settings.store)
    with open_reader(store) as reader:
        rows, record = reader.document_rows(), reader.record
    indexed = [row for row in rows if row.status == "indexed"]
    left_out = _skipped(rows, "left_out")
    calibration = kept_calibration(record, settings.rerank)
    changes = compare_with_disk(record, rows, store, settings)
    since = written_since(store)
    return StoreStatus(
        store=store,
        roots=tuple(str(text_to_root(name, store)) for name in record.roots),
        documents=len(indexed),
        by_modality=dict(sorted(Counter(row.modality for row in indexed).items())),
        chunks=sum(row.chunks for row in indexed),
        skipped=_skipped(rows, "skipped"),
        left_out=left_out,
        no_reader=unread_formats(left_out),
        partly=tuple(f"{row.path}: {note}" for row in indexed for note in row.warnings if SEARCHABLE in note),
        encodings=tuple(f"{row.path}: {note}" for row in indexed for note in row.warnings if is_on_encoding(note)),
        models={"embedder": record.embedder, **describe_generator(settings)},
        thresholds=_thresholds(calibration, settings),
        calibration=calibration,
        judged_answers=record.extra.get(SURETY, {}).get("questions", 0),
        stale=sum(row.stale for row in rows),
        bytes=size_of_store(store),
        updated=record.updated_ns / 1e9,
        program=record.program,
        changes=changes,
        run="under way" if since else "finished" if is_whole(record, len(changes.new)) else "stopped",
        writing_since=since,
    )


def _thresholds(calibration: Calibration, settings: Settings) -> dict[str, float]:
    """The scores from which a passage is accepted, by "source" for all passages and "source modality" for each kind.

    That of the words is the share of the highest BM25 score that the question's words can reach.
    """
    found = {}
    for source, modality, threshold in calibration.thresholds(settings.accept_precision / 100):
        if source in JUDGES and math.isfinite(threshold):
            found[source if modality == ANY else f"{source} {modality}"] = round(as_raw(threshold, source, 1.0), 4)
    return found


def _skipped(rows: Sequence[DocumentRow], status: str) -> tuple[Skipped, ...]:
    return tuple(
        Skipped(row.path, row.code, row.reason, by_rule=status == "left_out") for row in rows if row.status == status
    )


def remove_documents(
    start: Path, patterns: Sequence[str], settings: Settings, agree: Callable[[int], None]
) -> tuple[str, ...]:
    """Take the matching files out of the index; returns their display paths.

    They come back at the next index run unless they are gone or ignored. agree: told how many there are before any is
    removed; what it raises stops the removal. Raises WrongUsage where nothing matches, StoreLocked.
    """
    store = find_store_of(patterns[0], start, settings.store)
    with reopen_writer(store) as writer:
        matching = _matching(writer.document_rows(), patterns, store, start)
        agree(len(matching))
        writer.remove([row.id for row in matching])
        writer.finish()
    return tuple(row.path for row in matching)


def _matching(
    rows: Sequence[DocumentRow], patterns: Sequence[str], store: Path, here: Path, *, anywhere: bool = False
) -> list[DocumentRow]:
    """The remembered files that one of the patterns names. Raises WrongUsage where a pattern names none.

    anywhere: one that names none may be the end of a path, or a folder on its way, as for --path.
    """
    found: dict[str, DocumentRow] = {}
    for pattern in patterns:
        named = rows_named(rows, store, pattern, here)
        if not named and anywhere:
            named = files_meant(Scope(paths=(pattern,)), list(rows), anywhere=True)
        if not named:
            raise WrongUsage(f"{pattern}: not in the index", "mixrag ls")
        found.update((row.id, row) for row in named)
    return list(found.values())
