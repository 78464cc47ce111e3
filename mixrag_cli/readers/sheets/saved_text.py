"""Text files, of which some are tables: a sheet saved as text, with tabs between its columns or quotes around texts."""

from __future__ import annotations

import csv
import re

from mixrag_cli.readers.decoding import decode
from mixrag_cli.readers.sheets.delimited import read_delimited
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.readers.text import read_text
from mixrag_cli.records.documents import Document

HEAD_BYTES, HEAD_LINES = 16_384, 60  # of a file that are looked at
MIN_LINES = 5
MIN_FIELDS = 3  # with quotes around two of them and more
QUOTED = re.compile(r'(?:^|[,;|])\s*"[^"]*"\s*(?=[,;|]|$)')


def read_saved_text(source: ReadSource) -> Document:
    """The table of such a file, else its text. Raises FileUnreadable as their readers do."""
    head = source.file.read(HEAD_BYTES)
    source.file.seek(0)
    text = decode(head)[0]
    return read_delimited(source) if is_tabbed(text) or is_quoted(text) else read_text(source)


def is_quoted(text: str) -> bool:
    """Whether the whole lines of a text's beginning have as many fields each, with quotes around the first and more."""
    lines = [line.strip() for line in text.split("\n")[:-1] if line.strip()][:HEAD_LINES]
    if len(lines) < MIN_LINES or not all(line[0] == '"' and len(QUOTED.findall(line)) > 1 for line in lines):
        return False
    widths = ({len(fields) for fields in csv.reader(lines, delimiter=delimiter)} for delimiter in ",;|")
    return any(len(found) == 1 and min(found) >= MIN_FIELDS for found in widths)


def is_tabbed(text: str) -> bool:
    """Whether the whole lines of a text's beginning all have a label and as many tabs."""
    lines = [line for line in text.split("\n")[:-1] if line.strip()][:HEAD_LINES]
    return (
        len(lines) >= MIN_LINES
        and len({line.count("\t") for line in lines}) == 1
        and all("\t" in line and line.partition("\t")[0].strip() for line in lines)
    )
