"""Extraction: from files on disk to chunks and tables, in processes that may be killed.

A reader process is a module of this package, too, and needs nothing of its parent's side: names are imported at their
first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mixrag_cli.extraction.jobs import ExtractionJob, ExtractionResult
    from mixrag_cli.extraction.opening import open_readers
    from mixrag_cli.extraction.pool import ReaderPool

__all__ = ["ExtractionJob", "ExtractionResult", "ReaderPool", "open_readers"]

_HOME_OF = {"ExtractionJob": "jobs", "ExtractionResult": "jobs", "ReaderPool": "pool", "open_readers": "opening"}


def __getattr__(name: str) -> Any:
    """Import the module that defines the name, at its first use."""
    if (home := _HOME_OF.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
