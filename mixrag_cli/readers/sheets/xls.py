"""The old binary workbooks (BIFF) through calamine: values and merged ranges; number formats through xlrd.

Bold, indents, hidden rows and comments are not read.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import BinaryIO

import python_calamine

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.sheets.number_formats import plain_number, show_number
from mixrag_cli.readers.sheets.sampling import SourceCell, SourceRow
from mixrag_cli.readers.sheets.workbook import BEAT_ROWS, MAX_CELLS, MAX_MERGES, MAX_SHEETS, Beat, SheetCells
from mixrag_cli.readers.sheets.xls_formats import Codes, read_formats

ELAPSED = "[h]:mm:ss"
MAX_GRID = 20_000_000  # places that calamine lays out densely, about 0.5 GB; the old format's own grid has 16.8 million


def read_xls(file: BinaryIO, beat: Beat) -> list[SheetCells]:
    """All worksheets in order. Raises FileUnreadable for passwords and damage."""
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(file)
        codes = read_formats(file, beat)
        formats = codes if len(codes) == len(book.sheets_metadata) else [{}] * len(book.sheets_metadata)
        sheets = list(zip(book.sheets_metadata, formats, strict=True))[:MAX_SHEETS]
        return [_read_sheet(book, meta, codes_of, beat) for meta, codes_of in sheets if _is_worksheet(meta)]
    except python_calamine.PasswordError as error:
        raise FileUnreadable("password", "needs a password") from error
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise FileUnreadable("damaged", "not a readable workbook") from error


def _is_worksheet(meta: python_calamine.SheetMetadata) -> bool:
    return meta.typ == python_calamine.SheetTypeEnum.WorkSheet


def _read_sheet(
    book: python_calamine.CalamineWorkbook, meta: python_calamine.SheetMetadata, codes: Codes, beat: Beat
) -> SheetCells:
    found = SheetCells(meta.name, meta.visible != python_calamine.SheetVisibleEnum.Visible)
    sheet = book.get_sheet_by_name(meta.name)
    if sheet.height * sheet.width > MAX_GRID:
        raise FileUnreadable("too-large", f"a sheet spans {sheet.height:,} rows and {sheet.width:,} columns")
    _, left = sheet.start or (0, 0)
    for index, values in enumerate(sheet.iter_rows()):  # rows count from the sheet's first, columns from the first used
        placed = enumerate(values, left)
        made = ((column, _make_cell(value, codes.get((index, column), "General"))) for column, value in placed)
        cells = {column: cell for column, cell in made if cell is not None}
        if cells:
            found.sampler.add(SourceRow(index, cells))
        if found.sampler.n_cells > MAX_CELLS:
            raise FileUnreadable("too-large", f"a sheet holds more than {MAX_CELLS:,} cells")
        if index % BEAT_ROWS == 0:
            beat(index, sheet.height)
    for (row0, column0), (row1, column1) in (sheet.merged_cell_ranges or [])[:MAX_MERGES]:
        found.merges.append((row0, column0, row1, column1))
    return found


def _make_cell(value: object, code: str) -> SourceCell | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return SourceCell("TRUE" if value else "FALSE")
    if isinstance(value, int | float):
        return _number_cell(value, code)
    if isinstance(value, datetime):
        text = f"{value:%Y-%m-%d}" if value.time() == time() else f"{value:%Y-%m-%d %H:%M}"
        return SourceCell(text, is_date=True)
    if isinstance(value, timedelta):  # calamine tells a duration by its format
        days = Decimal(value // timedelta(milliseconds=1)) / 86_400_000
        shown = show_number(days, code if "[" in code else ELAPSED)
        return SourceCell(shown.text, shown.hours, is_date=shown.hours is None)
    if isinstance(value, date | time):
        return SourceCell(str(value), is_date=True)
    return SourceCell(str(value)) if str(value).strip() else None


def _number_cell(value: float, code: str) -> SourceCell:
    number = Decimal(f"{value:.15g}")  # the digits that spreadsheet programs show
    if not number.is_finite():
        return SourceCell(str(value))
    if code == "General":  # most cells
        return SourceCell(plain_number(number), number)
    shown = show_number(number, code)
    if shown.is_date or shown.hours is not None:  # calamine tells what is a date
        return SourceCell(plain_number(number), number)
    return SourceCell(shown.text or plain_number(number), number, shown.is_percent)
