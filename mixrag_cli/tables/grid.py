"""grid_to_table: a raw grid to a Table with header paths, typed cells, units and a confidence.

    Grid ─► Matrix (spans resolved) ─► Layout (titles, headers, labels, body) ─► paths ─► cells with units ─► Table

Table.unit is written out ("percent", "USD", "acres"); a cell's unit is the short form ("%", "USD", "acres").
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from decimal import Decimal

from mixrag_cli.quantities.periods import kind_of_period
from mixrag_cli.quantities.unit_words import CURRENCIES, find_unit_and_scale
from mixrag_cli.quantities.values import parse_value
from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.records.files import stable_id
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.compared import join_signs
from mixrag_cli.tables.group_columns import group_columns
from mixrag_cli.tables.halves import stack_halves, stack_repeated
from mixrag_cli.tables.headers import NOTE, TOTAL, Layout, find_layout, is_called_units, texts_above
from mixrag_cli.tables.matrix import DATA_KINDS, FIGURES, LETTERED, Matrix, grid_to_matrix
from mixrag_cli.tables.narrowing import narrow_grid
from mixrag_cli.tables.paired_forms import stack_pairs
from mixrag_cli.tables.row_labels import fills_down, key_name
from mixrag_cli.tables.rows import RowHeader, read_rows
from mixrag_cli.tables.share_columns import part_shares
from mixrag_cli.tables.text import column_name, field_names
from mixrag_cli.tables.top_paths import top_paths
from mixrag_cli.tables.totals import decimal_mark
from mixrag_cli.tables.unit_columns import units_beside
from mixrag_cli.tables.units import (
    ColumnUnit,
    Unit,
    UnitRules,
    is_unit_text,
    is_wide_unit_text,
    unit_behind_label,
    unit_of_header,
    unit_of_source,
    unit_of_unit_text,
)

MIN_SENTENCE_WORDS = 4  # "Acme Inc." ends in a full stop as well
NO_HEADER = 0.5  # factors on the confidence; set by judgement, not fitted
NO_LABELS = 0.8
UNNAMED_COLUMNS = 0.7
TEXT_ONLY = 0.8
MIN_REPEATED = 4  # times that a label stands on average where labels are kinds; set by judgement
MARKED = re.compile(r"^[^\w-]*[$€£¥₹₩₽]|[A-Za-z]{3}|[$€£¥₹₩₽]$")  # where a currency can stand
MEASURED = CURRENCIES | {"%"}
YEARS = frozenset(["year", "years"])


def grid_to_table(grid: Grid, *, document: str, title: str) -> Table | None:
    """The table that a grid holds, or None where it holds none.

    document: the document's id, part of the table's id. title: used where the grid has no caption of its own.
    Merged data cells appear once, at their top left corner, with their spans.
    """
    narrow = narrow_grid(stack_repeated(part_shares(grid)))
    matrix = grid_to_matrix(narrow)
    stacked = stack_halves(narrow, matrix)
    if stacked is narrow:
        stacked = stack_pairs(narrow, matrix)
    if stacked is not narrow:
        matrix = grid_to_matrix(stacked)
    layout = find_layout(matrix)
    if layout is None:
        return None
    if not grid.profiles:
        matrix, layout = join_signs(matrix, layout)
    rows = read_rows(matrix, layout)
    if not rows or not _holds_data(matrix, layout):
        return None
    paths = top_paths(matrix, layout)
    columns = tuple(Header(c, paths[c] or (column_name(c),), _is_total_path(paths[c])) for c in layout.data)
    groups = group_columns(matrix, layout, paths)
    columns = (*_key_columns(matrix, layout), *columns, *dict.fromkeys(groups.values()))
    caption, notes = _caption_and_notes(matrix, layout, stacked, title)
    rules = _unit_rules(matrix, layout, caption, notes)
    return Table(
        id=_table_id(grid, document),
        title=caption[0] if caption else title,
        columns=columns,
        rows=tuple(Header(row.index, row.path, row.is_total) for row in rows),
        cells=_read_cells(matrix, layout, rows, columns, rules, groups),
        locator=grid.locator,
        unit="percent" if rules.table.unit == "%" else rules.table.unit or _one_currency(matrix, layout),
        scale=rules.table.scale,
        notes=notes,
        confidence=round(_confidence(matrix, layout, paths) * grid.confidence, 3),
        total_rows=_total_rows(stacked, layout, len(rows)),
        profiles=grid.profiles,
    )


def _holds_data(matrix: Matrix, layout: Layout) -> bool:
    """Whether anything stands beside the labels of the body; a list below a line of texts is text."""
    return any(matrix.at(row, column) is not None for row in layout.body for column in layout.data)


def _total_rows(grid: Grid, layout: Layout, n_rows: int) -> int:
    """Data rows of the source: of a sampled grid all but what stands above the body."""
    return grid.total_rows - layout.body.start if grid.total_rows > grid.n_rows else n_rows


def _table_id(grid: Grid, document: str) -> str:
    place = grid.locator
    first = next((cell.text for cell in grid.cells if cell.text), "")
    return stable_id(
        "table",
        document,
        *place.chars,
        place.page or 0,
        place.sheet or "",
        place.cells or "",
        grid.n_rows,
        grid.n_columns,
        first,
    )


def _is_total_path(path: tuple[str, ...]) -> bool:
    return any(TOTAL.search(part) for part in path)


def _key_columns(matrix: Matrix, layout: Layout) -> tuple[Header, ...]:
    """Label columns of a flat table are columns too, so that their names stay known ("country", "year")."""
    if not layout.is_flat or not layout.headers:
        return ()
    has_lines = any(cell.line for cell in matrix.cells_of_row(layout.headers[0], range(matrix.n_columns)))
    if len(layout.labels) < 2 and not has_lines and not _repeats(matrix, layout):
        return ()
    named = [(column, matrix.text(layout.headers[0], column)) for column in layout.labels]
    return tuple(Header(column, (name,)) for column, name in named if name and not _is_scale(name))


def _repeats(matrix: Matrix, layout: Layout) -> bool:
    """Whether the labels are a few words again and again, which name kinds of records and no row."""
    texts = [matrix.text(row, column) for column in layout.labels for row in layout.body]
    return len(texts) >= MIN_REPEATED * len(set(texts))


def _caption_and_notes(matrix: Matrix, layout: Layout, grid: Grid, title: str) -> tuple[list[str], tuple[str, ...]]:
    """Caption lines, outermost first, and notes. A caption's further lines describe; they count as notes."""
    lines = [line.strip() for line in grid.caption.splitlines() if line.strip()]
    caption, units, told = lines[:1], list[str](), list[str]()
    for text in filter(None, (_text_of_row(matrix, row) for row in layout.titles)):
        if is_unit_text(text) or unit_behind_label(text):
            units.insert(0, text)
        else:
            (told if caption and _tells_of_title(text) else caption).append(text)
    notes = [*units, *lines[1:], *told, *grid.notes, *(matrix.text(row, 0) for row in layout.notes)]
    corner = [text for text in _corner_texts(matrix, layout) if not layout.is_flat or _is_scale(text)]
    aside = [matrix.text(row, layout.data[0]) for row in layout.units if not is_called_units(matrix, row)]
    notes += [text for text in aside if text and not is_wide_unit_text(text)]
    notes = [*(text for text in corner if is_unit_text(text) and find_unit_and_scale(text) != ("", 1)), *notes]
    if len(caption) > 1:
        caption = [": ".join(caption)]
    return caption, tuple(note for note in notes if note)


