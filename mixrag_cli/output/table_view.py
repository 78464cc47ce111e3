"""A table with its header trees, laid out for the width at hand.

Column headers are stacked, outermost first; row headers become an indented outline, with a line of its own for a
parent that has no data, or stay columns where no rows share a parent. What does not fit is left out and counted; what
is cited is never left out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, pairwise

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Layout
from rich.text import Text

from mixrag_cli.output.console import foreign
from mixrag_cli.output.places import is_on, is_within
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.words import COMMON_WORDS, match_heading, stem, stems_of, terms_of, tokens_of

NARROWEST_COLUMN = 9  # characters: "1,234,567"
SHORT_CELL = 16  # characters that are kept on one line: a name, a date and time
WIDEST_WORD = 24  # characters of a word that is kept whole
GAP = 2  # blanks between columns
LABEL_SHARE = 3  # the row labels get at most one part in three of the width
MAX_ROWS = 40  # a screenful; --json has them all
LONG_CELL = 4 * NARROWEST_COLUMN  # characters: sentences, which are read in a wider column
ROWS_BEFORE_CITED = 6
NEIGHBOURS = 1  # rows of a slice before and after its only cited row
MAX_CITED_ROWS = 8  # of a slice: enough for what a formula compares; a tally over more is told by its column
INDENT = 2  # blanks a level of row headers
MAX_DEPTH = 3  # levels that are set in: a narrow column has room for no more

Place = tuple[int, int]  # row and column of a cell, as in Cell


def table_layout(console: Console, table: Table, highlight: Sequence[str] = ()) -> tuple[Layout, str]:
    """The table ready to print, and one line on what was left out ("" where it is whole)."""
    cited = cited_cells(table, highlight)
    rows = _rows_to_show(table.rows, {row for row, _ in cited})
    widths = _widths(table, rows)
    labels = _label_columns(table, rows) if _share_no_parents(rows) else []
    columns = _columns_that_fit(table.columns, cited, console.width, widths, labels)
    outlined: set[int] = set()
    if not {column.index for column in columns} > {*labels}:  # too narrow for columns of labels beside the others
        outlined, labels = {*labels} - {column for _, column in cited}, []
        others = [column for column in table.columns if column.index not in outlined]
        columns = _columns_that_fit(others, cited, console.width, widths)
    left_out = _left_out(table, len(rows), len(columns) + len(outlined))
    layout = _laid_out(table, rows, columns, cited, _Room(console.width, console.is_terminal, outlined=not labels))
    return layout, f"… and {left_out} (all with --json)" if left_out else ""


def table_slice(
    console: Console, table: Table, rows: Set[int], cited: Set[Place], indent: int, question: str = ""
) -> tuple[Layout, str]:
    """The header rows, some rows with a neighbour on each side, the cited columns and those that are asked for.

    Columns that repeat the rows' own headers stand in for these, so that no label is shown twice. Of a row without a
    cited cell the name is marked. Returns the slice ready to print beside an indent of so many columns, and one line on
    what was left out.
    """
    width = console.width - indent
    around = _rows_round(table.rows, rows)
    labels = _label_columns(table, [row for row in around if row is not None])
    asked = asked_columns(table, rows, labels, question)
    widths = _widths(table, around)
    longest = max((len(cell.text) for cell in table.cells if (cell.row, cell.column) in cited), default=0)
    taken = min(longest, width // 2) - NARROWEST_COLUMN if longest > LONG_CELL else 0
    columns = _columns_that_fit(table.columns, cited, width - taken, widths, labels, asked)
    shown = {column.index for column in columns}
    if not shown >= {*labels} or not shown & ({*asked} or shown):  # too narrow for columns of labels beside the others
        labels, columns = [], _columns_that_fit(table.columns, cited, width - taken, widths, asked=asked)
    left_out = _left_out(table, sum(row is not None for row in around), len(columns))
    unmarked = rows - {row for row, _ in cited}
    cited = {*cited, *((row, column) for row in unmarked for column in labels[:1])}
    room = _Room(width, console.is_terminal, outlined=not labels, named=frozenset(unmarked))
    layout = _laid_out(table, around, columns, cited, room)
    return layout, f"… {left_out}" if left_out else ""


def _share_no_parents(rows: Sequence[Header]) -> bool:
    """Whether half of the rows or more begin with another name than the one above: an outline has nothing to group."""
    return 2 * sum(row.path[:1] != above.path[:1] for above, row in pairwise(rows)) >= len(rows) - 1


def _label_columns(table: Table, rows: Sequence[Header]) -> list[int]:
    """The indices of the columns whose cells are the row headers themselves; none unless every header has one."""
    texts = {(cell.row, cell.column): cell.text for cell in table.cells}
    found: list[int] = []
    for depth in range(max((len(row.path) for row in rows), default=0)):
        same = (
            column.index
            for column in table.columns
            if all(texts.get((row.index, column.index)) == row.path[depth] for row in rows if len(row.path) > depth)
        )
        index = next(same, None)
        if index is None:
            return []
        found.append(index)
    return found


def asked_columns(table: Table, rows: Set[int], labels: Sequence[int], question: str) -> dict[int, int]:
    """The columns by index: 0 those whose header paths say most of the question, 1 those with cells that it says.

    A word of a header is the more, the fewer headers say it. rows: in which the cells stand.
    """
    asked = _whole_words(question)
    given = {cell.column for cell in table.cells if cell.row in rows and _is_said(cell.text, asked)}
    said = {column.index: 0.0 for column in table.columns if column.index not in labels}
    heads = {column.index: stems_of(" ".join(column.path)) for column in table.columns}
    for term in terms_of(question):
        matches = {index: match_heading(term, heads[index]) for index in said}
        saying = sum(match > 0 for match in matches.values())
        for index, match in matches.items():
            said[index] += match * math.log(len(said) / saying) if saying else 0.0
    most = max(said.values(), default=0.0)
    named = {index for index, share in said.items() if share == most > 0}
    return dict.fromkeys(given - {*labels}, 1) | dict.fromkeys(named, 0)


def _is_said(text: str, asked: Set[str]) -> bool:
    """Whether half of a cell's words or more are the question's: a name, and no text that speaks of the same."""
    words = _whole_words(text)
    return bool(words) and 2 * len(words & asked) >= len(words)


def _whole_words(text: str) -> set[str]:
    """The stems of a text's words that tell something, of identifiers in one: the 1 of "K1" is no word."""
    words = (token.casefold().replace(",", "") for token in tokens_of(text))
    return {stem(word) for word in words if word not in COMMON_WORDS}


