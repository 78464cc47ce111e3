"""What a reader makes of a file: running text, grids of cells and facts."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from mixrag_cli.records.places import LineMarks, Locator

Modality = Literal[
    "pdf", "markdown", "code", "sheet", "html", "notebook", "text", "document", "slides", "mail", "image"
]
BlockKind = Literal["heading", "paragraph", "list", "code", "definition", "table"]
FactSort = Literal[
    "constant",  # NAME = 5; a class attribute; a member of an enumeration
    "entry",  # a key of a literal mapping, a field of a literal record, a keyword argument of a module's call
    "default",  # of a parameter
    "option",  # of a command line
    "case",  # an arm of a match or switch: the subject, the pattern
    "return",  # a function's literal answer, its condition in the path
    "setting",  # a key of a configuration file or of front matter
    "label",  # "Label: value"
    "definition",  # a term and what it means
    "version",  # of a change log, with its date
]
FactColumn = Literal["value", "default", "type", "help", "date"]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of running text with one kind and one place.

    heading_path: enclosing headings, outermost first; for code the enclosing scopes ("class Session", …).
    level: depth of a heading, from 1; 0 for all else. grid: for kind "table" the index into Document.grids;
    text is then the raw table, so that it stays in the running text. name: for kind "definition" the
    qualified name ("Session.send"); of running text the code that its heading, or its first line, is ("max_size").
    """

    text: str
    kind: BlockKind
    locator: Locator
    heading_path: tuple[str, ...] = ()
    level: int = 0
    grid: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class GridCell:
    """One cell as its format gives it, before anyone decides what is a header.

    row, column: of its top left corner, from 0, within the grid. text: as shown to a person. number: the
    stored number where the format has typed cells. indent, bold: style hints where the format has them.
    address: "B6" in sheets. locator-like hints: bbox in PDF, line (from 1) in text formats. page: where it is not the
    grid's own, in a table that goes on over pages. last_line: of a text over several lines.
    """

    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1
    number: Decimal | None = None
    is_percent: bool = False
    is_date: bool = False
    is_header: bool = False
    bold: bool = False
    indent: int = 0
    address: str | None = None
    bbox: tuple[float, float, float, float] | None = None
    line: int | None = None
    page: int | None = None
    last_line: int | None = None


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What a streamed column holds over all its rows (the sums are over rows with a number)."""

    index: int
    count: int
    numbers: int
    total: Decimal | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    low_row: int | None = None
    high_row: int | None = None
    distinct: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowLine:
    """One row of a sampled table as a line of text, with its lines in the source or its row in a sheet, from 1."""

    text: str
    lines: tuple[int, int] | None = None
    sheet_row: int | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """A rectangular region of cells that a reader took for one table.

    caption: text bound to the table from outside (a title line above it, a figure legend).
    total_rows: rows in the source; above n_rows when the grid holds a sample and profiles cover the rest. row_lines:
    then all rows as lines of text, the first of them the header, where they are not too many to be searched by words.
    decimal_mark: of the numbers of a column that leave it open, where the file's own way to write tells it.
    is_headless: where things stand tells the reader that the first row is no header.
    """

    n_rows: int
    n_columns: int
    cells: tuple[GridCell, ...]
    locator: Locator
    caption: str = ""
    notes: tuple[str, ...] = ()
    total_rows: int = 0
    profiles: tuple[ColumnProfile, ...] = ()
    confidence: float = 1.0
    row_lines: tuple[RowLine, ...] = ()
    decimal_mark: str | None = None
    is_headless: bool = False


@dataclass(frozen=True, slots=True)
class FactValue:
    """One thing said of a key. line: of the file, from 1; None where the format has no lines. page, bbox: of a PDF."""

    column: FactColumn
    text: str
    line: int | None = None
    page: int | None = None
    bbox: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """What a file says of one key. path: outermost first, e.g. ("Session", "send", "timeout"). cell: of a notebook."""

    path: tuple[str, ...]
    sort: FactSort
    values: tuple[FactValue, ...]
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """What a reader made of one file.

    text: the whole extracted text; every locator's chars point into it. warnings: for people, one line each. marks:
    the file's lines for the text, where the format has lines. facts: in the order of the file.
    """

    modality: Modality
    title: str
    text: str
    blocks: tuple[Block, ...]
    grids: tuple[Grid, ...] = ()
    language: str = ""
    warnings: tuple[str, ...] = ()
    marks: LineMarks = field(default_factory=LineMarks)
    facts: tuple[Fact, ...] = ()
