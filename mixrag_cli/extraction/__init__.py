"""Extraction: from files on disk to chunks and tables, in processes that may be killed."""

from mixrag_cli.extraction.pool import ExtractionJob, ExtractionResult, ReaderPool

__all__ = ["ExtractionJob", "ExtractionResult", "ReaderPool"]