def cited_cells(table: Table, highlight: Sequence[str]) -> set[Place]:
    """Row and column of the data cells at the places "B4:C4", "L7-9" or "page=2"."""
    page = table.locator.page
    return {(cell.row, cell.column) for cell in table.cells if _is_cited(cell, page, highlight)}


@dataclass(frozen=True, slots=True)
class _Room:
    """Where a table is laid out. styled: whether a mark can be a style; outlined: whether row headers are shown.

    named: the rows whose header is marked.
    """

    width: int
    styled: bool
    outlined: bool = True
    named: frozenset[int] = frozenset()


def _laid_out(
    table: Table, rows: Sequence[Header | None], columns: Sequence[Header], cited: Set[Place], room: _Room
) -> Layout:
    """The rows and columns as a layout; None stands for rows that are left out in between."""
    cells = {(cell.row, cell.column): cell for cell in table.cells}
    layout = Layout(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    if room.outlined:
        labels = max(room.width // LABEL_SHARE, min(NARROWEST_COLUMN, room.width // 2), 1)
        layout.add_column("", max_width=labels, overflow="fold")
    for column in columns:
        own = (cells.get((row.index, column.index)) for row in rows if row is not None)
        layout.add_column(
            foreign("\n".join(column.path), keep_newlines=True),
            justify="right" if any(cell is not None and cell.value is not None for cell in own) else "left",
            overflow="fold",
        )
    shown: tuple[str, ...] = ()
    for row in rows:
        if row is None:
            layout.add_row("…")
            continue
        label, style = "", "bold" if row.is_total else ""
        if room.outlined:
            for depth in range(_common_length(shown, row.path), len(row.path) - 1):
                layout.add_row(_outlined(foreign(row.path[depth], "bold"), depth))
            label = row.path[-1] if row.path else ""
        places = [(row.index, column.index) for column in columns]
        texts = [_cell_text(cells.get(place), place in cited, room.styled) for place in places]
        told = _marked(label, row.index in room.named and bool(label), room.styled)
        layout.add_row(*([_outlined(told, len(row.path) - 1)] if room.outlined else []), *texts, style=style)
        shown = row.path
    return layout


def _outlined(label: Text, depth: int) -> Padding:
    """A row header at its depth, whose further lines stand below its first."""
    return Padding(label, (0, 0, 0, INDENT * min(max(depth, 0), MAX_DEPTH)))


def facts_layout(table: Table) -> Layout:
    """Facts ready to print, a row each: the line or page, the key path, what is said of it."""
    said: dict[int, list[tuple[str, Cell]]] = {}
    leaves = {column.index: column.leaf for column in table.columns}
    for cell in table.cells:
        said.setdefault(cell.row, []).append((leaves[cell.column], cell))
    layout = Layout(box=None, pad_edge=False, header_style="dim")
    place = "line" if table.locator.page is None else "page"
    for name in (place, "key", "says"):
        layout.add_column(name, overflow="fold", no_wrap=name == place, justify="right" if name == place else "left")
    for row in table.rows:
        values = said.get(row.index, [])
        told = next(
            (f"L{cell.line}" if cell.line else f"p{cell.page}" for _, cell in values if cell.line or cell.page), ""
        )
        text = "; ".join(cell.text if leaf == "value" else f"{leaf} {cell.text}" for leaf, cell in values)
        layout.add_row(told, foreign(" > ".join(row.path)), foreign(text))
    return layout


def _cell_text(cell: Cell | None, is_cited: bool, styled: bool) -> Text:
    return _marked(cell.text, is_cited, styled) if cell is not None else Text("")


def _marked(text: str, is_marked: bool, styled: bool) -> Text:
    """A text as it may be printed; a mark is a style where there are styles, else brackets."""
    if not is_marked:
        return foreign(text)
    return foreign(text, "bold reverse") if styled else foreign(f"[{text}]")


def _is_cited(cell: Cell, first_page: int | None, highlight: Sequence[str]) -> bool:
    page = cell.page or first_page
    return any(is_within(cell.address, place) or is_on(cell.line, page, place) for place in highlight)


def _widths(table: Table, rows: Sequence[Header | None]) -> dict[int, int]:
    """How wide each column is, by its index, so that none of its words in these rows is broken, nor a short cell."""
    shown = {row.index for row in rows if row is not None}
    found = {column.index: [*column.path] for column in table.columns}
    for cell in table.cells:
        if cell.row in shown and cell.column in found:
            found[cell.column].append(cell.text)
    return {index: max(map(_width_of, texts), default=0) for index, texts in found.items()}


def _width_of(text: str) -> int:
    longest = max(map(len, text.split()), default=0)
    return min(max(longest, len(text) if len(text) <= SHORT_CELL else 0), WIDEST_WORD)


def _columns_that_fit(
    columns: Sequence[Header],
    cited: Set[Place],
    width: int,
    widths: Mapping[int, int],
    labels: Sequence[int] = (),
    asked: Mapping[int, int] | None = None,
) -> list[Header]:
    """As many as there is room for: those with a cited cell, the labels, those asked for, then those near the cited.

    Where one row is cited by a cell and another as a whole, the cell's column tells more than the others of that row.
    widths: of the columns by index. asked: what the question names, as of asked_columns.
    """
    indices = {column for _, column in cited}
    centres = [place for place, column in enumerate(columns) if column.index in indices] or [0]
    nearness = {place: min(abs(place - centre) for centre in centres) for place in range(len(columns))}
    of_row = Counter(row for row, _ in cited)
    fewest: dict[int, int] = {}
    for row, column in cited:
        fewest[column] = min(fewest.get(column, of_row[row]), of_row[row])

    def order(place: int) -> tuple[float, ...]:
        index, near = columns[place].index, nearness[place]
        return near > 0, fewest.get(index, 0), index not in labels, (asked or {}).get(index, 2), near, place

    ordered = sorted(nearness, key=order)
    ends = accumulate(max(widths[columns[place].index], NARROWEST_COLUMN) + GAP for place in ordered)
    room = sum(end <= (width if labels else width - width // LABEL_SHARE) for end in ends)
    return [columns[place] for place in sorted(ordered[: max(room, 1)])]


def _rows_to_show(rows: Sequence[Header], cited: Set[int]) -> list[Header]:
    first = next((place for place, row in enumerate(rows) if row.index in cited), 0)
    start = max(0, min(first - ROWS_BEFORE_CITED, len(rows) - MAX_ROWS))
    return list(rows[start : start + MAX_ROWS])


def _rows_round(rows: Sequence[Header], cited: Set[int]) -> list[Header | None]:
    """The cited rows, at most MAX_CITED_ROWS, each between its neighbours; None for a gap within."""
    centres = [place for place, row in enumerate(rows) if row.index in cited][:MAX_CITED_ROWS] or [0]
    near = NEIGHBOURS if len(centres) == 1 else 0
    kept = sorted(
        {place for centre in centres for place in range(centre - near, centre + near + 1)} & {*range(len(rows))}
    )
    shown: list[Header | None] = []
    for place, before in zip(kept, [*kept[:1], *kept], strict=False):
        if place - before > 1:
            shown.append(None)
        shown.append(rows[place])
    return shown


def _left_out(table: Table, rows: int, columns: int) -> str:
    """Example: "10 more rows and 3 more columns"; "" where all are shown."""
    missing_rows = max(table.total_rows, len(table.rows)) - rows
    missing_columns = len(table.columns) - columns
    parts = []
    if missing_rows > 0:
        parts.append(f"{missing_rows:,} more {'row' if missing_rows == 1 else 'rows'}")
    if missing_columns > 0:
        parts.append(f"{missing_columns} more {'column' if missing_columns == 1 else 'columns'}")
    return " and ".join(parts)


def _common_length(one: Sequence[str], other: Sequence[str]) -> int:
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))
