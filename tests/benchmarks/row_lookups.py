"""Lookups of single rows in a csv that is embedded in part only: 6,648 generated records, questions that name one.

    python tests/benchmarks/row_lookups.py [--rows 6648] [--questions 24] [--show]

Printed are answers stated right and wrong, likely ones that hold the value, and the rest. Names come again
with a number behind them, so that a question's words fit two rows.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from mixrag_cli.settings import Settings
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import open_session

HEADS = ("school", "town", "phase", "opened", "pupils", "staff", "budget")
PHASES = ("Primary", "Secondary", "Special")
WHERE = ("North", "South", "East", "West", "Upper", "Lower", "Great", "Little", "Old", "New", "Saint", "Kings")
TREES = ("Ash", "Birch", "Cedar", "Dove", "Elm", "Fern", "Gorse", "Hazel", "Iris", "Juniper", "Kelp", "Larch", "Maple")
ENDS = ("bridge", "ford", "ham", "ton", "wick", "dale", "mouth", "field", "stead", "combe", "leigh", "port", "den")
QUESTIONS = {
    "pupils": "How many pupils does {} have?",
    "budget": "What is the budget of {}?",
    "town": "Which town is {} in?",
    "opened": "When was {} opened?",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=6_648)
    parser.add_argument("--questions", type=int, default=24)
    parser.add_argument("--show", action="store_true", help="print what was not stated right")
    arguments = parser.parse_args()
    rows = draw_records(arguments.rows)
    with tempfile.TemporaryDirectory() as folder:
        text = "\n".join(",".join(row) for row in (HEADS, *rows))
        Path(folder, "schools.csv").write_text(f"{text}\n", "utf-8")
        build_index([Path(folder)], Settings(), events=Silent())
        session = open_session(Path(folder), Settings())
        found: Counter[str] = Counter()
        start = time.perf_counter()
        for number, row in enumerate(random.Random(9).sample(rows, arguments.questions)):
            column, wording = list(QUESTIONS.items())[number % len(QUESTIONS)]
            question, value = wording.format(row[0]), row[HEADS.index(column)]
            answer = session.ask(question, Scope())
            is_there = any(value in one.text.replace(",", "") for one in answer.candidates)
            if answer.status == "answered":
                is_there = value in answer.text.replace(",", "")
            outcome = f"{answer.status} {'right' if is_there else 'wrong'}"
            found[outcome] += 1
            if arguments.show and outcome != "answered right":
                print(f"  {outcome}: {question} {value}")
    seconds = (time.perf_counter() - start) / arguments.questions
    print(", ".join(f"{outcome} {n}" for outcome, n in sorted(found.items())), f"; {seconds:.1f} s an answer")


def draw_records(n: int) -> list[tuple[str, ...]]:
    draw = random.Random(5)
    names = [f"{where} {tree}{end}" for where in WHERE for tree in TREES for end in ENDS]
    draw.shuffle(names)
    return [
        (
            f"{names[number % len(names)]}{f' {number // len(names) + 1}' if number >= len(names) else ''} School",
            f"{draw.choice(TREES)}ville",
            draw.choice(PHASES),
            str(draw.randint(1850, 2015)),
            str(draw.randint(40, 1900)),
            str(draw.randint(5, 160)),
            str(draw.randint(200_000, 9_000_000)),
        )
        for number in range(n)
    ]


if __name__ == "__main__":
    main()
