"""Header paths against gold: real workbooks end to end, and HiTab's statistical tables.

    python tests/benchmarks/headers.py DATA_FOLDER [--show N]

DATA_FOLDER holds headers/xlsx, headers/xlsx_gold.jsonl.gz and headers/hitab_train.jsonl.gz. Printed: the share of
data columns (top) and data rows (left) whose whole path is right, and the share of tables with every top path right;
for HiTab also how many of its section rows are found.

How paths are compared: lower case, trailing "(unit)" and ":" dropped, units that the gold keeps as a parent or
a child ("percent" above all rows, "number" below a column) taken off both sides, because units are set apart here; of
a path that says units only ("percentage change", "percent"), the first part is kept.
"strict" compares without taking units off. Section rows are no data rows and are not counted among them.

A section row is a row with a label and no figures that is the parent of later rows in the gold tree. Ours is a row
with a label and no figures whose text is in the path of the next data row, above the leaf. "same rows" asks besides
that the rows below it are the gold's.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mixrag_cli.readers.sheets.reader import read_sheet
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.tables.units import is_wide_unit_text

Paths = Mapping[int, tuple[str, ...]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--show", type=int, default=0, help="print this many wrong paths of each kind")
    arguments = parser.parse_args()
    headers = arguments.data / "headers"
    print_scores("xlsx", score(xlsx_pairs(headers), arguments.show))
    hitab = list(hitab_pairs(headers))
    print_scores("hitab", score(iter(hitab), arguments.show))
    print_scores("hitab", score_sections(hitab, arguments.show))


def xlsx_pairs(headers: Path) -> Iterator[tuple[dict[str, Any], Table | None]]:
    for gold in read_lines(headers / "xlsx_gold.jsonl.gz"):
        path = headers / "xlsx" / gold["file"]
        with path.open("rb") as file:
            document = read_sheet(ReadSource(path.name, path.stat().st_size, file))
        tables = [grid_to_table(grid, document="d", title=document.title) for grid in document.grids]
        found = [table for table in tables if table is not None]
        yield gold, max(found, key=lambda table: len(table.cells), default=None)


def hitab_pairs(headers: Path) -> Iterator[tuple[dict[str, Any], Table | None]]:
    for gold in read_lines(headers / "hitab_train.jsonl.gz"):
        yield (
            gold,
            grid_to_table(texts_to_grid(gold["texts"], gold["merged_regions"]), document="d", title=gold["title"]),
        )


def texts_to_grid(texts: list[list[str]], regions: list[list[int]] | None = None) -> Grid:
    spans = {(r0, c0): (r1 - r0 + 1, c1 - c0 + 1) for r0, r1, c0, c1 in regions or []}
    cells = tuple(
        GridCell(r, c, text, *spans.get((r, c), (1, 1)))
        for r, row in enumerate(texts)
        for c, text in enumerate(row)
        if text or (r, c) in spans
    )
    return Grid(len(texts), max(map(len, texts)), cells, Locator((0, 0)))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def score(pairs: Iterator[tuple[dict[str, Any], Table | None]], show: int) -> dict[str, tuple[int, int]]:
    counts = {name: [0, 0] for name in ("top", "top strict", "left", "left strict", "tables, top all right", "found")}
    for gold, table in pairs:
        shift = row_shift(gold, table) if table else 0
        ours_top = {column.index: column.path for column in table.columns} if table else {}
        ours_left = {row.index - shift: row.path for row in table.rows} if table else {}
        gold_top = {int(c): tuple(path) for c, path in gold["col_paths"].items()}
        n_label = min(gold_top, default=1)
        gold_left = {
            int(r): tuple(path) for r, path in gold["row_paths"].items() if any(gold["texts"][int(r)][n_label:])
        }
        gold_left = {r: path for r, path in gold_left.items() if not is_wide_unit_text(gold["texts"][r][n_label])}
        count(counts["found"], table is not None)
        count(counts["tables, top all right"], all(same(ours_top.get(c, ()), path) for c, path in gold_top.items()))
        for name, ours, golds in (("top", ours_top, gold_top), ("left", ours_left, gold_left)):
            for index, path in golds.items():
                is_right = same(ours.get(index, ()), path)
                count(counts[name], is_right)
                count(counts[f"{name} strict"], plain(ours.get(index, ())) == plain(path))
                if not is_right and counts[name][1] - counts[name][0] <= show:
                    print(f"  {gold['id']} {name} {index}: gold {path} ours {ours.get(index)}")
    return {name: (right, total) for name, (right, total) in counts.items()}


def score_sections(pairs: Sequence[tuple[dict[str, Any], Table | None]], show: int) -> dict[str, tuple[int, int]]:
    """Section rows found (recall), right among those found (precision), and found with the gold's rows below them."""
    n_gold = n_found = n_right = n_same = 0
    misses: Counter[str] = Counter()
    for gold, table in pairs:
        golds = gold_sections(gold)
        ours = our_sections(gold, table) if table else {}
        for row in sorted({*golds, *ours}):
            kind = "right" if row in golds and row in ours else "missed" if row in golds else "wrong"
            misses[kind] += 1
            is_same = kind == "right" and golds[row] == ours[row]
            n_same += is_same
            if not is_same and misses[kind] <= show:
                print(
                    f"  {gold['id']} section {row} {gold['texts'][row][0]!r} {kind}: {golds.get(row)} {ours.get(row)}"
                )
        n_gold, n_found, n_right = n_gold + len(golds), n_found + len(ours), n_right + len({*golds} & {*ours})
    return {
        "section rows, recall": (n_right, n_gold),
        "section rows, precision": (n_right, n_found),
        "section rows, same rows": (n_same, n_gold),
    }


