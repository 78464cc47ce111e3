"""How many summaries that a 7B model really wrote say a number that their table does not hold. Run by hand:

    python tests/benchmarks/summary_numbers.py DATA/financerag_finqa

The study's model was not told that its numbers would be checked; what is rejected here would be asked once more. The
corner of a table, where these tables say "in millions", is given as its caption.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.tables.summaries import foreign_numbers, read_summary


def main(folder: Path) -> None:
    tables = {
        row["_id"]: read_table(row["_id"], row["value"][0]) for row in read_lines(folder / "extracted_tables.jsonl")
    }
    for name in ("short", "long"):
        verdicts: Counter[str] = Counter()
        examples = []
        for row in read_lines(folder / f"table_summaries_{name}.jsonl"):
            table = tables.get(row["_id"])
            summary = read_summary(row["value"], "long")
            if table is None or summary is None:
                verdicts["no table" if table is None else "unreadable"] += 1
                continue
            foreign = foreign_numbers(summary.text, table)
            verdicts["rejected" if foreign else "accepted"] += 1
            if foreign:
                examples.append(f"  {row['_id']}: {', '.join(foreign)}")
        print(name, dict(verdicts))
        print("\n".join(examples[:25]))


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def read_table(name: str, text: str) -> Table | None:
    lines = [line for line in text.splitlines() if line.strip() and not set(line) <= set("-| ") and line != "Rows:"]
    rows = [[cell.strip() for cell in line.removeprefix("Columns:").split("|")] for line in lines]
    cells = [GridCell(r, c, cell, is_header=r == 0) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell]
    grid = Grid(
        len(rows), max(map(len, rows), default=0), tuple(cells), Locator((0, len(text))), rows[0][0] if rows else ""
    )
    return grid_to_table(grid, document=name, title="") if cells else None


if __name__ == "__main__":
    main(Path(sys.argv[1]))
