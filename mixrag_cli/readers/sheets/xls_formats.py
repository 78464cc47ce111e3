"""The number formats of the cells of an old binary workbook, which the library that reads its values leaves out.

A pass over the records of the workbook's stream: FORMAT says a code, XF which code a style has, and each cell that
holds a number names its style.
Source: [MS-XLS], Excel Binary File Format: 2.4.126 Format, 2.4.353 XF, 2.4.28 BoundSheet8, 2.4.180 Number, 2.4.220 RK,
2.4.175 MulRk, 2.4.127 Formula.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

from mixrag_cli.readers.sheets.compound import read_stream
from mixrag_cli.readers.sheets.number_formats import BUILT_IN
from mixrag_cli.readers.sheets.workbook import BEAT_ROWS, MAX_CELLS, Beat

STREAMS = ("Workbook", "Book")
BOF, EOF = 0x0809, 0x000A
BOUND_SHEET, FORMAT, XF, CODE_PAGE = 0x0085, 0x041E, 0x00E0, 0x0042
NUMBER, RK, FORMULA, MANY_RK = 0x0203, 0x027E, 0x0006, 0x00BD
BEAT_RECORDS = 10 * BEAT_ROWS
MAX_CODE_CHARS = 255
VERSION_8 = 0x0600

Codes = dict[tuple[int, int], str]


def read_formats(file: BinaryIO, beat: Beat) -> list[Codes]:
    """For each sheet of the workbook, in its order, the format codes of cells with numbers, "General" left out.

    A damaged file gives what could be read of it.
    """
    stream = read_stream(file, STREAMS)
    try:
        starts, styles = _read_globals(stream)
        ordered = sorted(set(starts))
        ends = [*ordered[1:], len(stream)]  # so that no claim makes anything be read twice
        found = {start: _read_sheet(stream[start:end], styles, beat) for start, end in zip(ordered, ends, strict=False)}
        return [found[start] for start in starts]
    except (struct.error, IndexError):
        return []


def _records(stream: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and content of each record up to the end of the substream that begins here."""
    start = depth = 0  # a chart within a sheet is a substream of its own, one deeper
    while start + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, start)
        yield kind if depth < 2 else 0, stream[start + 4 : start + 4 + size]
        depth += (kind == BOF) - (kind == EOF)
        if depth <= 0:
            return
        start += 4 + size


def _read_globals(stream: bytes) -> tuple[list[int], list[str]]:
    """Where the sheets begin, and the format code of each style."""
    starts: list[int] = []
    codes = dict(BUILT_IN)
    styles: list[str] = []
    is_8 = True
    for kind, content in _records(stream):
        if kind == BOF:
            is_8 = struct.unpack_from("<H", content)[0] >= VERSION_8
        elif kind == BOUND_SHEET:
            starts.append(struct.unpack_from("<I", content)[0])
        elif kind == FORMAT:
            codes[struct.unpack_from("<H", content)[0]] = _code_of(content, is_8)
        elif kind == XF:
            styles.append(codes.get(struct.unpack_from("<H", content, 2)[0], "General"))
    return starts, styles


def _code_of(content: bytes, is_8: bool) -> str:
    """The code of a FORMAT record; of two bytes a character where its flag says so."""
    if not is_8:
        return content[3 : 3 + content[2]].decode("cp1252", "replace")
    n_chars, flags = struct.unpack_from("<HB", content, 2)
    n_chars = min(n_chars, MAX_CODE_CHARS)
    if flags & 1:
        return content[5 : 5 + 2 * n_chars].decode("utf-16-le", "replace")
    return content[5 : 5 + n_chars].decode("latin-1")


def _read_sheet(stream: bytes, styles: list[str], beat: Beat) -> Codes:
    found: Codes = {}
    for number, (kind, content) in enumerate(_records(stream)):
        if kind in (NUMBER, RK, FORMULA):
            row, column, style = struct.unpack_from("<HHH", content)
            _note(found, row, column, style, styles)
        elif kind == MANY_RK:
            row, column = struct.unpack_from("<HH", content)
            for at in range(4, len(content) - 5, 6):
                _note(found, row, column + (at - 4) // 6, struct.unpack_from("<H", content, at)[0], styles)
        if number % BEAT_RECORDS == 0:
            beat(number, len(stream))
    return found


def _note(found: Codes, row: int, column: int, style: int, styles: list[str]) -> None:
    code = styles[style] if style < len(styles) else "General"
    if code != "General" and len(found) < MAX_CELLS:
        found[row, column] = code
