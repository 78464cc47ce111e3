"""Matrix: a grid with its merged cells resolved, and what kind of thing stands at each place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mixrag_cli.quantities.values import CellKind, kind_of
from mixrag_cli.records.documents import Grid, GridCell

DATA_KINDS: frozenset[CellKind] = frozenset({"number", "nil", "missing", "range"})
FIGURES = DATA_KINDS - {"missing"}
PERIOD_KINDS: frozenset[CellKind] = frozenset({"year", "date"})
SCHOOL_YEAR = re.compile(r"(?:19|20)(\d\d)(\d\d)")  # "201516"
MIN_SCHOOL_YEARS = 3  # of a row, one after the other; fewer may be figures
LETTERED = re.compile(r"\d{1,2}[A-Z]")
MAX_CODE_CHARS = 6  # with blanks around it
_NOTE_MARK = re.compile(r"\[(?:notes?\s)?\d{1,2}(?:\s?[,;–-]\s?\d{1,2})*\]$", re.I)  # "[note 4, 5]", "[17-21]"


@dataclass(frozen=True, slots=True)
class Matrix:
    """Every place of a grid with the cell that covers it.

    covering: (row, column) -> cell, for each place that a cell or its span covers; blank places are absent.
    kinds: cell kinds by the cell's own (row, column).
    depths: how many rows a merged cell without text reaches down, by its top left corner.
    decimal_mark: of the numbers of a column that leave it open, where the file tells it.
    is_headless: the reader knows that the first row is no header.
    """

    n_rows: int
    n_columns: int
    covering: dict[tuple[int, int], GridCell]
    kinds: dict[tuple[int, int], CellKind]
    depths: dict[tuple[int, int], int]
    decimal_mark: str | None = None
    is_headless: bool = False

    def at(self, row: int, column: int) -> GridCell | None:
        """The cell that covers the place, or None."""
        return self.covering.get((row, column))

    def text(self, row: int, column: int) -> str:
        """The covering cell's text in one line, "" for a blank place."""
        cell = self.covering.get((row, column))
        return " ".join(cell.text.split()) if cell else ""

    def own(self, row: int, column: int) -> GridCell | None:
        """The cell whose top left corner is this very place, or None."""
        cell = self.covering.get((row, column))
        return cell if cell and (cell.row, cell.column) == (row, column) else None

    def kind(self, row: int, column: int) -> CellKind:
        """What the covering cell's text is."""
        cell = self.covering.get((row, column))
        return self.kinds[cell.row, cell.column] if cell else "blank"

    def is_noted_label(self, row: int) -> bool:
        """Whether nothing stands in the row but its label and, in the last column, which notes are about it."""
        cells = list(self.cells_of_row(row, range(self.n_columns)))
        last = cells[-1] if len(cells) == 2 and cells[0].column == 0 else None
        return (
            last is not None and last.column == self.n_columns - 1 and _NOTE_MARK.match(last.text.strip()) is not None
        )

    def is_blank(self, row: int, columns: range) -> bool:
        """Whether nothing stands in these columns of the row."""
        return all((row, column) not in self.covering for column in columns)

    def cells_of_row(self, row: int, columns: range) -> Iterator[GridCell]:
        """The distinct cells that cover the columns of a row, from left to right."""
        last = None
        for column in columns:
            cell = self.covering.get((row, column))
            if cell is not None and cell is not last:
                yield cell
            last = cell

    def has_no_spans(self, rows: Iterable[int]) -> bool:
        """Whether every cell in these rows covers one place only: the format knows no spans, or has none there."""
        columns = range(self.n_columns)
        return all(
            cell.column_span == 1 and cell.row_span == 1 for row in rows for cell in self.cells_of_row(row, columns)
        )

    def has_no_wide(self, rows: Iterable[int]) -> bool:
        """Whether no cell in these rows covers several columns: what heads a group is not said by spans."""
        return all(cell.column_span == 1 for row in rows for cell in self.cells_of_row(row, range(self.n_columns)))


def grid_to_matrix(grid: Grid) -> Matrix:
    """Resolve spans (cut at the grid's edge, the first cell wins a place); of blank cells the depths are kept."""
    covering: dict[tuple[int, int], GridCell] = {}
    kinds: dict[tuple[int, int], CellKind] = {}
    depths: dict[tuple[int, int], int] = {}
    for cell in grid.cells:
        if not (0 <= cell.row < grid.n_rows and 0 <= cell.column < grid.n_columns):
            continue
        if not cell.text.strip():
            if cell.row_span > 1:
                depths[cell.row, cell.column] = min(cell.row_span, grid.n_rows - cell.row)
            continue
        kinds[cell.row, cell.column] = _kind_of_cell(cell)
        for row in range(cell.row, min(cell.row + max(cell.row_span, 1), grid.n_rows)):
            for column in range(cell.column, min(cell.column + max(cell.column_span, 1), grid.n_columns)):
                covering.setdefault((row, column), cell)
    kinds |= _lettered_codes(grid, kinds)
    kinds |= dict.fromkeys(_school_years(grid.cells), "date")
    return Matrix(grid.n_rows, grid.n_columns, covering, kinds, depths, grid.decimal_mark, grid.is_headless)


def _lettered_codes(grid: Grid, kinds: dict[tuple[int, int], CellKind]) -> dict[tuple[int, int], CellKind]:
    """Texts like "1B" and "2M" that are codes and no billions or millions, as "text".

    Other letters behind a number of one digit or two say so in their row or column: "1A", "1C".
    """
    codes = [(cell.row, cell.column, cell.text.strip()) for cell in grid.cells if len(cell.text) <= MAX_CODE_CHARS]
    codes = [(row, column, text) for row, column, text in codes if LETTERED.fullmatch(text)]
    others = [(row, column) for row, column, _ in codes if kinds.get((row, column)) == "text"]
    rows, columns = {row for row, _ in others}, {column for _, column in others}
    found = [(row, column) for row, column, _ in codes if row in rows or column in columns]
    return dict.fromkeys((place for place in found if kinds.get(place) == "number"), "text")


def _school_years(cells: Iterable[GridCell]) -> list[tuple[int, int]]:
    """The places of years that are written together, in rows that say several in a series: "201516", "201617"."""
    by_row: dict[int, dict[int, GridCell]] = {}
    for cell in cells:
        match = SCHOOL_YEAR.fullmatch(cell.text) if len(cell.text) == len("201516") else None
        if match is not None and (int(match[1]) + 1) % 100 == int(match[2]):
            by_row.setdefault(cell.row, {})[int(cell.text[:4])] = cell
    series = [found for found in by_row.values() if len(found) == max(found) - min(found) + 1 >= MIN_SCHOOL_YEARS]
    return [(cell.row, cell.column) for found in series for cell in found.values()]


def _kind_of_cell(cell: GridCell) -> CellKind:
    if cell.is_date:
        return "date"
    kind = kind_of(cell.text)
    if kind == "text" and cell.number is not None:
        return "number"
    return kind
