"""Row passages that name a column only by its number ("column 5"), per PDF: columns whose header was not read.

    python tests/benchmarks/numbered_columns.py FOLDER_OR_FILE… [--show N]

A row passage is the text of one data row as it is searched. It counts where one of the columns that it fills has no
name. In a table of one column that column needs none, and its row's text says none. A page that prints no header is no
fault of the reading, so what remains has to be looked at: --show prints the N tables of each file that add most.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mixrag_cli.readers.pdf.reader import read_pdf
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.tables.text import column_name, row_texts

LONG_LABEL_CHARS = 200  # a row's path that is longer has swallowed running text or header lines


@dataclass(frozen=True, slots=True)
class Count:
    """What one file's tables hold: rows, those that name a column by number, such columns, labels too long."""

    tables: int
    rows: int
    numbered_rows: int
    columns: int
    numbered_columns: int
    long_labels: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--show", type=int, default=0, help="print this many tables of each file")
    arguments = parser.parse_args()
    counts = []
    for path in sorted(pdfs_in(arguments.paths)):
        tables = read_tables(path)
        counts.append(count_tables(tables))
        print(f"{path.name[:44]:44} {line_of(counts[-1])}")
        worst = sorted(tables, key=lambda table: -len(numbered_rows(table)))
        for table in worst[: arguments.show]:
            if numbered_rows(table):
                print_table(table)
    total = Count(*(sum(column) for column in zip(*map(as_tuple, counts), strict=True)))
    print(f"{'all':44} {line_of(total)}")


def pdfs_in(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from path.rglob("*.pdf")
        else:
            yield path


def read_tables(path: Path) -> list[Table]:
    with path.open("rb") as file:
        document = read_pdf(ReadSource(path.name, path.stat().st_size, file))
    tables = (grid_to_table(grid, document="d", title=document.title) for grid in document.grids)
    return [table for table in tables if table is not None]


def count_tables(tables: Sequence[Table]) -> Count:
    return Count(
        len(tables),
        sum(len(table.rows) for table in tables),
        sum(len(numbered_rows(table)) for table in tables),
        sum(len(table.columns) for table in tables),
        sum(len(numbered_columns(table)) for table in tables),
        sum(len(" ".join(row.path)) > LONG_LABEL_CHARS for table in tables for row in table.rows),
    )


def numbered_columns(table: Table) -> list[int]:
    return [header.index for header in table.columns if header.path == (column_name(header.index),)]


def numbered_rows(table: Table) -> set[int]:
    columns = set(numbered_columns(table)) if len(table.columns) > 1 else set()
    return {cell.row for cell in table.cells if cell.column in columns}


def as_tuple(count: Count) -> tuple[int, ...]:
    return (
        count.tables,
        count.rows,
        count.numbered_rows,
        count.columns,
        count.numbered_columns,
        count.long_labels,
    )


def line_of(count: Count) -> str:
    share = 100 * count.numbered_rows / max(count.rows, 1)
    return (
        f"{count.tables:4} tables  rows {count.numbered_rows:5} of {count.rows:6} ({share:4.1f} %)"
        f"  columns {count.numbered_columns:4} of {count.columns:5}  long labels {count.long_labels:3}"
    )


def print_table(table: Table) -> None:
    print(f"    page {table.locator.page}: {table.title[:90]!r}, {len(table.rows)} rows")
    print(f"      columns: {' | '.join(' > '.join(header.path)[:40] for header in table.columns)}")
    for text in list(row_texts(table).values())[:3]:
        print(f"      {text[:150]}")


if __name__ == "__main__":
    main()
