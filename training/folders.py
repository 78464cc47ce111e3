"""Files as the product reads them, without an index."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from mixrag_cli.extraction import ExtractionJob, ReaderPool
from mixrag_cli.models.bundled import WINDOW
from mixrag_cli.records.files import SourceFile
from mixrag_cli.records.passages import Extraction
from mixrag_cli.settings import Settings
from mixrag_cli.walking import WalkLimits, document_id, walk_root

LARGEST_MB = 50  # of a file


def read_folder(folder: Path) -> Iterator[tuple[str, Extraction]]:
    """The readable files of a folder by their paths, in the order in which they are read."""
    root = os.fsencode(folder)
    sources = [one for one in walk_root(folder, limits=WalkLimits(LARGEST_MB)) if isinstance(one, SourceFile)]
    jobs = [ExtractionJob(one, document_id(root, one.path), os.fsdecode(one.path)) for one in sources]
    with ReaderPool(Settings(), WINDOW) as pool:
        for result in pool.extract_all(jobs):
            if result.extraction is not None:
                yield result.job.path, result.extraction
