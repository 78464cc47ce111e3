"""What the engine writes in passing stays in the store: the documents' words never lie in a folder that all share."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mixrag_cli.store.layout import SCRATCH_DIR, make_private_folder

_VARIABLE = "TMPDIR"  # the engine asks for it each time that it makes a temporary folder; Python once a process


@contextmanager
def scratch_in(store: Path) -> Iterator[None]:
    """Lead temporary files into a private folder of the locked store, which goes at the end. Raises OSError."""
    folder = store / SCRATCH_DIR
    shutil.rmtree(folder, ignore_errors=True)  # what a writer that crashed has left
    make_private_folder(folder)  # of the writer alone, in a group's store too
    before, of_python = os.environ.get(_VARIABLE), tempfile.tempdir
    os.environ[_VARIABLE] = tempfile.tempdir = str(folder)
    try:
        yield
    finally:
        os.environ.pop(_VARIABLE) if before is None else os.environ.update({_VARIABLE: before})
        tempfile.tempdir = of_python
        shutil.rmtree(folder, ignore_errors=True)
