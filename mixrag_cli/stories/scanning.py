"""Reading an indexed csv, or a table saved as text, again, for questions that only all of its rows answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import BinaryIO, TypeVar

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.records.files import DocumentRow, SourceFile
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Table
from mixrag_cli.stories.collection import Collection
from mixrag_cli.stories.roots import folder_of
from mixrag_cli.tables.scan import Dialect, Filter, ScanOperation, ScanResult, scan_column
from mixrag_cli.walking import ensure_unchanged, open_source

SCANNED_SUFFIXES = ("csv", "tsv", "tab", "txt", "text", "dat", "data")
Found = TypeVar("Found")


class FileScanner:
    """Tallies over the files behind sampled tables (recap.evidence.RowScanner).

    Each file is opened beneath its indexed folder and must be what the index saw, before and after it is read; why one
    was not counted is kept in warnings.
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._warnings: dict[str, None] = {}

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each file that could not be counted."""
        return tuple(self._warnings)

    def scan(
        self, hit: Hit, table: Table, column: int, operation: ScanOperation, filters: Sequence[Filter]
    ) -> ScanResult | None:
        """One operation over one column of all rows; None where the file cannot be read as it was indexed."""
        return self._read(hit, table, lambda file, way: scan_column(file, column, operation, filters, dialect=way))

    def _read(self, hit: Hit, table: Table, tally: Callable[[BinaryIO, Dialect], Found]) -> Found | None:
        row = self._collection.reader.documents([hit.chunk.document]).get(hit.chunk.document)
        suffix = row.path.rpartition(".")[2].lower() if row else ""
        if row is None or suffix not in SCANNED_SUFFIXES or len(self._collection.reader.tables_of(row.id)) != 1:
            return None
        try:
            return _tally_file(self._source_of(row), suffix, table, tally)
        except (FileUnreadable, ValueError) as error:
            self._warnings[f"{row.path}: {_reason(error)}, so its rows could not be counted"] = None
            return None

    def _source_of(self, row: DocumentRow) -> SourceFile:
        root = os.fsencode(folder_of(row, self._collection.reader.store))
        return SourceFile(root, row.key, row.size, row.mtime_ns, row.device, row.inode, row.encoding)


def _reason(error: FileUnreadable | ValueError) -> str:
    if not isinstance(error, FileUnreadable):
        return str(error)
    return "has changed since it was indexed" if error.code in ("changed", "vanished") else error.reason


def _tally_file(source: SourceFile, suffix: str, table: Table, tally: Callable[[BinaryIO, Dialect], Found]) -> Found:
    """What the tally finds in the open file. Raises FileUnreadable, ValueError as the scan does."""
    from mixrag_cli.readers.sheets.delimited import find_dialect

    with os.fdopen(open_source(source), "rb") as file:
        encoding, delimiter, decimal_mark = find_dialect(file, suffix, source.encoding)
        file.seek(0)
        found = tally(file, Dialect(encoding, delimiter, decimal_mark, lines_above=_first_line(table) - 1))
        ensure_unchanged(file.fileno(), source)
    return found


def _first_line(table: Table) -> int:
    """The line, from 1, in which the first row of a file's one table begins."""
    return min((cell.line for cell in table.cells if cell.row == table.rows[0].index and cell.line), default=1)
