"""Folders as the product sees them: the files as it reads them, or its index of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from mixrag_cli.extraction import ExtractionJob, ReaderPool
from mixrag_cli.models.bundled import WINDOW
from mixrag_cli.records.files import SourceFile
from mixrag_cli.records.passages import Extraction
from mixrag_cli.settings import Settings
from mixrag_cli.stories.session import Session, open_session
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


def files_of_kind(files: Iterable[Path], suffixes: Collection[str], n_bytes: tuple[int, int]) -> list[Path]:
    """Those of the files with one of the suffixes, and more and fewer bytes than these two."""
    least, most = n_bytes
    return [one for one in files if one.suffix.lower() in suffixes and least < one.stat().st_size < most]


def copy_files(files: Iterable[Path], target: Path) -> None:
    """Copy files of several folders into one, which is made, each named after its own folder, too."""
    target.mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copyfile(file, target / f"{file.parent.name}-{file.name}")


def open_indexed(folder: Path, store: Path) -> Session:
    """The folder's index, made or brought up to date by the program itself."""
    command = (sys.executable, "-m", "mixrag_cli", "index", str(folder), "--store", str(store), "--json")
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)  # 3 where a file could not be read
    return open_session(folder, Settings(store=store))