def _tells_of_title(text: str) -> bool:
    """Whether a line below a title is a sentence or a note, and none of the title's own."""
    return NOTE.match(text) is not None or (text.endswith(".") and len(text.split()) >= MIN_SENTENCE_WORDS)


def _text_of_row(matrix: Matrix, row: int) -> str:
    """The texts that begin in a title row, in one line."""
    cells = matrix.cells_of_row(row, range(matrix.n_columns))
    return " ".join(" ".join(cell.text.split()) for cell in cells if cell.row == row)


def _is_scale(text: str) -> bool:
    """Whether a corner says how the table counts ("in millions") rather than what the labels are ("percent", "km")."""
    return is_unit_text(text) and find_unit_and_scale(text)[1] != 1


def _corner_texts(matrix: Matrix, layout: Layout) -> list[str]:
    if key_name(matrix, layout):
        return []  # it is about the numbers that name the rows, their unit is not that of the data
    rows = (*layout.headers, *layout.units)
    return [text for row in rows for column in layout.labels if (text := matrix.text(row, column))]


def _unit_rules(matrix: Matrix, layout: Layout, caption: list[str], notes: tuple[str, ...]) -> UnitRules:
    """The table-wide unit: from a unit row across all columns, else the title and its notes."""
    whole = Unit()
    by_column = _column_units(matrix, layout)
    if (
        by_column
        and len({(unit.unit, unit.scale) for unit in by_column.values()}) == 1
        and len(by_column) == len(layout.data)
    ):
        whole = next(iter(by_column.values()))
    sources = [*caption, *notes[:4]]
    for source in sources:
        whole = whole.joined(unit_of_source(source))
    return UnitRules(whole, " ".join(sources))


