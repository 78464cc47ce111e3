"""Table extraction on the 34 PDFs of the ICDAR 2013 competition: our reader beside plain pdfplumber.

    python tests/benchmarks/icdar2013.py ../shared/data/icdar2013 [--each] [--ours]

Measure: adjacency relations (Göbel et al., ICDAR 2013, "complete" task): each cell with its nearest non-empty
neighbour to the right and below; texts compared without white space, as multisets a document; sums over documents.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import pdfplumber

from mixrag_cli.readers.pdf.reader import read_pdf
from mixrag_cli.readers.source import ReadSource

Cell = tuple[int, int, int, int, str]  # first row, last row, first column, last column, text
Relation = tuple[str, str, str]


def squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text)


def cells_to_relations(cells: Iterable[Cell]) -> Counter[Relation]:
    """Each cell with its nearest non-empty right and lower neighbours, one relation a pair of cells."""
    places: dict[tuple[int, int], int] = {}
    filled = [cell for cell in cells if squeeze(cell[4])]
    for index, (r0, r1, c0, c1, _) in enumerate(filled):
        for r in range(r0, r1 + 1):
            for c in range(c0, c1 + 1):
                places.setdefault((r, c), index)
    n_rows = max((cell[1] for cell in filled), default=-1) + 1
    n_columns = max((cell[3] for cell in filled), default=-1) + 1
    pairs = set()
    for index, (r0, r1, c0, c1, _) in enumerate(filled):
        for r in range(r0, r1 + 1):
            right = next((places[r, c] for c in range(c1 + 1, n_columns) if (r, c) in places), None)
            pairs.add((index, right, "right"))
        for c in range(c0, c1 + 1):
            below = next((places[r, c] for r in range(r1 + 1, n_rows) if (r, c) in places), None)
            pairs.add((index, below, "below"))
    return Counter((squeeze(filled[a][4]), squeeze(filled[b][4]), way) for a, b, way in pairs if b is not None)


def gold_relations(folder: Path) -> dict[str, Counter[Relation]]:
    gold: dict[str, Counter[Relation]] = defaultdict(Counter)
    with gzip.open(folder / "tables.jsonl.gz", "rt") as lines:
        for line in lines:
            table = json.loads(line)
            cells: list[Cell] = []
            for region in table["regions"]:
                down, right = region["row_increment"], region["col_increment"]
                for r0, r1, c0, c1, text, _ in region["cells"]:
                    cells.append((r0 + down, r1 + down, c0 + right, c1 + right, text))
            gold[table["pdf"]] += cells_to_relations(cells)
    return gold


def our_relations(path: Path) -> Counter[Relation]:
    with path.open("rb") as file:
        document = read_pdf(ReadSource(path.name, path.stat().st_size, file))
    found: Counter[Relation] = Counter()
    for grid in document.grids:
        found += cells_to_relations(
            (cell.row, cell.row + cell.row_span - 1, cell.column, cell.column + cell.column_span - 1, cell.text)
            for cell in grid.cells
        )
    return found


def pdfplumber_relations(path: Path) -> Counter[Relation]:
    found: Counter[Relation] = Counter()
    with pdfplumber.open(path) as document:
        for page in document.pages:
            for table in page.extract_tables():
                found += cells_to_relations(
                    (r, r, c, c, text or "") for r, row in enumerate(table) for c, text in enumerate(row)
                )
    return found


def measure(name: str, read: Callable[[Path], Counter[Relation]], folder: Path, show_each: bool) -> None:
    gold = gold_relations(folder)
    n_right = n_found = n_gold = n_pages = 0
    shares = []
    start = time.perf_counter()
    for pdf, wanted in sorted(gold.items()):
        found = read(folder / "pdf" / pdf)
        right = (found & wanted).total()
        n_right, n_found, n_gold = n_right + right, n_found + found.total(), n_gold + wanted.total()
        shares.append((right / max(found.total(), 1), right / wanted.total()))
        if show_each:
            print(f"  {pdf:14} precision {shares[-1][0]:.3f}  recall {shares[-1][1]:.3f}  gold {wanted.total()}")
    seconds = time.perf_counter() - start
    for pdf in gold:
        with pdfplumber.open(folder / "pdf" / pdf) as document:
            n_pages += len(document.pages)
    precision, recall = n_right / max(n_found, 1), n_right / n_gold
    by_document = [sum(share[side] for share in shares) / len(shares) for side in (0, 1)]
    print(
        f"{name:11} precision {precision:.3f}  recall {recall:.3f}  F1 {f1(precision, recall):.3f}   "
        f"mean over documents: {by_document[0]:.3f} {by_document[1]:.3f} F1 {f1(*by_document):.3f}   "
        f"{n_pages / seconds:.1f} pages/s"
    )


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / max(precision + recall, 1e-9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", action="store_true", help="one line a document")
    parser.add_argument("--ours", action="store_true", help="leave pdfplumber out")
    arguments = parser.parse_args()
    measure("mixrag", our_relations, arguments.folder, arguments.each)
    if not arguments.ours:
        measure("pdfplumber", pdfplumber_relations, arguments.folder, arguments.each)


if __name__ == "__main__":
    main()
