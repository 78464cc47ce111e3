"""Asking files that are not indexed: read, cut and embedded on the spot, kept in memory, forgotten."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mixrag_cli.cleaning import display_path
from mixrag_cli.errors import MixragError, WrongUsage
from mixrag_cli.extraction import ExtractionJob, ReaderPool
from mixrag_cli.models import Embedder, late_dim_of, load_embedder, passage_window
from mixrag_cli.records.files import DocumentRow, SourceFile
from mixrag_cli.records.passages import Extraction
from mixrag_cli.settings import Settings
from mixrag_cli.store.memory import MemoryStore
from mixrag_cli.store.schema import StoredDocument
from mixrag_cli.stories.embedding import chunks_to_embed, embed_cached, text_to_embed, with_words_only
from mixrag_cli.stories.session import Session
from mixrag_cli.stories.unread import reads_images
from mixrag_cli.walking import WalkLimits, document_id, walk_root


def open_files(files: Sequence[Path], settings: Settings) -> Session:
    """A session over these files alone, without any index.

    Raises WrongUsage for what is not a file, MixragError for one that cannot be read, ModelUnusable.
    """
    embedder = load_embedder(settings)
    rows = {row.id: (row, source) for row, source in (_row_of(path, settings) for path in files)}
    jobs = [ExtractionJob(source, row.id, row.path_below) for row, source in rows.values()]
    documents = []
    with ReaderPool(settings, passage_window(settings, embedder)) as pool:
        for result in pool.extract_all(jobs):
            row = rows[result.job.document_id][0]
            if result.extraction is None:
                raise MixragError(f"{row.path}: {result.failure.reason if result.failure else 'not read'}")
            documents.append(_embedded(row, result.extraction, embedder))
    documents.sort(key=lambda document: list(rows).index(document.row.id))
    return Session(MemoryStore(documents, embedder.name, embedder.dim, late_dim_of(embedder)), embedder, settings)


def _row_of(path: Path, settings: Settings) -> tuple[DocumentRow, SourceFile]:
    if path.is_dir():
        raise WrongUsage(f"{path}: a folder, and no file", f"mixrag index {path}")
    if not path.is_file():
        raise WrongUsage(f"{path}: no such file")
    folder, name = path.absolute().parent, os.fsencode(path.name)
    for step in walk_root(
        folder, limits=WalkLimits(settings.max_file_mb, reads_images=reads_images(settings)), within=name
    ):
        if not isinstance(step, SourceFile):
            raise MixragError(f"{path}: {step.reason}")
        root = os.fsencode(folder)
        shown = display_path(os.fsencode(path))
        row = DocumentRow(
            document_id(root, name), root, name, shown, "indexed", step.size, step.mtime_ns, step.device, step.inode
        )
        return row, step
    raise WrongUsage(f"{path}: no such file")


def _embedded(row: DocumentRow, extraction: Extraction, embedder: Embedder) -> StoredDocument:
    vectors, late = with_words_only(
        *embed_cached([text_to_embed(chunk) for chunk in chunks_to_embed(extraction)], embedder),
        extraction.n_words_only,
    )
    known = replace(row, modality=extraction.modality, title=extraction.title, chunks=len(extraction.chunks))
    return StoredDocument(known, extraction.chunks, vectors, extraction.tables, late)
