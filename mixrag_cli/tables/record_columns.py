"""What the columns of a table of records hold: their different texts, and whether these are numbers, years or dates.

A table that is held whole is read once for all of its columns; of a sampled one the profiles know.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.text import has_labels, key_columns
from mixrag_cli.words import stems_in

MAX_DISTINCT = 200  # texts of a column that can be asked for by name, as the profiles keep them
MAX_KEPT = 32  # tables whose columns are kept for the next look
N_LOOKED_AT = 50  # cells that tell what a column holds
_TIME = re.compile(r"\s*(?:1[5-9]|20)\d\d(?P<date>-[01]\d(?:-[0-3]\d)?)?(?!\d)")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of records. stems: of its innermost label, in order. texts: the different ones, in order, () where there
    are too many to be asked for."""

    header: Header
    stems: tuple[str, ...]
    texts: tuple[str, ...]
    is_numeric: bool
    is_of_years: bool
    is_of_dates: bool

    @property
    def index(self) -> int:
        """Its place in the grid."""
        return self.header.index


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """A table by its identity, as a key: its cells are too many to be compared or hashed."""

    table: Table

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and self.table is other.table

    def __hash__(self) -> int:
        return id(self.table)


def columns_of(table: Table) -> tuple[Column, ...]:
    """The table's columns, in order."""
    return _columns_of(_Held(table))


@lru_cache(maxsize=MAX_KEPT)
def _columns_of(held: _Held) -> tuple[Column, ...]:
    cells: dict[int, list[Cell]] = {header.index: [] for header in held.table.columns}
    for cell in held.table.cells:
        if cell.column in cells:
            cells[cell.column].append(cell)
    return tuple(_column(held.table, header, cells[header.index]) for header in held.table.columns)


def _column(table: Table, header: Header, cells: Sequence[Cell]) -> Column:
    profile = next((known for known in table.profiles if known.index == header.index), None)
    looked_at = cells[:N_LOOKED_AT]
    if profile is not None:
        texts, is_numeric = profile.distinct, profile.count > 0 and profile.numbers * 2 >= profile.count
    else:
        texts = tuple(dict.fromkeys(cell.text.strip() for cell in cells))
        is_numeric = sum(cell.value is not None for cell in looked_at) * 2 > len(looked_at)
        texts = texts if len(texts) <= MAX_DISTINCT or not is_numeric else ()
    times = [_TIME.match(cell.text) for cell in looked_at if cell.text]
    is_of_dates = bool(times) and all(found is not None and found["date"] for found in times)
    is_of_years = 2 * sum(map(is_year, texts)) > len(texts)  # beside years may stand "later" and "total"
    return Column(header, stems_in(header.leaf), texts, is_numeric, is_of_years, is_of_dates)


def is_sampled(table: Table) -> bool:
    """Whether the table holds only some of its file's rows."""
    return table.total_rows > len(table.rows)


def is_record_table(table: Table) -> bool:
    """Whether the rows are records of one kind under named columns, not labelled lines of a report."""
    return is_sampled(table) or bool(key_columns(table)) or not has_labels(table)


def is_year(text: str) -> bool:
    """Whether the text is a year and nothing else."""
    return (found := _TIME.fullmatch(text)) is not None and not found["date"]


def columns_named(words: Sequence[str], table: Table) -> list[Column]:
    """The columns that one of the stems names, in the order of the words."""
    return list(dict.fromkeys(column for word in words for column in columns_of(table) if word in column.stems))