def _one_currency(matrix: Matrix, layout: Layout) -> str:
    """The currency that marks the first row of figures (accountants mark only the first and the last)."""
    marked: set[str] = set()
    for row in layout.body:
        values = [
            parse_value(matrix.text(row, column)) for column in layout.data if matrix.kind(row, column) in DATA_KINDS
        ]
        units = {value.unit for value in values if value.unit}
        marked |= units & CURRENCIES
        if values and not units & CURRENCIES and not marked and "%" not in units:
            return ""
    return next(iter(marked)) if len(marked) == 1 else ""


def _column_units(matrix: Matrix, layout: Layout) -> dict[int, Unit]:
    """What the unit rows of the header say of each column."""
    units: dict[int, Unit] = {}
    for row in layout.units:
        others = is_called_units(matrix, row)  # units that are none by their form: "A", "1/W"
        for column, text in texts_above(matrix, row, layout.data).items():
            as_written = Unit(text.strip(" ()[]"), 1, text) if others else Unit()
            units[column] = unit_of_unit_text(text) if is_wide_unit_text(text) else as_written
    return {column: unit for column, unit in units.items() if unit.is_known}


def _read_cells(
    matrix: Matrix,
    layout: Layout,
    rows: tuple[RowHeader, ...],
    columns: tuple[Header, ...],
    rules: UnitRules,
    groups: Mapping[tuple[int, int], Header],
) -> tuple[Cell, ...]:
    by_row_unit = _column_units(matrix, layout)
    fields = field_names([header.leaf for header in columns if len(header.path) == 1])
    units = {
        header.index: ColumnUnit(
            _header_unit(header, by_row_unit.get(header.index, Unit()), rules.table.unit, fields),
            _currency_of_column(matrix, layout, header.index),
            header.leaf,
        )
        for header in columns
    }
    marks = {header.index: decimal_mark(matrix, layout, header.index) for header in columns}
    beside = units_beside(matrix, layout)
    labels = set(layout.labels)
    filled = fills_down(matrix, layout) if any(header.index in labels for header in columns) else {}
    cells: list[Cell] = []
    for row in rows:
        for header in columns:
            cell = matrix.own(row.index, header.index)
            if cell is None and (above := filled.get(header.index, {}).get(row.index)) is not None:
                cells.append(replace(_label_cell(above), row=row.index))
            if cell is None:
                continue
            if header.index in labels:
                cells.append(_label_cell(cell))
                continue
            group = groups.get((row.index, header.index), header)
            unit = units[group.index]
            if not unit.header.is_known and (said := beside.get(header.index, {}).get(row.index)) is not None:
                unit = replace(unit, header=said)
            read = _data_cell(cell, unit, row, rules, marks[header.index])
            cells.append(read if group is header else replace(read, column=group.index, column_span=1))
    return tuple(replace(cell, value=None, unit="", scale=1) if _is_code(matrix, cell) else cell for cell in cells)


