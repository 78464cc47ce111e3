"""The number formats of the cells of an old binary workbook, by xlrd; calamine, which reads the values, tells none."""

from __future__ import annotations

import io
from typing import BinaryIO

import xlrd

from mixrag_cli.readers.sheets.workbook import BEAT_ROWS, MAX_CELLS, Beat

Codes = dict[tuple[int, int], str]


def read_formats(file: BinaryIO, beat: Beat) -> list[Codes]:
    """For each sheet of the workbook, in its order, the format codes of cells with numbers, "General" left out.

    [] where xlrd cannot read the file: calamine reads on where it stops.
    """
    file.seek(0)
    try:
        book = xlrd.open_workbook(
            file_contents=file.read(), formatting_info=True, on_demand=True, logfile=io.StringIO()
        )
        return [_codes_of(book, number, beat) for number in range(book.nsheets)]
    except Exception:  # what it raises for damage is of many kinds, those of struct and assert among them
        return []


def _codes_of(book: xlrd.Book, number: int, beat: Beat) -> Codes:
    sheet = book.sheet_by_index(number)
    styles = [book.format_map[style.format_key].format_str for style in book.xf_list]
    found: Codes = {}
    for row in range(sheet.nrows):
        kinds = sheet.row_types(row)
        for column, kind in enumerate(kinds):
            if kind in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE) and len(found) < MAX_CELLS:
                code = styles[sheet.cell_xf_index(row, column)]
                if code != "General":
                    found[row, column] = code
        if row % BEAT_ROWS == 0:
            beat(row, sheet.nrows)
    book.unload_sheet(number)
    return found
