"""Text files, of which some are tables: a sheet that was saved as text, with tabs between its columns."""

from __future__ import annotations

from mixrag_cli.readers.decoding import decode
from mixrag_cli.readers.sheets.delimited import read_delimited
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.readers.text import read_text
from mixrag_cli.records.documents import Document

HEAD_BYTES, HEAD_LINES = 16_384, 60  # of a file that are looked at
MIN_LINES = 5


def read_saved_text(source: ReadSource) -> Document:
    """The table of such a file, else its text. Raises FileUnreadable as their readers do."""
    head = source.file.read(HEAD_BYTES)
    source.file.seek(0)
    return read_delimited(source) if is_tabbed(decode(head)[0]) else read_text(source)


def is_tabbed(text: str) -> bool:
    """Whether the whole lines of a text's beginning all have a label and as many tabs."""
    lines = [line for line in text.split("\n")[:-1] if line.strip()][:HEAD_LINES]
    return (
        len(lines) >= MIN_LINES
        and len({line.count("\t") for line in lines}) == 1
        and all("\t" in line and line.partition("\t")[0].strip() for line in lines)
    )
