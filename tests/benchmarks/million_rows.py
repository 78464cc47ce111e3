"""A csv of a million rows: what indexing it costs, and questions over a whole column answered over all rows.

    python tests/benchmarks/million_rows.py [--rows N]

Prints seconds and peak memory of `mixrag index` (the program and its reader, whichever is larger), then for each
question whether the right answer, computed while the file is written, is stated or among the three that are shown as
likely. Ends with 1 where it is neither.
Below them the same through the column scan, with a filter and the greatest row. --weigh: what the store weighs, and no
questions.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from running import Run, run_mixrag
from store_weight import index_and_weigh

from mixrag_cli.tables.scan import Filter, scan_column

COLUMNS = ("order", "customer", "region", "product", "quantity", "unit price", "discount", "freight", "weight", "paid")
REGIONS = ("north", "south", "east", "west")
PRODUCTS = tuple(f"product {letter}" for letter in "abcdefghij")
TOLERANCE = Decimal("0.005")  # answers are shown to the cent at least
FREIGHT, REGION = COLUMNS.index("freight"), COLUMNS.index("region")


@dataclass(slots=True)
class Truth:
    """What is known of the file as it is written. highest: the greatest freight and its order."""

    quantity: int = 0
    price: Decimal = Decimal(0)
    highest: tuple[Decimal, str] = (Decimal(0), "")
    south: list[Decimal] = field(default_factory=list)
    large: int = 0
    freight_by_region: dict[str, Decimal] = field(default_factory=dict)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--weigh", action="store_true", help="print what the store weighs and ask nothing")
    arguments = parser.parse_args()
    n_rows = arguments.rows
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "data"
        folder.mkdir()
        path = folder / "orders.csv"
        truth = write_orders(path, n_rows)
        print(f"{n_rows:,} rows x {len(COLUMNS)} columns, {path.stat().st_size / 1e6:.0f} MB")
        if arguments.weigh:
            index_and_weigh(folder)
            return 0
        indexed = run_mixrag("index", str(folder), "--json")
        print(f"index: exit {indexed.exit_code}, {indexed.seconds:.1f} s, peak {indexed.peak_mb:.0f} MB", flush=True)
        wrong = ask_all(folder, truth, n_rows)
        wrong += scan_all(path, truth)
    return 1 if wrong or indexed.exit_code else 0


def write_orders(path: Path, n_rows: int) -> Truth:
    draw = random.Random(11)
    truth = Truth()
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(COLUMNS) + "\n")
        for number in range(n_rows):
            order, region = f"O{number:07d}", draw.choice(REGIONS)
            quantity, price, freight = draw.randint(1, 40), draw.randint(100, 99_999), draw.randint(100, 10**8)
            file.write(
                f"{order},customer {draw.randint(1, 50_000)},{region},{draw.choice(PRODUCTS)},{quantity},"
                f"{price / 100:.2f},{draw.randint(0, 30) / 100:.2f},{freight / 100:.2f},{draw.random() * 50:.3f},"
                f"{draw.choice(('yes', 'no'))}\n"
            )
            truth.quantity += quantity
            truth.price += Decimal(price) / 100
            truth.highest = max(truth.highest, (Decimal(freight) / 100, order))
            truth.large += quantity > 30
            by_region = truth.freight_by_region
            by_region[region] = by_region.get(region, Decimal(0)) + Decimal(freight) / 100
            if region == "south":
                truth.south.append(Decimal(freight) / 100)
    return truth


def ask_all(folder: Path, truth: Truth, n_rows: int) -> int:
    dearest = max(truth.freight_by_region.items(), key=lambda pair: pair[1])
    questions = (
        ("What is the average unit price?", truth.price / n_rows, ""),
        ("What is the highest freight, and which order has it?", *truth.highest),
        ("What is the sum of quantity?", Decimal(truth.quantity), ""),
        ("What is the total quantity?", Decimal(truth.quantity), ""),
        ("maximum freight", truth.highest[0], ""),
        ("How many orders from the south?", Decimal(len(truth.south)), ""),
        ("What is the average freight where region is south?", sum(truth.south, Decimal(0)) / len(truth.south), ""),
        ("How many orders have a quantity above 30?", Decimal(truth.large), ""),
        ("Which region has the highest total freight?", dearest[1], dearest[0]),
    )
    grades: Counter[str] = Counter()
    for question, value, label in questions:
        asked = run_mixrag("ask", question, "--json", "--store", str(folder / ".mixrag"))
        grade = grade_of(asked, value, label)
        grades[grade] += 1
        print(f"{grade:7} {asked.seconds:4.1f} s  {question}  gold {value:.4f} {label}")
        for said in [asked.payload, *asked.payload["candidates"]][:2]:
            print(f"        {said.get('probability') or said['confidence']}  {said['answer']}"[:200], flush=True)
    print(", ".join(f"{n} {grade}" for grade, n in grades.items()))
    return grades["WRONG"]


def grade_of(asked: Run, value: Decimal, label: str) -> str:
    """Whether the right answer is stated, or one of those shown as likely."""
    if is_right(asked.payload, asked.stdout, value, label):
        return "stated"
    shown = asked.payload["candidates"] if asked.payload["status"] == "likely" else ()
    return "likely" if any(is_right(one, asked.stdout, value, label) for one in shown) else "WRONG"


def is_right(said: dict[str, Any], stdout: str, value: Decimal, label: str) -> bool:
    """The value within half a cent and the name, where one is asked for; a name alone where only that is the answer."""
    if said["value"] is None:
        return bool(label) and said["answer"] == label
    return abs(Decimal(str(said["value"])) - value) <= TOLERANCE and label in stdout


def scan_all(path: Path, truth: Truth) -> int:
    pool = pa.default_memory_pool()
    before, started = pool.max_memory(), time.perf_counter()
    south = scan_column(path, FREIGHT, "average", [Filter(REGION, "=", "South")])
    best = scan_column(path, FREIGHT, "maximum")
    seconds = time.perf_counter() - started
    is_exact = (
        south.n_rows == len(truth.south)
        and abs((south.value or Decimal(0)) - sum(truth.south) / len(truth.south)) < TOLERANCE
        and (best.value, best.row and best.row.cells[0]) == truth.highest
    )
    print(f"scan: average of a quarter of the rows and the greatest: {'right' if is_exact else 'WRONG'}, ", end="")
    print(f"{seconds:.1f} s for both, peak of the engine {max(pool.max_memory() - before, 0) / 1e6:.0f} MB")
    return 0 if is_exact else 1


if __name__ == "__main__":
    sys.exit(main())
