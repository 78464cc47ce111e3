"""Row passages that name a column only by its number ("column 5"), per file: columns whose header was not read.

    python tests/benchmarks/numbered_columns.py FOLDER_OR_FILE… [--suffixes pdf,xlsx] [--list] [--show N]

A row passage is the text of one data row as it is searched. It counts where one of the columns that it fills has no
name. In a table of one column that column needs none, and its row's text says none. A file or page that says no header
is no fault of the reading, so what remains has to be looked at: --list prints each such table with its place and what
was found of its header, --show the first N rows of each grid with it, as they were read.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from corpora import files_below

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers import ReadSource, has_reader, reader_for
from mixrag_cli.records.documents import Grid
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.tables.text import column_name

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
    parser.add_argument("--suffixes", default="", help="read files with these alone")
    parser.add_argument("--list", action="store_true", help="print each table that has such rows")
    parser.add_argument("--show", type=int, default=0, help="print so many rows of the grids of these tables")
    arguments = parser.parse_args()
    counts = []
    for path in sorted(files_in(arguments.paths, tuple(arguments.suffixes.split(",")))):
        tables = read_tables(path)
        if not tables:
            continue
        counts.append(count_tables([table for _, table in tables]))
        print(f"{path.name[:44]:44} {line_of(counts[-1])}", flush=True)
        for grid, table in tables if arguments.list or arguments.show else []:
            if numbered_rows(table):
                print_table(table)
                print_grid(grid, arguments.show)
    total = Count(*(sum(column) for column in zip(*map(astuple, counts), strict=True)))
    print(f"{'all':44} {line_of(total)}")


def files_in(paths: Sequence[Path], suffixes: tuple[str, ...]) -> Iterator[Path]:
    """The files that have a reader, and one of the suffixes where some are given."""
    for file in files_below(paths):
        if has_reader(file.name) and (not any(suffixes) or file.suffix[1:].lower() in suffixes):
            yield file


def read_tables(path: Path) -> list[tuple[Grid, Table]]:
    """Each grid of a file that is a table, with the table; [] for a file that cannot be read, which is said."""
    try:
        with path.open("rb") as file:
            document = reader_for(path.name)(ReadSource(path.name, path.stat().st_size, file))
    except FileUnreadable as exc:
        print(f"{path.name[:44]:44} {exc.reason}")
        return []
    made = ((grid, grid_to_table(grid, document="d", title=document.title)) for grid in document.grids)
    return [(grid, table) for grid, table in made if table is not None]


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


def line_of(count: Count) -> str:
    share = 100 * count.numbered_rows / max(count.rows, 1)
    return (
        f"{count.tables:4} tables  rows {count.numbered_rows:5} of {count.rows:6} ({share:4.1f} %)"
        f"  columns {count.numbered_columns:4} of {count.columns:5}  long labels {count.long_labels:3}"
    )


def print_table(table: Table) -> None:
    """Place, rows, and what was found of the header: nothing at all, or nothing above some columns."""
    numbered, place = numbered_columns(table), table.locator
    where = f"page {place.page}" if place.page else f"{place.sheet or ''}!{place.cells}" if place.cells else ""
    where = where or (f"lines {place.lines[0]}-{place.lines[1]}" if place.lines else "")
    found = "no header row" if len(numbered) == len(table.columns) else f"nothing above {[c + 1 for c in numbered]}"
    print(f"    {where}: {len(numbered_rows(table))} of {len(table.rows)} rows, {found}: {table.title[:90]!r}")
    print(f"      columns: {' | '.join(' > '.join(header.path)[:40] for header in table.columns)}")


def print_grid(grid: Grid, n_rows: int) -> None:
    for row in range(min(n_rows, grid.n_rows)):
        cells = [cell for cell in grid.cells if cell.row == row]
        print("      " + " | ".join(f"{cell.column + 1}:{' '.join(cell.text.split())[:40]}" for cell in cells))


if __name__ == "__main__":
    main()