def _is_code(matrix: Matrix, cell: Cell) -> bool:
    """Whether the matrix knows a text as a code that elsewhere is a figure: "1B"."""
    return matrix.kinds.get((cell.row, cell.column)) == "text" and LETTERED.fullmatch(cell.text) is not None


def _currency_of_column(matrix: Matrix, layout: Layout, column: int) -> str:
    """The one currency that marks cells of the column: accountants mark only the first and the last."""
    texts = [cell.text for row in layout.body if (cell := matrix.own(row, column)) and MARKED.search(cell.text)]
    units = {parse_value(text).unit for text in texts} & CURRENCIES
    return units.pop() if len(units) == 1 else ""


def _header_unit(header: Header, said: Unit, table_unit: str, fields: Collection[str]) -> Unit:
    """The unit of a column: what its unit row says, else the innermost heading that states one.

    A group heading that is only a countable word ("Person", "Households") states none beside a measure further out.
    """
    if said.is_known or header.leaf in fields:
        return said
    found = [unit_of_header(part) for part in reversed(header.path)]
    is_measured = table_unit in MEASURED or any(unit.unit in MEASURED for unit in found)
    for place, unit in enumerate(found):
        is_word = place > 0 and find_unit_and_scale(unit.text) == ("", 1)
        if (unit.is_known and not (is_word and is_measured)) or (unit.is_count and not place):
            return unit
    return Unit()


def _label_cell(cell: GridCell) -> Cell:
    value = parse_value(cell.text, number=cell.number).value if not cell.is_date else None
    text = cell.text.strip()
    place = (cell.address, cell.bbox, cell.line, 1, 1, cell.page, cell.last_line)
    return Cell(cell.row, cell.column, text, value, "", 1, *place)


def _data_cell(cell: GridCell, column: ColumnUnit, row: RowHeader, rules: UnitRules, mark: str | None) -> Cell:
    text = " ".join(cell.text.split())
    found = parse_value(
        text, number=None if cell.is_date else cell.number, is_percent=cell.is_percent, decimal_mark=mark
    )
    value, unit, scale = None, "", 1
    if found.value is not None and not cell.is_date:
        value = _as_plain(found.value)
        unit, scale = rules.apply(found, column, row.unit, row.block, row.path)
        if unit in YEARS and kind_of_period(text) == "year":  # it names a year, and counts none
            unit = ""
    place = (cell.address, cell.bbox, cell.line, cell.row_span, cell.column_span, cell.page, cell.last_line)
    return Cell(cell.row, cell.column, text, value, unit, scale, *place)


def _as_plain(value: Decimal) -> Decimal:
    """The same number without an exponent, so that it prints as a person writes it."""
    exponent = value.as_tuple().exponent
    return value.quantize(Decimal(1)) if isinstance(exponent, int) and 0 < exponent < 20 else value


def _confidence(matrix: Matrix, layout: Layout, paths: dict[int, tuple[str, ...]]) -> float:
    """How sure the reading is: headers and labels found, every column named, columns of one kind."""
    confidence = 1.0
    if not layout.has_header:
        confidence *= NO_HEADER
    if not layout.labels:
        confidence *= NO_LABELS
    unnamed = sum(not path for path in paths.values()) / len(paths)
    confidence *= 1 - (1 - UNNAMED_COLUMNS) * unnamed
    kinds = [matrix.kind(row, column) for row in layout.body for column in layout.data if matrix.at(row, column)]
    if FIGURES.isdisjoint(kinds):
        confidence *= TEXT_ONLY
    return confidence
