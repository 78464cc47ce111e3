"""Chunking: a Document and its tables become the chunks that are embedded, searched and cited."""

from mixrag_cli.chunking.chunks import Telling, chunk_document, chunk_row_lines

__all__ = ["Telling", "chunk_document", "chunk_row_lines"]
