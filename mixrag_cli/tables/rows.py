"""Left header paths: label columns, indentation, section rows and totals.

A row's parents are the rows above it that are still open: sections (a label without data) and less indented rows.
A section closes at the next section of its level, at a row that leaves its indentation, or after its total. A row with
data heads those below it, too, where the same rows stand again below another.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mixrag_cli.records.documents import GridCell
from mixrag_cli.tables.headers import TOTAL, Layout
from mixrag_cli.tables.matrix import Matrix
from mixrag_cli.tables.row_kinds import RowKinds, indent_of
from mixrag_cli.tables.row_labels import (
    continued_rows,
    fills_down,
    key_name,
    repeated_blocks,
    unknown_labels,
    years_said_above,
)
from mixrag_cli.tables.text import field_names, row_name
from mixrag_cli.tables.totals import TOTAL_ALONE, TOTAL_NAME, Sums
from mixrag_cli.tables.units import Unit, unit_of_header, unit_of_unit_text

PLAIN_SECTION = 0.25  # a section that is not bold stands below a bold one of the same indent
INNER_SECTION = 0.1  # a section right below a section of the same look is its child
DATA_ROW = 0.5  # a data row stands below a section of the same indent


@dataclass(frozen=True, slots=True)
class RowHeader:
    """A data row: its path, whether it sums others up, and the units that its label and its block give."""

    index: int
    path: tuple[str, ...]
    is_total: bool
    unit: Unit
    block: Unit


@dataclass(slots=True)
class _Open:
    """A row that may still have children. n_rows: data rows seen inside. is_indented: its children are indented.

    unit: what a section's label says of the rows below it, "Cash flows (in thousands)".
    """

    text: str
    level: float
    indent: int
    is_section: bool
    n_rows: int = 0
    is_indented: bool = False
    has_total: bool = False
    unit: Unit = field(default_factory=Unit)


class _RowWalk:
    """Walks the body once and keeps the open parents."""

    def __init__(self, matrix: Matrix, layout: Layout) -> None:
        self.matrix = matrix
        self.layout = layout
        self.open: list[_Open] = []
        self.block = Unit()
        self.found: list[RowHeader] = []
        kinds = RowKinds(matrix, layout)
        self.kinds, self._label, self.counted = kinds.of_row, kinds.label, kinds.counted
        self.blocks, self.parted = kinds.blocks, kinds.parted
        sections = [self._label(row) for row, kind in self.kinds.items() if kind == "section"]
        self.has_bold_sections = any(cell.bold for cell in sections if cell is not None)
        self.has_names = "name" in self.kinds.values()
        self.are_set_in = self._are_set_in([indent_of(cell) for cell in sections if cell is not None])
        self.fills_down = fills_down(matrix, layout)
        self.continued = continued_rows(matrix, layout)
        self.key_name = () if self.blocks else key_name(matrix, layout)
        self.unknown = unknown_labels(matrix, layout)
        self.years = years_said_above(matrix, layout)
        self.heads = self._heads_of_repeated()
        self.sums = Sums(matrix, layout)
        self.fields = field_names([cell.text.strip() for row in self.kinds if (cell := self._label(row))])

    def walk(self) -> tuple[RowHeader, ...]:
        """The data rows in order."""
        previous = self._open_leading_section()
        for row in self.layout.body:
            kind = self.kinds[row]
            if row in self.parted:
                self._close_data_rows()
                self._close_same_indent()
            if kind == "unit":
                self.block = _unit_of_row(self.matrix, row, self.layout)
            elif kind == "blank":
                self._close_same_indent()
            elif kind == "section":
                self._open_section(row, previous)
            elif kind == "heading":
                self._open_block(row)
            elif kind == "header" and not self._repeats_header(row):
                break  # other columns from here on; the raw table keeps them
            elif kind == "header":
                self.open = [parent for parent in self.open if self._heads_what_follows(parent)]
            elif kind != "name":
                self._add_data_row(row)
            previous = kind
        return tuple(self.found)

    def _open_leading_section(self) -> str:
        """The label of a unit row below a merged corner is a section's: "Region of birth | percent".

        So are the name in a header that is said anew below, and a day above the headers of a table with further days.
        """
        matrix, row = self.matrix, self.layout.body.start - 1
        if self.blocks:
            self._open_section(self.layout.headers[-1], "")
            return "section"
        if self._is_first_day():
            self._open_section(self.layout.titles[-1], "")
            return "section"
        upper = matrix.at(row - 1, 0)
        is_below_corner = any(r + depth == row for (r, c), depth in matrix.depths.items() if c == 0) or (
            upper is not None and upper.row_span > 1
        )
        if row not in self.layout.units or matrix.own(row, 0) is None or not self.layout.labels or not is_below_corner:
            return ""
        self._open_section(row, "")
        return "section"

    def _is_first_day(self) -> bool:
        """Whether the last title is a date, and each section is one, too, and stands over all columns as it does."""
        rows = [*self.layout.titles[-1:], *(row for row, kind in self.kinds.items() if kind == "section")]
        cells = [list(self.matrix.cells_of_row(row, range(self.matrix.n_columns))) for row in rows]
        return (
            len(rows) > 1
            and bool(self.layout.titles)
            and self.kinds[self.layout.body.start] != "section"
            and all(len(found) == 1 and self.matrix.kinds[found[0].row, found[0].column] == "date" for found in cells)
            and all(found[0].column_span == self.matrix.n_columns for found in cells)
        )

    def _open_block(self, row: int) -> None:
        """A lone heading in the middle of the columns stands above all rows that follow."""
        text = next(self.matrix.text(row, column) for column in self.layout.data if self.matrix.at(row, column))
        self.open = [_Open(_clean_label(text), -1.0, -1, True)]

    def _are_set_in(self, indents: list[int]) -> bool:
        """Whether all sections, the first row among them, are indented further than all data: they head it."""
        data = [cell for row, kind in self.kinds.items() if kind == "data" and (cell := self._label(row)) is not None]
        is_first = self.kinds[self.layout.body.start] == "section"
        return is_first and bool(data) and len(indents) > 1 and min(indents) > max(map(indent_of, data))

    def _repeats_header(self, row: int) -> bool:
        """Whether a row of texts inside the body says no other than the header above the same columns."""
        columns = [column for column in self.layout.data if self.matrix.at(row, column) is not None]
        above = [{self.matrix.text(head, column) for head in self.layout.headers} for column in columns]
        return all(self.matrix.text(row, column) in texts for column, texts in zip(columns, above, strict=True))

    def _heads_what_follows(self, parent: _Open) -> bool:
        """Whether a section was opened right above a repeated header and is no part of the header itself."""
        above = range(self.layout.body.start)
        is_header = any(
            self.matrix.text(row, column) == parent.text for row in above for column in range(self.matrix.n_columns)
        )
        return parent.is_section and not parent.n_rows and not is_header

    def _open_section(self, row: int, previous: str) -> None:
        cell = self._label(row)
        if cell is None:
            return
        indent = 0 if self.are_set_in else indent_of(cell)
        level = indent + (0.0 if cell.bold or not self.has_bold_sections else PLAIN_SECTION)
        if (previous == "section" and self.open and self.open[-1].level == level) or self._continues_inner(row, level):
            level += INNER_SECTION
        self._close_from(level)
        label = _clean_label(cell.text)
        self.open.append(_Open(label, level, indent, True, unit=unit_of_header(label)))

    def _continues_inner(self, row: int, level: float) -> bool:
        """Whether a lone section is the sibling of an inner section rather than of its parent."""
        has_inner = any(parent.level == level + INNER_SECTION for parent in self.open)
        return has_inner and self.kinds.get(row + 1) != "section"

    def _close_from(self, level: float) -> None:
        while self.open and self.open[-1].level >= level:
            self.open.pop()

    def _close_same_indent(self) -> None:
        while self.open and self.open[-1].is_section and self.open[-1].n_rows and not self.open[-1].is_indented:
            self.open.pop()

    def _add_data_row(self, row: int) -> None:
        cell = self._label(row)
        labels = self._labels(row)
        said = self._said_total(row)
        is_unsaid = not labels and not said and self._is_unsaid_total(row)
        is_total = bool(said) or is_unsaid or self.sums.is_said_by(row, labels)
        is_total = is_total or (cell is not None and _is_bold_total(cell, labels))
        closes = is_total and not (cell is not None and self._stands_above_its_parts(row, indent_of(cell)))
        if closes:
            self._close_summed()
        if cell is not None and labels:
            self._close_for_row(indent_of(cell), closes or self._is_lone_child(row, indent_of(cell)))
        else:
            self._close_data_rows()
        parents = tuple(parent.text for parent in self.open)
        if len(labels) > 1 and parents and parents[-1] == labels[0]:
            parents = parents[:-1]  # a section that goes on in a label column of its own
        parents += self.heads.get(row, ())
        if labels:
            path = (*parents, *self.key_name, *labels)
        elif said:
            path = (*parents, said)
        else:
            path = parents or (TOTAL_NAME if is_unsaid else self._row_name(row),)
        block = next((parent.unit for parent in reversed(self.open) if parent.unit.is_known), self.block)
        self.found.append(
            RowHeader(row, path, is_total or self._is_unnamed_sum(row, labels), self._unit_of(labels), block)
        )
        for parent in self.open:
            parent.n_rows += 1
        if closes and self.open:
            self.open[-1].has_total = True
        if cell is not None and len(self.layout.labels) == 1 and not closes:
            self.open.append(_Open(_clean_label(cell.text), indent_of(cell) + DATA_ROW, indent_of(cell), False))
        elif closes:
            self._close_after_total(labels)
        self.sums.add(row, self.found[-1].is_total)

    def _unit_of(self, labels: tuple[str, ...]) -> Unit:
        """What the last label says, else one further out where names stand above their rows, as sections do."""
        is_field = len(self.layout.labels) == 1 and not self.open and labels[-1:] and labels[-1] in self.fields
        if not labels or is_field:
            return Unit()
        outer = reversed(labels[:-1]) if self.has_names else ()
        found = [unit_of_header(label) for label in (labels[-1], *outer)]
        return next((unit for unit in found if unit.is_known), found[0])

    def _said_total(self, row: int) -> str:
        """What a cell beside the labels says of a total: a whole label too far to the right, or one of a sum."""
        beside = self.matrix.text(row, self.layout.data[0])
        return _clean_label(beside) if TOTAL_ALONE.match(beside) else _clean_label(self.sums.said_in(row))

    def _is_unsaid_total(self, row: int) -> bool:
        is_inside = any(parent.is_section for parent in self.open)
        return bool(self.layout.labels) and not is_inside and self.sums.is_unsaid(row)

    def _is_unnamed_sum(self, row: int, labels: tuple[str, ...]) -> bool:
        """Whether a row of figures without a name stands below a heading."""
        return not labels and bool(self.open) and any(self.matrix.at(row, column) for column in self.counted)

    def _heads_of_repeated(self) -> dict[int, tuple[str, ...]]:
        """The row above the first of several like blocks of rows, for each of their rows.

        Example: women, owners, tenants, men, owners, tenants -> the first owners and tenants are women's.
        """
        rows = [row for row in self.layout.body if self.kinds[row] not in ("blank", "unit")]
        cells = [cell for row in rows if self.kinds[row] == "data" and (cell := self._label(row)) is not None]
        is_flat = len(cells) == len(rows) and len({indent_of(cell) for cell in cells}) == 1
        if len(self.layout.labels) != 1 or not is_flat:
            return {}
        texts = [_clean_label(cell.text) for cell in cells]
        blocks = repeated_blocks(texts)
        return {rows[n]: (texts[block.start - 1],) for block in blocks for n in block}

    def _close_summed(self) -> None:
        """A second total below the first sums up more than this section."""
        self._close_data_rows()
        if self.open and self.open[-1].has_total:
            self.open.pop()

    def _close_data_rows(self) -> None:
        while self.open and not self.open[-1].is_section:
            self.open.pop()

    def _is_lone_child(self, row: int, indent: int) -> bool:
        """Whether no row of the same indent follows: a deeper row alone sums up the rows above it."""
        if not self.open or self.open[-1].is_section or self.open[-1].n_rows or indent <= self.open[-1].indent:
            return False
        following = self._label(row + 1) if self.kinds.get(row + 1) == "data" else None
        return following is None or indent_of(following) < indent

    def _stands_above_its_parts(self, row: int, indent: int) -> bool:
        """Whether a total heads what it sums up: deeper rows follow, and none above it wait for their total."""
        below = self._label(row + 1) if self.kinds.get(row + 1) == "data" else None
        if below is None or indent_of(below) <= indent:
            return False
        is_first = not self.found or (bool(self.open) and self.open[-1].n_rows == 0)
        return is_first or any(not parent.is_section and parent.indent == indent for parent in self.open)

    def _close_for_row(self, indent: int, is_total: bool) -> None:
        while self.open:
            top = self.open[-1]
            leaves = top.is_section and top.n_rows > 0 and top.is_indented and indent <= top.indent
            if not (leaves or top.level >= indent + DATA_ROW or (is_total and not top.is_section)):
                break
            self.open.pop()
        if self.open and self.open[-1].n_rows == 0:
            self.open[-1].is_indented = indent > self.open[-1].indent

    def _close_after_total(self, labels: tuple[str, ...]) -> None:
        named = TOTAL.sub("", labels[-1]).strip().lower() if labels else ""
        names = [parent.text.lower() for parent in self.open]
        if named and any(name.startswith(named) for name in names):
            del self.open[next(i for i, name in enumerate(names) if name.startswith(named)) :]
        elif self.open and self.open[-1].is_section and self.open[-1].n_rows > 1 and not self.open[-1].is_indented:
            self.open.pop()

    def _labels(self, row: int) -> tuple[str, ...]:
        """The row's label texts, merged cells once; a blank in all but the last column repeats what stands above."""
        row = self.continued.get(row, row)
        cells: list[GridCell] = []
        for column in self.layout.labels:
            cell = self.matrix.at(row, column) if column not in self.unknown else None
            if column in self.fills_down:
                cell = self.fills_down[column].get(row, cell)
            if cell is not None and (not cells or cell is not cells[-1]):
                cells.append(cell)
        year = (self.years[row],) if row in self.years else ()
        return (*year, *(_clean_label(cell.text) for cell in cells))

    def _row_name(self, row: int) -> str:
        line = next(
            (cell.line for column in self.layout.data if (cell := self.matrix.own(row, column)) and cell.line), None
        )
        if line is not None and self.layout.headers:
            head = next(
                (
                    c.line
                    for c in self.matrix.cells_of_row(self.layout.headers[-1], range(self.matrix.n_columns))
                    if c.line
                ),
                0,
            )
            return row_name(line - (head or 0))
        return row_name(row - self.layout.body.start + 1)


def read_rows(matrix: Matrix, layout: Layout) -> tuple[RowHeader, ...]:
    """The data rows with their left header paths; section, unit and blank rows are not data rows."""
    return _RowWalk(matrix, layout).walk()


def _clean_label(text: str) -> str:
    text = " ".join(text.split())
    return text[:-1].rstrip() if text.endswith(":") and len(text) > 1 else text


def _is_bold_total(cell: GridCell, labels: tuple[str, ...]) -> bool:
    return cell.bold and bool(labels) and labels[-1].lower().startswith("all ")


def _unit_of_row(matrix: Matrix, row: int, layout: Layout) -> Unit:
    text = next((matrix.text(row, column) for column in layout.data if matrix.at(row, column)), "")
    return unit_of_unit_text(text) if text else Unit()
