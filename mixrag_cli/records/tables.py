"""A table read through its headers."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from mixrag_cli.records.documents import ColumnProfile
from mixrag_cli.records.places import Locator

TableKind = Literal["table", "facts"]
Representation = Literal["h-rcl-rows", "h-rcl", "rcl", "table"]  # of a table, as texts to search by


@dataclass(frozen=True, slots=True)
class Header:
    """One data column or data row of a table with its full header path, outermost first."""

    index: int
    path: tuple[str, ...]
    is_total: bool = False

    @property
    def leaf(self) -> str:
        """The innermost label, "" for a header without any."""
        return self.path[-1] if self.path else ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A data cell: what it says, what it is worth and where it stands.

    row, column: grid indices, as in Header.index. value: the number as written (-1234 for "(1,234)"; 35.3
    for "35.3 %"); multiply by scale for base units. unit: "%", "USD", … or "". page, last_line: as in GridCell.
    """

    row: int
    column: int
    text: str
    value: Decimal | None = None
    unit: str = ""
    scale: int = 1
    address: str | None = None
    bbox: tuple[float, float, float, float] | None = None
    line: int | None = None
    row_span: int = 1
    column_span: int = 1
    page: int | None = None
    last_line: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table read through its headers (paper 000, 3.1: T = {top headers, left headers, data}).

    unit, scale: those the caption or a unit row gives to the whole table ("USD", 1_000_000). confidence: in
    [0, 1], how sure the header inference is. total_rows: as in Grid. kind: "facts" where the rows are keys
    (Header.path is the key path) and the columns are ("constant", "value"), ("option", "help"), …: a FactSort over a
    FactColumn. A document has one such table, a notebook one a cell.
    """

    id: str
    title: str
    columns: tuple[Header, ...]
    rows: tuple[Header, ...]
    cells: tuple[Cell, ...]
    locator: Locator
    unit: str = ""
    scale: int = 1
    notes: tuple[str, ...] = ()
    confidence: float = 1.0
    total_rows: int = 0
    profiles: tuple[ColumnProfile, ...] = ()
    kind: TableKind = "table"
