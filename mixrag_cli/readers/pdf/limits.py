"""What a PDF may hold before reading stops, and the checks made before any engine opens the file.

A compressed stream that would unfold beyond all measure is refused; it is never held in memory as a whole.
"""

from __future__ import annotations

import re
import zlib

from mixrag_cli.errors import FileUnreadable

MAX_PAGES = 10_000
MAX_PAGE_CHARS = 200_000
MAX_PAGE_OBJECTS = 20_000  # paths on a page; above it tables are not looked for
HEADER_SEARCH_BYTES = 1_024  # where "%PDF-" may stand, as pdfium and Acrobat accept it
MAX_STREAM_BYTES = 75_000_000  # pypdf's limit for one decompressed stream
MAX_RATIO = 1032  # deflate cannot do better, so a shorter single stream cannot pass the limit
MAX_FILTERS = 4  # real files use one, rarely two; more only hide what unfolds
STEP_BYTES = 1 << 20
DICTIONARY_BYTES = 2_000
STREAM = re.compile(rb"stream\r?\n")
FILTERS = re.compile(rb"/(?:F|Filter)\s*(\[[^\]]*\]|/\w+)")
FLATE = re.compile(rb"/(?:FlateDecode|Fl)\b")


def checked_bytes(raw: bytes) -> bytes:
    """The same bytes, when they begin like a PDF and hold no bomb.

    Raises FileUnreadable("damaged") or FileUnreadable("too-large").
    """
    if b"%PDF-" not in raw[:HEADER_SEARCH_BYTES]:
        raise FileUnreadable("damaged", "not a readable PDF (no PDF header)")
    refuse_bombs(raw)
    return raw


def refuse_bombs(raw: bytes) -> None:
    """Unfold, in small steps, every deflate stream that could pass the limit.

    Images are left alone: text extraction never decodes them.
    Raises FileUnreadable("too-large") for a stream above MAX_STREAM_BYTES.
    """
    for mark in STREAM.finditer(raw):
        if raw[mark.start() - 3 : mark.start()] == b"end":
            continue
        head = raw[max(0, mark.start() - DICTIONARY_BYTES) : mark.start()]
        head = head[head.rfind(b" obj") + 1 :]
        filters = FILTERS.search(head)
        if filters is None or b"/Image" in head:
            continue
        n_filters = filters.group(1).count(b"/")
        n_flate = len(FLATE.findall(filters.group(1)))
        if not n_flate:
            continue
        if n_filters > MAX_FILTERS:
            raise FileUnreadable("too-large", f"stream with {n_filters} filters in a row")
        end = raw.find(b"endstream", mark.end())
        body = memoryview(raw)[mark.end() : end if end >= 0 else len(raw)]
        if n_flate > 1 or len(body) * MAX_RATIO > MAX_STREAM_BYTES:
            _unfold(body, n_flate)


def _unfold(body: memoryview | bytes, levels: int) -> None:
    """Decompress level by level, holding one step of each; raise when the innermost passes the limit."""
    stages = [zlib.decompressobj() for _ in range(levels)]
    totals = [0] * levels
    _feed(stages, totals, 0, body)


def _feed(stages: list[zlib._Decompress], totals: list[int], level: int, data: memoryview | bytes) -> None:
    if level == len(stages):
        return
    stage = stages[level]
    pending: memoryview | bytes = data
    while pending and not stage.eof:
        try:
            piece = stage.decompress(pending, STEP_BYTES)
        except zlib.error:
            return  # damaged: the engine decides what it can still read
        totals[level] += len(piece)
        if totals[level] > MAX_STREAM_BYTES:
            raise FileUnreadable("too-large", f"text stream larger than {MAX_STREAM_BYTES // 1_000_000} MB")
        _feed(stages, totals, level + 1, piece)
        pending = stage.unconsumed_tail
        if not piece and not pending:
            return
