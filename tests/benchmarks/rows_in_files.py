"""Whether every row of sheets and delimited files can be found: rows in the file beside rows that passages say.

    python tests/benchmarks/rows_in_files.py FOLDER_OR_FILE… [--all] [--list]

The rows are counted apart from the product's readers: csv by the csv module, workbooks by calamine; blank ones do not
count. Passages are cut as an index run does it. A row is indexed where a passage that names its line or its row of the
sheet says every word of its texts, or where the passages of this row alone say them together, as a wide row is cut.
Numbers of workbooks are shown in ways that calamine does not tell, so of a row of numbers alone a passage must name it.

What is left over has to be no row of data, for a reason that is counted by its name:

rule line   no letter and no digit stands in it
heading     it stands above the first row of data of its table, and passages of its sheet or their search words say it,
            units aside that the table knows
text        no row of data begins in it, and one passage of its sheet or two in a row say it: title, section, note
unit line   a text such as "$ million" above a table that has that unit or scale

Prints each sheet in which rows are left without a reason, with the first of these, or --all; --list prints the rows
with a reason, too. Ends with 1 where rows are left.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from corpora import files_below
from python_calamine import CalamineError, CalamineWorkbook

from mixrag_cli.chunking import chunk_document, chunk_row_lines
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers import ReadSource, reader_for
from mixrag_cli.readers.sheets.delimited import find_dialect
from mixrag_cli.records.documents import Document, GridCell
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.tables import Cell, Table
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.tables.units import is_unit_text

DELIMITED = ("csv", "tsv", "tab")
WORKBOOKS = ("xlsx", "xlsm", "xls", "ods")
WINDOW = 256  # words a passage, about the embedder's window
CELL_CHARS = 1_000  # of a cell that are searched where a table is too long to be kept whole
SHOWN = 3  # rows of a sheet that are printed
INDEXED, LEFT = "indexed", "left"
REASONS = ("rule line", "heading", "text", "unit line")
WORD = re.compile(r"[^\W_⁰¹²³⁴-⁹ᵃ-ᶻ]+")  # without raised marks
PLAIN_WORD = re.compile(r"[^\W_]+")
ROWS = re.compile(r"[A-Z]+(\d+)(?::[A-Z]+(\d+))?")

Place = tuple[str, int]  # the sheet, "" for a delimited file; the row or the line, from 1
Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class Said:
    """What the passages of a file say.

    at: the words of each passage that names the place. own: those of the passages that name no other place, together.
    of_sheet: the words of each passage of a sheet, in order. terms: of all of them, their search words with them.
    data: where the tables' rows begin. heads: places above the first of them. units: where a table knows a unit.
    """

    at: dict[Place, list[Words]] = field(default_factory=lambda: defaultdict(list))
    own: dict[Place, set[str]] = field(default_factory=lambda: defaultdict(set))
    of_sheet: dict[str, list[Words]] = field(default_factory=lambda: defaultdict(list))
    terms: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    data: set[Place] = field(default_factory=set)
    heads: set[Place] = field(default_factory=set)
    units: set[Place] = field(default_factory=set)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--all", action="store_true", help="print every sheet")
    parser.add_argument("--list", action="store_true", help="print the rows that are no rows of data, too")
    arguments = parser.parse_args()
    total: Counter[str] = Counter()
    n_files = n_sheets = 0
    for path in sorted(files_in(arguments.paths)):
        try:
            rows, said = dict(rows_of(path)), passages_of(path)
        except (FileUnreadable, CalamineError, UnicodeDecodeError, csv.Error) as reason:
            print(f"{path.name[:48]:48} passed over: {reason}")
            continue
        told = {place: account_for(place, texts, said) for place, texts in rows.items()}
        n_files += 1
        for sheet in dict.fromkeys(sheet for sheet, _ in told):
            counts = Counter(reason for (name, _), reason in told.items() if name == sheet)
            total, n_sheets = total + counts, n_sheets + 1
            if counts[LEFT] or arguments.all or arguments.list:
                print(f"{path.name[:40]:40} {sheet[:20]:20} {line_of(counts)}", flush=True)
            print_rows(sheet, told, rows, REASONS if arguments.list else (), SHOWN if not arguments.list else None)
    print(f"{n_files} files, {n_sheets} sheets: {line_of(total)}")
    return 1 if total[LEFT] else 0


def line_of(counts: Counter[str]) -> str:
    """The sum: rows in the file = rows indexed + rows of each reason + rows left."""
    named = "".join(f" + {counts[reason]:,} {reason}" for reason in REASONS if counts[reason])
    left = f" + {counts[LEFT]:,} LEFT" if counts[LEFT] else ""
    return f"{sum(counts.values()):,} rows = {counts[INDEXED]:,} indexed{named}{left}"


def print_rows(
    sheet: str, told: dict[Place, str], rows: dict[Place, list[str]], reasons: Iterable[str], limit: int | None
) -> None:
    chosen = [place for place, reason in told.items() if place[0] == sheet and reason in (LEFT, *reasons)]
    for place in chosen[:limit]:
        print(f"    {told[place]:9} {place[1]:6}: {' | '.join(rows[place])[:110]!r}")


def files_in(paths: list[Path]) -> Iterator[Path]:
    for file in files_below(paths):
        if file.suffix[1:].lower() in (*DELIMITED, *WORKBOOKS):
            yield file


def rows_of(path: Path) -> Iterator[tuple[Place, list[str]]]:
    """Each row that is not blank, with its texts; of a workbook those that calamine does not read as numbers."""
    if path.suffix[1:].lower() in DELIMITED:
        with path.open("rb") as file:
            encoding, delimiter, _ = find_dialect(file, path.suffix[1:].lower())
        with path.open(encoding=encoding, newline="", errors="replace") as lines:
            reader, last = csv.reader(lines, delimiter=delimiter), 0
            for fields in reader:
                if any(field.strip() for field in fields):
                    yield ("", last + 1), [text for text in fields if text.strip()]
                last = reader.line_num
        return
    book = CalamineWorkbook.from_path(path)
    for name in book.sheet_names:
        sheet = book.get_sheet_by_name(name)
        top = (sheet.start or (0, 0))[0]
        for number, values in enumerate(sheet.to_python(skip_empty_area=True), top + 1):
            if any(value.strip() if isinstance(value, str) else value is not None for value in values):
                yield (name, number), [value for value in values if isinstance(value, str) and value.strip()]


def passages_of(path: Path) -> Said:
    """What the passages of a file say, by place."""
    with path.open("rb") as file:
        document = reader_for(path.name)(ReadSource(path.name, path.stat().st_size, file))
    tables = [
        (number, table)
        for number, grid in enumerate(document.grids)
        if (table := grid_to_table(grid, document="d", title=path.name)) is not None
    ]
    said = Said()
    for number, table in tables:
        add_roles(said, table, document.grids[number].cells)
    for chunk in chunks_of(document, path.name, tables):
        words, sheet = words_said(chunk.text), chunk.locator.sheet or ""
        said.of_sheet[sheet].append(words)
        said.terms[sheet] |= words | words_said(f"{chunk.words} {chunk.context}")
        places = places_of(chunk)
        for number in places:
            said.at[sheet, number].append(words)
        if len(places) == 1:
            said.own[sheet, places[0]] |= words
    return said


def add_roles(said: Said, table: Table, cells: Sequence[GridCell]) -> None:
    """What part each place of a table plays."""
    sheet = table.locator.sheet or ""
    rows = {header.index for header in table.rows}
    begun = (*table.cells, *(cell for cell in cells if cell.row in rows))
    data = {number for cell in begun for number in numbers_of(cell)}
    if not data:
        return
    above = {number for cell in cells for number in numbers_of(cell) if number < min(data)}
    said.data.update((sheet, number) for number in data)
    said.heads.update((sheet, number) for number in above)
    if table.unit or table.scale != 1:
        said.units.update((sheet, number) for number in above)


def numbers_of(cell: Cell | GridCell) -> range:
    """The rows or lines that a cell stands in."""
    if cell.address and (match := ROWS.fullmatch(cell.address)):
        return range(int(match[1]), int(match[1]) + 1)
    return range(cell.line, cell.line + 1) if cell.line else range(0)


def places_of(chunk: Chunk) -> range:
    """The rows or lines that a passage names."""
    if chunk.locator.cells and (match := ROWS.fullmatch(chunk.locator.cells)):
        return range(int(match[1]), int(match[2] or match[1]) + 1)
    first, last = chunk.locator.lines or (0, -1)
    return range(first, last + 1)


def chunks_of(document: Document, name: str, tables: list[tuple[int, Table]]) -> Iterator[Chunk]:
    shared = {"document_id": "d", "path": name, "count_tokens": lambda text: len(WORD.findall(text)), "window": WINDOW}
    yield from chunk_document(document, tables, **shared)
    yield from chunk_row_lines(document, tables, first=0, **shared)


def words_said(text: str) -> Words:
    """The words of a text, without the raised marks of footnotes, and as calamine has them: "Developmentf"."""
    folded = text.casefold()
    return frozenset(WORD.findall(folded)) | frozenset(PLAIN_WORD.findall(unicodedata.normalize("NFKC", folded)))


def words_wanted(texts: Iterable[str]) -> set[str]:
    """All words of a row; of a cell that is too long to be kept whole those of its beginning, but the last."""
    wanted: set[str] = set()
    for text in texts:
        found = PLAIN_WORD.findall(unicodedata.normalize("NFKC", text[:CELL_CHARS].casefold()))
        wanted.update(found[:-1] if len(text) > CELL_CHARS else found)
    return wanted


def account_for(place: Place, texts: list[str], said: Said) -> str:
    """INDEXED, the name of the reason for which the row is no row of data, or LEFT."""
    wanted = words_wanted(texts)
    if texts and not wanted:
        return "rule line"
    if wanted <= said.own[place] or any(wanted <= words for words in said.at[place]):
        return INDEXED if said.at[place] else LEFT
    sheet = said.of_sheet[place[0]]
    if place in said.units and all(map(is_unit_text, texts)):
        return "unit line"
    named = texts if place not in said.units else [text for text in texts if not is_unit_text(text)]
    if place in said.heads and words_wanted(named) <= said.terms[place[0]]:
        return "heading"
    is_data = place in said.data
    if not is_data and any(wanted <= words | following for words, following in pairwise([*sheet, frozenset()])):
        return "text"
    return LEFT


if __name__ == "__main__":
    sys.exit(main())
