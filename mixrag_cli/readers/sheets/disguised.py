"""Exports under the name of a workbook: accounting programs write HTML or lines with tabs and call it .xls."""

from __future__ import annotations

import re
from collections.abc import Callable

from mixrag_cli.readers.archive import OLE_MAGIC, ZIP_MAGIC
from mixrag_cli.readers.decoding import decode, looks_binary
from mixrag_cli.readers.html import read_html
from mixrag_cli.readers.mail import read_mail_alone
from mixrag_cli.readers.sheets.delimited import DELIMITERS, read_delimited
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document

HEAD_BYTES, HEAD_LINES = 16_384, 60  # that are looked at
HTML = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,1000}?-->\s*)*<(?:!doctype\s+html|html|head|meta|body|table|style)\b",
    re.I | re.S,
)
ARCHIVED_PAGE = re.compile(r"\s*MIME-Version:", re.I)  # a page with its parts, in the form of a mail


def reader_of_disguise(source: ReadSource) -> Callable[[ReadSource], Document] | None:
    """The reader of what only has the name of a workbook, by its first bytes; None for a workbook, and for no text."""
    head = source.file.read(HEAD_BYTES)
    source.file.seek(0)
    if not head or head.startswith((ZIP_MAGIC, OLE_MAGIC)) or looks_binary(head):
        return None
    text = decode(head)[0]
    if HTML.match(text):
        return read_html
    if ARCHIVED_PAGE.match(text):
        return read_mail_alone
    return read_delimited if _is_delimited(text, is_cut=len(head) == HEAD_BYTES) else None


def _is_delimited(text: str, is_cut: bool) -> bool:
    """Whether all lines have as many of one delimiter, and there are two and more."""
    lines = text.split("\n")[: -1 if is_cut else None]
    lines = [line for line in lines if line.strip()][:HEAD_LINES]
    counts = [{line.count(delimiter) for line in lines} for delimiter in DELIMITERS]
    return len(lines) > 1 and any(len(found) == 1 and 0 not in found for found in counts)
