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
from mixrag_cli.words import stem, words_of

MAX_DISTINCT = 200  # texts of a column that can be asked for by name, as the profiles keep them
MAX_KEPT = 32  # tables whose columns are kept for the next look
N_LOOKED_AT = 50  # cells that tell what a column holds
_TIME = re.compile(r"\s*(?:1[5-9]|20)\d\d(?P<date>-[01]\d(?:-[0-3]\d)?)?(?!\d)")


@dataclass(frozen=True, slots=True, eq=False)
class HeldTable:
    """A table by its identity, as a key: its cells are too many to be compared or hashed."""

    table: Table

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeldTable) and self.table is other.table

    def __hash__(self) -> int:
        return id(self.table)


@dataclass(frozen=True, slots=True)
class _Contents:
    """What a column of a held table holds. texts: distinct, in order."""

    texts: tuple[str, ...]
    is_numeric: bool


@lru_cache(maxsize=MAX_KEPT)
def _contents_of(held: HeldTable) -> dict[int, _Contents]:
    """Of each column by its index, read once: a wide table is asked for them column by column."""
    cells: dict[int, list[Cell]] = {header.index: [] for header in held.table.columns}
    for cell in held.table.cells:
        if cell.column in cells:
            cells[cell.column].append(cell)
    return {
        index: _Contents(
            tuple(dict.fromkeys(cell.text.strip() for cell in own)),
            bool(own) and sum(cell.value is not None for cell in own[:N_LOOKED_AT]) * 2 > len(own[:N_LOOKED_AT]),
        )
        for index, own in cells.items()
    }


def is_sampled(table: Table) -> bool:
    """Whether the table holds only some of its file's rows."""
    return table.total_rows > len(table.rows)


def is_record_table(table: Table) -> bool:
    """Whether the rows are records of one kind under named columns, not labelled lines of a report."""
    return is_sampled(table) or bool(key_columns(table)) or not has_labels(table)


def distinct_texts(table: Table, column: Header) -> tuple[str, ...]:
    """The texts of a column that holds few of them, () where it holds many."""
    profile = next((known for known in table.profiles if known.index == column.index), None)
    if profile is not None:
        return profile.distinct
    texts = _texts_of(table, column)
    return texts if len(texts) <= MAX_DISTINCT else ()


def _texts_of(table: Table, column: Header) -> tuple[str, ...]:
    known = _contents_of(HeldTable(table)).get(column.index)
    return known.texts if known else ()


def is_numeric(table: Table, column: Header) -> bool:
    """Whether at least half of the column's filled cells are numbers."""
    profile = next((known for known in table.profiles if known.index == column.index), None)
    if profile is not None:
        return profile.count > 0 and profile.numbers * 2 >= profile.count
    known = _contents_of(HeldTable(table)).get(column.index)
    return known is not None and known.is_numeric


def known_texts(table: Table, header: Header) -> tuple[str, ...]:
    """The column's texts: few, or all of those of a table that is held whole, numbers apart."""
    few = distinct_texts(table, header)
    return few if few or is_sampled(table) or is_numeric(table, header) else _texts_of(table, header)


def is_year(text: str) -> bool:
    """Whether the text is a year and nothing else."""
    return (found := _TIME.fullmatch(text)) is not None and not found["date"]


def is_year_column(table: Table, header: Header) -> bool:
    """Whether all texts of the column are years."""
    return all(map(is_year, distinct_texts(table, header)))


def is_date_column(table: Table, header: Header) -> bool:
    """Whether all texts of the column are ISO dates."""
    texts = [cell.text for cell in table.cells if cell.column == header.index and cell.text][:N_LOOKED_AT]
    return bool(texts) and all((found := _TIME.match(text)) is not None and bool(found["date"]) for text in texts)


def is_key(table: Table, column: Header) -> bool:
    """Whether each row has a text of its own in the column."""
    if is_sampled(table):
        return not distinct_texts(table, column) and column == table.columns[0]
    texts = [cell.text.strip().lower() for cell in table.cells if cell.column == column.index]
    return len(texts) == len(set(texts))


def leaf_stems(header: Header) -> tuple[str, ...]:
    """The stems of a column's innermost label, in order."""
    return stems_in(header.leaf)


@lru_cache(maxsize=65536)
def stems_in(text: str) -> tuple[str, ...]:
    """All stems of a text in order."""
    return tuple(stem(word) for word in words_of(text))


def columns_named(words: Sequence[str], table: Table) -> list[Header]:
    """The columns that one of the stems names, in the order of the words."""
    return list(dict.fromkeys(header for word in words for header in table.columns if word in leaf_stems(header)))
