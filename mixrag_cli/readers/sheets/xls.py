"""The old binary workbooks (BIFF) through calamine: values and merged ranges; styles are not read."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import BinaryIO

import python_calamine

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.sheets.number_formats import plain_number
from mixrag_cli.readers.sheets.sampling import SourceCell, SourceRow
from mixrag_cli.readers.sheets.workbook import BEAT_ROWS, MAX_CELLS, MAX_MERGES, MAX_SHEETS, Beat, SheetCells

MAX_GRID = 20_000_000  # places that calamine lays out densely, about 0.5 GB; the old format's own grid has 16.8 million


def read_xls(file: BinaryIO, beat: Beat) -> list[SheetCells]:
    """All worksheets in order. Raises FileUnreadable for passwords and damage."""
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(file)
        return [_read_sheet(book, meta, beat) for meta in book.sheets_metadata[:MAX_SHEETS] if _is_worksheet(meta)]
    except python_calamine.PasswordError as error:
        raise FileUnreadable("password", "needs a password") from error
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise FileUnreadable("damaged", "not a readable workbook") from error


def _is_worksheet(meta: python_calamine.SheetMetadata) -> bool:
    return meta.typ == python_calamine.SheetTypeEnum.WorkSheet


def _read_sheet(book: python_calamine.CalamineWorkbook, meta: python_calamine.SheetMetadata, beat: Beat) -> SheetCells:
    found = SheetCells(meta.name, meta.visible != python_calamine.SheetVisibleEnum.Visible)
    sheet = book.get_sheet_by_name(meta.name)
    if sheet.height * sheet.width > MAX_GRID:
        raise FileUnreadable("too-large", f"a sheet spans {sheet.height:,} rows and {sheet.width:,} columns")
    _, left = sheet.start or (0, 0)
    for index, values in enumerate(sheet.iter_rows()):  # rows count from the sheet's first, columns from the first used
        cells = {left + column: cell for column, value in enumerate(values) if (cell := _make_cell(value)) is not None}
        if cells:
            found.sampler.add(SourceRow(index, cells))
        if found.sampler.n_cells > MAX_CELLS:
            raise FileUnreadable("too-large", f"a sheet holds more than {MAX_CELLS:,} cells")
        if index % BEAT_ROWS == 0:
            beat(index, sheet.height)
    for (row0, column0), (row1, column1) in (sheet.merged_cell_ranges or [])[:MAX_MERGES]:
        found.merges.append((row0, column0, row1, column1))
    return found


def _make_cell(value: object) -> SourceCell | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return SourceCell("TRUE" if value else "FALSE")
    if isinstance(value, int | float):
        number = Decimal(repr(value)) if not isinstance(value, float) or value != int(value) else Decimal(int(value))
        return SourceCell(plain_number(number), number)
    if isinstance(value, datetime):
        text = f"{value:%Y-%m-%d}" if value.time() == time() else f"{value:%Y-%m-%d %H:%M}"
        return SourceCell(text, is_date=True)
    if isinstance(value, date | time | timedelta):
        return SourceCell(str(value), is_date=True)
    return SourceCell(str(value)) if str(value).strip() else None
