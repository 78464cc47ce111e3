"""A table of an HTML page while its tags come in: cells at their places, with their texts and lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from mixrag_cli.readers.lined_text import NOTHING, LinedText, join_lined
from mixrag_cli.records.documents import GridCell


@dataclass(slots=True)
class OpenTable:
    """A table being read: cells so far with their texts, and which places the spans above have taken."""

    line: int
    cells: list[GridCell] = field(default_factory=list)
    texts: list[LinedText] = field(default_factory=list)  # of the cells
    caption: LinedText = NOTHING
    row: int = -1
    column: int = 0
    taken: dict[int, int] = field(default_factory=dict)  # column -> first row that is free again
    cell: tuple[bool, int, int, int] | None = None  # is header, row span, column span, line
    is_in_caption: bool = False

    @property
    def label(self) -> str:
        """What the open row begins with, "" for nothing yet."""
        return next((cell.text for cell in self.cells if cell.row == self.row and cell.text), "")

    def open_row(self) -> None:
        """Begin the next row."""
        self.row += 1
        self.column = 0

    def close_cell(self, text: LinedText, is_bold: bool) -> None:
        """Place the open cell at the next free column of the row."""
        if self.cell is None:
            return
        is_header, row_span, column_span, line = self.cell
        self.cell = None
        while self.taken.get(self.column, 0) > self.row:
            self.column += 1
        for column in range(self.column, self.column + column_span):
            self.taken[column] = self.row + row_span
        place = (max(self.row, 0), self.column)
        first, last = text.lines or (line, line)
        self.cells.append(
            GridCell(
                *place,
                text.text,
                row_span,
                column_span,
                is_header=is_header,
                bold=is_bold,
                line=first,
                last_line=last if last > first else None,
            )
        )
        self.texts.append(text)
        self.column += column_span


def raw_table(table: OpenTable) -> LinedText:
    """The caption and the rows, cells joined by " | "."""
    rows: dict[int, list[LinedText]] = {}
    for cell, text in zip(table.cells, table.texts, strict=True):
        rows.setdefault(cell.row, []).append(text)
    lines = [join_lined(texts, " | ") for _, texts in sorted(rows.items()) if any(text.text for text in texts)]
    return join_lined([table.caption, *lines] if table.caption.text else lines, "\n")
