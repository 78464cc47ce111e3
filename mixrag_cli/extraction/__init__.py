"""Extraction: from files on disk to chunks and tables, in processes that may be killed."""

from mixrag_cli.extraction.jobs import ExtractionJob, ExtractionResult
from mixrag_cli.extraction.opening import open_readers
from mixrag_cli.extraction.pool import ReaderPool

__all__ = ["ExtractionJob", "ExtractionResult", "ReaderPool", "open_readers"]