def gold_sections(gold: dict[str, Any]) -> dict[int, list[int]]:
    """For each section row the data rows below it in the gold's left tree."""
    found: dict[int, list[int]] = {}

    def walk(nodes: list[Any]) -> list[int]:
        rows = []
        for row, column, *rest in nodes:
            below = walk(rest[0]) if rest else []
            if is_label_row(gold, row) and gold["texts"][row][column] and any(other > row for other in below):
                found[row] = sorted({other for other in below if other > row and has_data(gold, other)})
            rows += [row, *below]
        return rows

    walk(gold["left_tree"])
    return found


def our_sections(gold: dict[str, Any], table: Table) -> dict[int, list[int]]:
    """For each row with a label alone that our paths have as a parent, the data rows below it."""
    found: dict[int, list[int]] = {}
    rows = {header.index: header.path for header in table.rows}
    for row in range(max(rows, default=0)):
        if row in rows or not is_label_row(gold, row):
            continue
        label = next(text for text in gold["texts"][row] if text).rstrip(":").strip()
        below = [other for other in sorted(rows) if other > row]
        places = [depth_of(label, rows[other]) for other in below]
        if places[0] is not None:
            n_inside = next((n for n, place in enumerate(places) if place != places[0]), len(places))
            found[row] = [other for other in below[:n_inside] if has_data(gold, other)]
    return found


def depth_of(label: str, path: tuple[str, ...]) -> int | None:
    """Where the label stands in the path, above its leaf."""
    above = [" ".join(part.split()) for part in path[:-1]]
    return above.index(" ".join(label.split())) if " ".join(label.split()) in above else None


def is_label_row(gold: dict[str, Any], row: int) -> bool:
    return 0 <= row < len(gold["texts"]) and any(gold["texts"][row]) and not has_data(gold, row)


def has_data(gold: dict[str, Any], row: int) -> bool:
    return any(gold["texts"][row][min(map(int, gold["col_paths"]), default=1) :])


def row_shift(gold: dict[str, Any], table: Table) -> int:
    """By how many rows the workbook's table stands below the gold's first row: where the figures agree best."""
    ours = {}
    for cell in table.cells:
        ours.setdefault(cell.row, {})[cell.column] = cell.text.lower()
    last = {c: text for c, text in enumerate(gold["texts"][-1]) if text and c > 0}
    rows = [row for row, cells in ours.items() if all(cells.get(c) == text for c, text in last.items())]
    return max(rows, default=len(gold["texts"]) - 1) - (len(gold["texts"]) - 1)


def count(pair: list[int], is_right: bool) -> None:
    pair[0] += is_right
    pair[1] += 1


def plain(path: tuple[str, ...]) -> tuple[str, ...]:
    texts = (" ".join(re.sub(r"\s*\([^()]*\)\s*$", "", part).split()).rstrip(":").lower() for part in path)
    return tuple(text for text in texts if text)


def same(ours: tuple[str, ...], gold: tuple[str, ...]) -> bool:
    return without_units(plain(ours)) == without_units(plain(gold))


def without_units(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for part in path if not is_wide_unit_text(part)) or path[:1]


def print_scores(name: str, scores: dict[str, tuple[int, int]]) -> None:
    for measure, (right, total) in scores.items():
        print(f"{name:6} {measure:24} {right:6} of {total:6} = {100 * right / max(total, 1):5.1f} %")


if __name__ == "__main__":
    main()
