"""The main job end to end: index a folder, ask every question, and print what came back.

    python tests/benchmarks/collection.py tests/samples/northmere tests/samples/questions.jsonl

Each line of QUESTIONS.jsonl: id, question, answer, value (or null), type, documents (right paths, empty when the
folder holds no answer), pages_with_the_figure, and optionally lines [first, last] or cells ["E12", …]. Every command
runs in a process of its own, as a person would run it.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from running import Run, run_mixrag

from mixrag_cli.evaluation.answers import is_same_value
from mixrag_cli.evaluation.measures import normalize_answer

ENOUGH_OF_THE_WORDS = 0.7  # of a gold text's words, to count a worded answer as right
REFUSED = 4


@dataclass(frozen=True, slots=True)
class Verdict:
    """None where the question does not ask for that thing."""

    question: dict[str, Any]
    run: Run
    got: str
    refused: bool
    document: bool | None
    place: bool | None
    value: bool | None
    words: bool | None


def same_number(question: dict[str, Any], answer: dict[str, Any]) -> bool:
    got = answer.get("value")
    gold_texts = [question["answer"] or ""]
    return got is not None and is_same_value(
        question["question"], question["value"], gold_texts, got, answer.get("unit") or ""
    )


def same_words(question: dict[str, Any], answer: dict[str, Any]) -> bool:
    """A dotted name counts by its last part; prose by the share of its words that are there."""
    got = answer.get("answer") or ""
    gold = question["answer"]
    if re.fullmatch(r"[\w.]+", gold):
        return re.search(rf"\b{re.escape(gold.rpartition('.')[2])}\b", got, re.IGNORECASE) is not None
    wanted, there = set(normalize_answer(gold).split()), set(normalize_answer(got).split())
    return len(wanted & there) >= ENOUGH_OF_THE_WORDS * len(wanted)


def names_document(source: dict[str, Any], documents: list[str]) -> bool:
    return any(f"/{source['path']}".endswith(f"/{document}") for document in documents)


def cell_position(address: str) -> tuple[int, int]:
    letters, digits = re.fullmatch(r"\$?([A-Z]+)\$?(\d+)", address.upper()).groups()  # type: ignore[union-attr]
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - 64
    return column, int(digits)


def covers_cell(cells: str, address: str) -> bool:
    first, _, last = cells.rpartition("!")[2].partition(":")
    (left, top), (right, bottom) = cell_position(first), cell_position(last or first)
    column, row = cell_position(address)
    return left <= column <= right and top <= row <= bottom


def shows_place(locator: dict[str, Any], question: dict[str, Any]) -> bool:
    if pages := question.get("pages_with_the_figure"):
        return locator.get("page") in pages
    if lines := question.get("lines"):
        known = locator.get("lines")
        return bool(known) and known[0] <= lines[1] and lines[0] <= known[1]
    return bool(locator.get("cells")) and any(covers_cell(locator["cells"], cell) for cell in question["cells"])


def place_right(sources: list[dict[str, Any]], question: dict[str, Any]) -> bool | None:
    if not (question.get("pages_with_the_figure") or question.get("lines") or question.get("cells")):
        return None
    right = [source for source in sources if names_document(source, question["documents"])]
    return any(shows_place(source["locator"], question) for source in right)


def judge(question: dict[str, Any], run: Run) -> Verdict:
    answer = run.payload
    sources = answer.get("sources", [])
    answerable = bool(question["documents"])
    number = answer.get("value")
    shown = f"{number:.10g} {answer.get('unit') or ''}" if number is not None else answer.get("answer") or ""
    return Verdict(
        question=question,
        run=run,
        got=shown.strip() or answer.get("message", ""),
        refused=answer.get("status") == "abstained" and run.exit_code == REFUSED,
        document=any(names_document(source, question["documents"]) for source in sources) if answerable else None,
        place=place_right(sources, question) if answerable else None,
        value=same_number(question, answer) if answerable and question["value"] is not None else None,
        words=same_words(question, answer) if answerable and question["value"] is None else None,
    )


def mark(verdict: bool | None) -> str:
    return {True: "yes", False: "NO", None: "·"}[verdict]


def share(verdicts: list[bool | None]) -> str:
    asked = [verdict for verdict in verdicts if verdict is not None]
    return f"{sum(asked)} of {len(asked)}"


def print_table(verdicts: list[Verdict]) -> None:
    row = "{:4} {:12} {:9} {:>4} {:>5} {:>5} {:>5} {:>5} {:>6}  {:28.28}  {:40.40}"
    print(row.format("id", "type", "status", "exit", "right", "file", "place", "refus", "s", "expected", "got"))
    for one in verdicts:
        right = one.value if one.value is not None else one.words
        print(
            row.format(
                one.question["id"],
                one.question["type"],
                one.run.payload.get("status", "failed"),
                one.run.exit_code,
                mark(right),
                mark(one.document),
                mark(one.place),
                mark(one.refused) if not one.question["documents"] else ("NO" if one.refused else "·"),
                f"{one.run.seconds:.2f}",
                one.question["answer"] or "(no answer)",
                " ".join(one.got.split()),
            )
        )


def print_totals(verdicts: list[Verdict]) -> None:
    seconds = [one.run.seconds for one in verdicts]
    print(f"\nright document    {share([one.document for one in verdicts])} answerable")
    print(f"right place       {share([one.place for one in verdicts])} with a named page, line or cell")
    print(f"right value       {share([one.value for one in verdicts])} numeric")
    print(f"right words       {share([one.words for one in verdicts])} worded")
    print(f"refused           {share([one.refused for one in verdicts if not one.question['documents']])} unanswerable")
    print(f"seconds per ask   median {statistics.median(seconds):.2f}, max {max(seconds):.2f}")
    print(f"peak memory, ask  {max(one.run.peak_mb for one in verdicts):.0f} MB")


def print_index(name: str, run: Run) -> None:
    told = run.payload
    told_seconds = told.get("seconds") or run.seconds
    print(
        f"{name:14} exit {run.exit_code}, {run.seconds:.2f} s, added {told.get('added')}, "
        f"unchanged {told.get('unchanged')}, skipped {len(told.get('skipped', []))}, chunks {told.get('chunks')}, "
        f"tokens {told.get('tokens')} ({(told.get('tokens') or 0) / told_seconds:,.0f}/s), peak {run.peak_mb:.0f} MB"
    )
    if "message" in told:
        print(f"  {told['message']}")
    for skipped in told.get("skipped", []):
        print(f"  skipped {skipped['path']}: {skipped['reason']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--store", type=Path, help="keep the store here (default: a temporary folder)")
    parser.add_argument("--accept", default="answered", help="likely: take the guess of a likely answer, too")
    parser.add_argument("--only", help="ask only the questions whose id starts so")
    options = parser.parse_args()
    questions = [json.loads(line) for line in options.questions.read_text("utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as temporary:
        store = str(options.store or Path(temporary) / "store")
        print_index("first index", run_mixrag("index", str(options.folder), "--store", store, "--json"))
        print_index("second index", run_mixrag("index", str(options.folder), "--store", store, "--json"))
        print()
        verdicts = [
            judge(
                question,
                run_mixrag("ask", question["question"], "--store", store, "--accept", options.accept, "--json"),
            )
            for question in questions
            if question["id"].startswith(options.only or "")
        ]
    print_table(verdicts)
    print_totals(verdicts)


if __name__ == "__main__":
    main()
