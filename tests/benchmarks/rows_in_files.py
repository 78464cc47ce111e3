"""Whether every row of sheets and delimited files stands in a passage: rows in the file beside rows that are indexed.

    python tests/benchmarks/rows_in_files.py FOLDER_OR_FILE… [--all]

The rows are counted apart from the product's readers: csv by the csv module, workbooks by calamine; blank ones do not
count. A row is indexed where a passage, cut as an index run does it, names its lines or its row of the sheet and says
the row's longest text; the texts of a sheet may stand in any of its passages, as captions and headings do, or in two.
Prints files with rows that are not, with the first of these, or --all; ends with 1 where there are some.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from corpora import files_below
from python_calamine import CalamineError, CalamineWorkbook

from mixrag_cli.chunking import chunk_document, chunk_row_lines
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers import ReadSource, reader_for
from mixrag_cli.readers.sheets.delimited import find_dialect
from mixrag_cli.records.documents import Document
from mixrag_cli.tables.grid import grid_to_table

DELIMITED = ("csv", "tsv", "tab")
WORKBOOKS = ("xlsx", "xlsm", "xls", "ods")
MARK = 1  # letters or digits of a footnote's mark
WINDOW = 256  # words a passage, about the embedder's window
WORD = re.compile(r"[^\W_⁰¹²³⁴-⁹ᵃ-ᶻ]+")  # without raised marks
ROWS = re.compile(r"[A-Z]+(\d+)(?::[A-Z]+(\d+))?")

Place = tuple[str, int]  # the sheet, "" for a delimited file; the row or the line, from 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--all", action="store_true", help="print every file")
    arguments = parser.parse_args()
    n_files = n_rows = n_left = 0
    for path in sorted(files_in(arguments.paths)):
        try:
            rows, passages = dict(rows_of(path)), passages_of(path)
        except (FileUnreadable, CalamineError, UnicodeDecodeError, csv.Error) as reason:
            print(f"{path.name[:48]:48} passed over: {reason}")
            continue
        left = [place for place, text in rows.items() if not is_said(text, place, passages)]
        n_files, n_rows, n_left = n_files + 1, n_rows + len(rows), n_left + len(left)
        if left or arguments.all:
            print(f"{path.name[:48]:48} {len(rows) - len(left):7} of {len(rows):7} rows", flush=True)
        for place in left[:3]:
            print(f"    {place[0]} {place[1]}: {rows[place][:90]!r}")
    print(f"{n_files} files: {n_rows - n_left:,} of {n_rows:,} rows indexed")
    return 1 if n_left else 0


def files_in(paths: list[Path]) -> Iterator[Path]:
    for file in files_below(paths):
        if file.suffix[1:].lower() in (*DELIMITED, *WORKBOOKS):
            yield file


def rows_of(path: Path) -> Iterator[tuple[Place, str]]:
    """Each row that is not blank, with its longest text."""
    if path.suffix[1:].lower() in DELIMITED:
        with path.open("rb") as file:
            encoding, delimiter, _ = find_dialect(file, path.suffix[1:].lower())
        with path.open(encoding=encoding, newline="", errors="replace") as lines:
            reader, last = csv.reader(lines, delimiter=delimiter), 0
            for fields in reader:
                if any(field.strip() for field in fields):
                    yield ("", last + 1), max(fields, key=len)
                last = reader.line_num
        return
    book = CalamineWorkbook.from_path(path)
    for name in book.sheet_names:
        sheet = book.get_sheet_by_name(name)
        top = (sheet.start or (0, 0))[0]
        for number, values in enumerate(sheet.to_python(skip_empty_area=True), top + 1):
            texts = [value for value in values if isinstance(value, str) and value.strip()]
            if any(value not in ("", None) for value in values):
                yield (name, number), max(texts, key=len, default="")


def passages_of(path: Path) -> dict[Place, list[set[str]]]:
    """The words of the passages that name each row or line, and of all of a sheet at its row 0."""
    with path.open("rb") as file:
        document = reader_for(path.name)(ReadSource(path.name, path.stat().st_size, file))
    found: dict[Place, list[set[str]]] = defaultdict(list)
    for chunk in chunks_of(document, path.name):
        words, place = set(WORD.findall(chunk.text.casefold())), chunk.locator
        sheet, (first, last) = place.sheet or "", place.lines or (0, 0)
        if place.cells and (match := ROWS.fullmatch(place.cells)):
            first, last = int(match[1]), int(match[2] or match[1])
        for number in {*range(first, last + 1), *([0] if place.sheet else [])}:
            found[sheet, number].append(words)
    return found


def chunks_of(document: Document, name: str):
    made = ((number, grid_to_table(grid, document="d", title=name)) for number, grid in enumerate(document.grids))
    tables = [(number, table) for number, table in made if table is not None]
    shared = {"document_id": "d", "path": name, "count_tokens": lambda text: len(WORD.findall(text)), "window": WINDOW}
    yield from chunk_document(document, tables, **shared)
    yield from chunk_row_lines(document, tables, first=0, **shared)


def is_said(text: str, place: Place, passages: dict[Place, list[set[str]]]) -> bool:
    """Whether a passage of the row says the text, of a very long one its beginning; or one of its sheet, a text.

    A note that fills a cell may be cut in two: a passage of the sheet and the next one say it together. calamine does
    not tell the raised mark of a footnote from the word before it ("Developmentf").
    """
    found = WORD.findall(text.casefold())[:20]
    wanted = {word for word in found if len(word) > MARK} or set(found)
    sheet = passages[place[0], 0] if wanted else []
    cut = (words | following for words, following in pairwise(sheet))
    return any(
        all(word in words or (len(word) > MARK and word[:-MARK] in words) for word in wanted)
        for words in (*passages[place], *sheet, *cut)
    )


if __name__ == "__main__":
    sys.exit(main())
