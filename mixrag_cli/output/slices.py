"""Which rows of a table are shown below a citation, and which of their cells are marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mixrag_cli.output.lines import one_line
from mixrag_cli.output.marks import Mark
from mixrag_cli.output.snippets import ELLIPSIS, cleaned, marked_words, snippet
from mixrag_cli.output.table_view import Place, asked_columns, cited_cells
from mixrag_cli.quotes import find_quote
from mixrag_cli.records.answers import Source
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Table
from mixrag_cli.words import repeats

SAME_PLACE = 0.5  # points; a cell's box is rounded in JSON
USUAL_WIDTH = 80  # columns; on a narrower terminal a cell is not cut to less than its line
MARKED_LINES = 3  # lines' worth of a marked cell: a sentence or two; of others one, as of a label


@dataclass(frozen=True, slots=True)
class Cited:
    """A source and the deciding words in its text. quotes: what was taken from it, as its cells say it."""

    source: Source
    marks: tuple[Mark, ...] = ()
    quotes: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """What is marked, as it stands in the source's text."""
        return [self.source.text[start:end] for start, end in self.marks]


def deciding_cells(cited: Cited, table: Table, question: str, *, is_guess: bool) -> tuple[set[int], set[Place]]:
    """The rows of the table that a source means, and the cells that decide: those at its place that it quotes, or all.

    Of a row as a whole those in the columns that the question names: marks all over it would say nothing. is_guess: a
    cell that only repeats the question decides nothing either. No rows where the place is the whole table and no cell
    is quoted.
    """
    there = _cells_at(table, cited.source.locator)
    if not there:
        row = cited.source.hit.chunk.row
        there = {(cell.row, cell.column) for cell in table.cells if row is None or cell.row == row}
    quoted = {*_quoted(cited, table, there)}
    if not quoted and len(there) == len(table.cells):
        return set(), set()
    rows = {row for row, _ in quoted or there}
    beside = {(cell.row, cell.column): cell.text for cell in table.cells if cell.row in rows}
    given = {place for place, text in beside.items() if is_guess and repeats(text, question)}
    if quoted - given:
        return rows, quoted - given
    if not quoted and not (len(there) > 1 and there >= beside.keys()):
        return rows, there
    named = {index for index, rank in asked_columns(table, rows, (), question).items() if not rank}
    return rows, {place for place in beside.keys() & there - given if place[1] in named}


def _quoted(cited: Cited, table: Table, there: set[Place]) -> Iterator[Place]:
    """The cells of a place that are quoted; of equal ones in a row that whose header stands before the words.

    Where no cell of a row says just the marked words, that which holds them among others, if it is one alone.
    """
    quotes = {one_line(quote) for quote in cited.quotes}
    leaves = {column.index: one_line(column.leaf) for column in table.columns}
    starts = (start for start, _ in cited.marks)
    before = {one_line(word): one_line(cited.source.text[:at]) for word, at in zip(cited.words, starts, strict=True)}
    by_row: dict[int, list[Cell]] = {}
    for cell in table.cells:
        if (cell.row, cell.column) in there:
            by_row.setdefault(cell.row, []).append(cell)
    for row, cells in by_row.items():
        equal: dict[str, list[int]] = {}
        for cell in cells:
            if (text := one_line(cell.text)) in quotes or text in before:
                equal.setdefault(text, []).append(cell.column)
        for text, columns in equal.items():
            led = [column for column in columns if leaves[column] and before.get(text, "").endswith(leaves[column])]
            yield from ((row, column) for column in led or columns)
        holding = [cell.column for cell in cells if any(word in one_line(cell.text) for word in before)]
        if not equal and len(holding) == 1:
            yield row, holding[0]


def _cells_at(table: Table, locator: Locator) -> set[Place]:
    if locator.cells:
        return cited_cells(table, (locator.cells,))
    if locator.lines:
        return cited_cells(table, (f"L{locator.lines[0]}-{locator.lines[1]}",))
    if locator.bbox:
        return {(cell.row, cell.column) for cell in table.cells if _lies_in(cell.bbox, locator.bbox)}
    return set()


def _lies_in(box: tuple[float, ...] | None, other: tuple[float, ...]) -> bool:
    """Whether a box lies within another, both as (x0, top, x1, bottom)."""
    if box is None:
        return False
    inside = (box[0] - other[0], box[1] - other[1], other[2] - box[2], other[3] - box[3])
    return all(gap >= -SAME_PLACE for gap in inside)


def shortened(table: Table, marked: set[Place], words: Sequence[str], question: str, width: int) -> Table:
    """The table with its long cells and row headers cut to what fills a line of so many columns, marked cells to three.

    A marked cell is cut round the deciding words, or what it says of the question.
    """
    width = max(width, USUAL_WIDTH)

    def cut(cell: Cell) -> Cell:
        if len(cell.text) <= width:
            return cell
        if (cell.row, cell.column) not in marked:
            return replace(cell, text=_beginning(cell.text, width))
        found = [mark for word in words if (mark := find_quote(word, cell.text))]
        passage = cleaned(cell.text, found)
        asked = marked_words(passage.text, question).marks
        return replace(cell, text=snippet(passage, MARKED_LINES * width, asked=asked).text)

    rows = (
        replace(row, path=tuple(_beginning(part, width) for part in row.path))
        if any(len(part) > width for part in row.path)
        else row
        for row in table.rows
    )
    return replace(table, cells=tuple(map(cut, table.cells)), rows=tuple(rows))


def _beginning(text: str, characters: int) -> str:
    """The text up to so many characters, cut between words where it can be."""
    if len(text) <= characters:
        return text
    return f"{text[: characters - 1].rpartition(' ')[0] or text[: characters - 1]} {ELLIPSIS}"
