"""OpenDocument sheets to sparse rows. Repeated cells and rows are bounded: a file of 1 kB may claim a billion."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.archive import Archive, parse_xml
from mixrag_cli.readers.raised import RaisedSpans
from mixrag_cli.readers.sheets.sampling import SourceCell, SourceRow
from mixrag_cli.readers.sheets.workbook import (
    BEAT_ROWS,
    MAX_CELLS,
    MAX_COLUMNS,
    MAX_COMMENTS,
    MAX_MERGES,
    MAX_ROWS,
    MAX_SHEETS,
    Beat,
    SheetCells,
    unvalued_note,
)

MAX_REPEATED_CELLS = 100_000  # filled cells that one repeat may stand for; beyond it is padding or an attack


def read_ods(archive: Archive, beat: Beat) -> list[SheetCells]:
    """All sheets in order. Raises FileUnreadable where the content cannot be read."""
    if "content.xml" not in archive:
        raise FileUnreadable("damaged", "not a readable workbook (no sheets inside)")
    content = _ContentPass(beat)
    parse_xml(archive.chunks("content.xml"), content.start, content.end, content.text)
    return content.sheets


class _ContentPass:
    """One pass over content.xml."""

    def __init__(self, beat: Beat) -> None:
        self.sheets: list[SheetCells] = []
        self.beat = beat
        self.row = 0
        self.column = 0
        self.repeat_rows = 1
        self.repeat_columns = 1
        self.cells: dict[int, SourceCell] = {}
        self.attributes: dict[str, str] = {}
        self.lines: list[str] = []
        self.depth_table = 0
        self.depth_note = 0
        self.in_paragraph = False
        self.comment: list[str] = []  # the paragraphs of the cell's comment
        self.in_comment = self.in_comment_text = False
        self.n_unvalued = 0  # formulas of the sheet without a stored value
        self.raised = RaisedSpans()

    def start(self, name: str, raw: dict[str, str]) -> None:
        """An element begins."""
        if name in ("style", "text-properties", "span"):
            self.raised.start(name, {key.rpartition(":")[2]: value for key, value in raw.items()})
        if name == "table" or (
            self.depth_table == 1 and name in ("table-row", "table-cell", "covered-table-cell", "table-column")
        ):
            attributes = {key.rpartition(":")[2]: value for key, value in raw.items()}
            self._start_table_part(name, attributes)
        elif name in ("annotation", "shapes"):
            self.depth_note += 1
            self.in_comment = name == "annotation" and self.depth_note == 1
        elif name == "p" and self.in_comment:
            self.in_comment_text = True
            self.comment.append("")
        elif name == "p" and self.depth_table and not self.depth_note:
            self.in_paragraph = True
            self.lines.append("")
        elif name in ("s", "tab", "line-break") and self.in_paragraph:
            self.lines[-1] += " "

    def _start_table_part(self, name: str, attributes: dict[str, str]) -> None:
        if name == "table":
            self.depth_table += 1
            if self.depth_table == 1:
                self.sheets.append(SheetCells(attributes.get("name", "")))
                self.row = 0
                if len(self.sheets) > MAX_SHEETS:
                    raise FileUnreadable("too-large", f"holds more than {MAX_SHEETS:,} sheets")
        elif name == "table-row":
            self.repeat_rows = _count(attributes.get("number-rows-repeated"))
            self.column, self.cells = 0, {}
            if attributes.get("visibility") in ("collapse", "filter") and self.repeat_rows < MAX_MERGES:
                self.sheets[-1].hidden_rows.append(self.row)
        elif name != "table-column":
            self.attributes = attributes
            self.repeat_columns = _count(attributes.get("number-columns-repeated"))
            self.lines = []

    def end(self, name: str) -> None:
        """An element ends."""
        if name == "p":
            self.in_paragraph = self.in_comment_text = False
        elif name == "span":
            self.raised.end(name)
        elif name in ("annotation", "shapes"):
            self.depth_note -= 1
            self.in_comment = False
        elif name == "table":
            self.depth_table -= 1
            if not self.depth_table and self.n_unvalued:
                self.sheets[-1].warnings.append(unvalued_note(self.n_unvalued))
                self.n_unvalued = 0
        elif self.depth_table == 1 and name in ("table-cell", "covered-table-cell"):
            self._end_cell()
        elif self.depth_table == 1 and name == "table-row":
            self._end_row()

    def text(self, data: str) -> None:
        """Characters."""
        if self.in_paragraph and not self.depth_note:
            self.lines[-1] += self.raised.shown(data)
        elif self.in_comment_text:
            self.comment[-1] += data

    def _end_cell(self) -> None:
        if self.lines and not any(map(str.strip, self.lines)):
            self.attributes.pop("formula", None)  # a line, though nothing stands in it: the result is blank
        cell = _make_cell(self.attributes, "\n".join(self.lines))
        if cell is not None:
            self.n_unvalued += not any(self.lines) and cell.text.startswith("=")
            self._note_span()
            end = min(self.column + self.repeat_columns, MAX_COLUMNS)
            for column in range(self.column, end):
                self.cells[column] = cell
        comment = "\n".join(self.comment).strip()
        if comment and len(self.sheets[-1].comments) < MAX_COMMENTS:
            self.sheets[-1].comments[self.row, self.column] = comment
        self.column = min(self.column + self.repeat_columns, MAX_COLUMNS)
        self.attributes, self.lines, self.comment = {}, [], []

    def _note_span(self) -> None:
        rows = _count(self.attributes.get("number-rows-spanned"))
        columns = _count(self.attributes.get("number-columns-spanned"))
        sheet = self.sheets[-1]
        if (rows > 1 or columns > 1) and len(sheet.merges) < MAX_MERGES:
            bottom, right = min(self.row + rows, MAX_ROWS) - 1, min(self.column + columns, MAX_COLUMNS) - 1
            sheet.merges.append((self.row, self.column, bottom, right))

    def _end_row(self) -> None:
        sheet = self.sheets[-1]
        if self.cells:
            repeat = min(self.repeat_rows, max(MAX_REPEATED_CELLS // len(self.cells), 1), MAX_ROWS - self.row)
            if repeat < self.repeat_rows:
                sheet.warnings.append(
                    f"row {self.row + 1} is repeated {self.repeat_rows:,} times; {repeat:,} were read"
                )
            for row in range(self.row, self.row + max(repeat, 0)):
                sheet.sampler.add(SourceRow(row, self.cells))
            if sheet.sampler.n_cells > MAX_CELLS:
                raise FileUnreadable("too-large", f"a sheet holds more than {MAX_CELLS:,} cells")
        self.row = min(self.row + self.repeat_rows, MAX_ROWS)
        if self.row % BEAT_ROWS == 0:
            self.beat(self.row, MAX_ROWS)


def _count(text: str | None) -> int:
    return min(int(text), 10**9) if text and text.isdecimal() and len(text) < 19 and int(text) > 0 else 1


def _make_cell(attributes: dict[str, str], text: str) -> SourceCell | None:
    kind = attributes.get("value-type", "")
    stored = attributes.get("value", "")
    if not text.strip() and not stored and kind not in ("date", "time"):
        formula = attributes.get("formula", "")
        return SourceCell("=" + formula.partition("=")[2]) if formula and kind != "string" else None
    if kind in ("float", "currency", "percentage"):
        try:
            number = Decimal(stored) if len(stored) <= 60 else Decimal("NaN")
        except InvalidOperation:
            number = Decimal("NaN")
        if number.is_finite():
            return SourceCell(text or stored, number, kind == "percentage")
    if kind in ("date", "time"):
        return SourceCell(text or attributes.get(f"{kind}-value", ""), is_date=True)
    return SourceCell(text or stored) if (text or stored).strip() else None
