"""The documents of a data set, indexed by the program's own means into a cache, never beside the data set.

    texts of a corpus ─► files in the cache ─► build_index ─► store, used again by the next run
    folders of files ─────────────────────► build_index ─► store, brought up to date by each run

A store is kept for each set of documents and each way of indexing them; the least recently used ones go.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from mixrag_cli import __version__
from mixrag_cli.errors import MixragError, ModelUnusable
from mixrag_cli.evaluation.datasets import DataSet, SourceText
from mixrag_cli.generator import Generator
from mixrag_cli.models import load_embedder, require_generator
from mixrag_cli.records.files import DocumentRow
from mixrag_cli.settings import Settings, cache_folder
from mixrag_cli.store import open_reader
from mixrag_cli.stories.events import IndexEvents
from mixrag_cli.stories.grouping import summarise_groups, wants_groups
from mixrag_cli.stories.indexing import IndexReport, build_index
from mixrag_cli.stories.session import Session, open_session
from mixrag_cli.stories.summary_budget import INTERRUPTED
from mixrag_cli.stories.wishes import IndexWishes

MAX_STORES = 12  # kept in the cache; each is some 20 MB a thousand documents
# The settings that decide what an index holds; all others may differ between runs over one store.
INDEX_SETTINGS = (
    "embedder",
    "table_representation",
    "prose_chunks",
    "passage_tokens",
    "embedder_window",
    "nlp",
    "calibration",
    "summaries",
    "summary_tokens",
    "summary_minutes",
    "max_file_mb",
    "max_text_file_mb",
    "ocr",
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """An indexed data set. store: its folder; notes: for people, on what could not be indexed."""

    dataset: DataSet
    store: Path
    notes: tuple[str, ...]

    def open(self, settings: Settings) -> Session:
        """A session over it. Raises as open_session does."""
        return open_session(self.store, replace(settings, store=self.store))

    def names(self, rows: Sequence[DocumentRow]) -> dict[str, str]:
        """Row id to the document's name in the data set: its id there, or its path below the folder of files."""
        if self.dataset.documents:
            ids = {os.fsencode(document.path): document.id for document in self.dataset.documents}
            return {row.id: ids[row.key] for row in rows if row.key in ids}
        return {row.id: row.path for row in rows if row.status == "indexed"}


def eval_cache(given: Path | None) -> Path:
    """Where evaluations keep their stores and replies: given, else below the program's cache folder."""
    return given.expanduser().absolute() if given else cache_folder("eval")


def corpus_folder(dataset: DataSet, settings: Settings, cache: Path) -> Path:
    """Where the data set lies when it is indexed as the settings say: another way of indexing, another folder."""
    return cache / "stores" / _key(dataset, settings)


def prepare_corpus(
    dataset: DataSet,
    settings: Settings,
    folder: Path,
    events: IndexEvents,
    generator: Callable[[], Generator] | None = None,
    *,
    fresh: bool = False,
) -> Corpus:
    """The data set, indexed into its corpus_folder; at once where an earlier run has done it.

    generator: loads what writes summaries. fresh: index again whatever there is. Raises what build_index raises,
    ModelUnusable where summaries are wanted and cannot be written, KeyboardInterrupt when it was interrupted.
    """
    store, done = folder / "store", folder / "done.json"
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    if dataset.documents and (notes := _read_notes(done)) is not None and _is_usable(store, settings):
        done.touch()
        _summarise_groups(store, settings, events, generator)
        return Corpus(dataset, store, notes)
    if dataset.documents:  # of a run that did not end, or made with another model
        shutil.rmtree(store, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    roots = list(dataset.folders) or [_write_texts(folder / "files", dataset.documents)]
    own = replace(settings, store=store)
    wishes = IndexWishes(wait_s=60, prune=True, like=_others(folder))
    report = build_index(roots, own, events=events, wishes=wishes, generator=generator)
    if report.interrupted:
        raise KeyboardInterrupt
    if report.summaries is not None and report.summaries.lacks_model:
        raise ModelUnusable(f"summaries of tables: {report.summaries.stopped}")
    notes = tuple(_notes(report))
    done.write_text(json.dumps({"notes": notes}), "utf-8")
    _forget_oldest(folder.parent)
    return Corpus(dataset, store, notes)


def _others(folder: Path) -> tuple[Path, ...]:
    """The stores of other sizes and other ways of indexing: a text that one of them holds is embedded once."""
    return tuple(done.with_name("store") for done in sorted(folder.parent.glob("*/done.json")) if done.parent != folder)


def _summarise_groups(
    store: Path, settings: Settings, events: IndexEvents, generator: Callable[[], Generator] | None
) -> None:
    """What a run with the source "tiers" finds written of an index that another run has made."""
    if not wants_groups(settings):
        return
    found = summarise_groups(
        store,
        settings,
        load_embedder=partial(load_embedder, settings),
        load_generator=generator or partial(require_generator, settings),
        events=events,
    )
    if found.stopped == INTERRUPTED:
        raise KeyboardInterrupt


def _key(dataset: DataSet, settings: Settings) -> str:
    chosen = [f"{name}={getattr(settings, name)}" for name in INDEX_SETTINGS]
    if settings.summaries != "none":
        chosen.append(f"generator={settings.generator} {settings.generator_model}")
    if settings.rerank == "late":
        chosen.append("late")
    return hashlib.sha256("\n".join((dataset.digest(), __version__, *chosen)).encode()).hexdigest()[:24]


def _is_usable(store: Path, settings: Settings) -> bool:
    """Whether the store opens with the model of today: the same name may stand for newer weights."""
    with suppress(MixragError), open_reader(store) as reader:
        return reader.record.embedder == load_embedder(settings).name
    return False


def _read_notes(done: Path) -> tuple[str, ...] | None:
    try:
        return tuple(map(str, json.loads(done.read_text("utf-8"))["notes"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write_texts(folder: Path, documents: Sequence[SourceText]) -> Path:
    for document in documents:
        target = folder / document.path
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        target.write_text(document.text, "utf-8", errors="replace", newline="")
    return folder


def _notes(report: IndexReport) -> list[str]:
    missing = [*report.skipped, *report.left_out]
    notes = [
        f"{len(missing)} documents are not in the index (first: {each.path}: {each.reason})" for each in missing[:1]
    ]
    return [*notes, *report.warnings[:5]]


def _forget_oldest(stores: Path) -> None:
    known = sorted(stores.iterdir(), key=lambda folder: -_last_used(folder))
    for folder in known[MAX_STORES:]:
        shutil.rmtree(folder, ignore_errors=True)


def _last_used(folder: Path) -> float:
    try:
        return (folder / "done.json").stat().st_mtime
    except OSError:
        return folder.stat().st_mtime  # being built now, perhaps by another process
