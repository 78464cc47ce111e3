"""HiTab's training questions that look one cell up, the gold table given: does the reader pick the linked cell?

    python tests/benchmarks/hitab_lookups.py DATA_FOLDER [--unseen FOLDS_FOLDER] [--show N] [--limit N] [--beside N]

DATA_FOLDER holds headers/hitab_train.jsonl.gz and headers/hitab_train_questions.jsonl.gz. A question counts where its
aggregation is "none" and one data cell is linked as its answer; its table comes from texts and merged regions alone.
--unseen reads each question by what hitab_pairs.py fitted without its table; the product's own was fitted with it.
--beside N: the N tables nearest
to the question in meaning are given with the gold one, in their order.
"""

from __future__ import annotations

import argparse
import ast
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpora import read_jsonl
from reading import Context, Contexts, Neighbours, make_context, texts_to_grid

from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.in_tables.cells import form_of, match_cells
from mixrag_cli.recap.reader import read_answer
from mixrag_cli.recap.restate import Restated
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.tables.text import cell_label
from training.grading.signs import fitted_without
from training.grading.signs import network_file as network_file  # for hitab_pairs.py, which writes it
from training.reader.tables import HITAB_FOLDS as N_FOLDS
from training.reader.tables import fold_of

COUNTED = ("picked", "wrong", "refused", "best cell, were it told to look up", "of")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--show", type=int, default=0, help="print this many wrong answers")
    parser.add_argument("--limit", type=int, default=0, help="take this many questions, drawn by chance")
    parser.add_argument("--unseen", type=Path, help="the folds that hitab_pairs.py kept")
    parser.add_argument("--beside", type=int, default=0, help="give this many other tables, too")
    arguments = parser.parse_args()
    headers = arguments.data / "headers"
    contexts = {gold["id"]: to_context(gold) for gold in read_jsonl(headers / "hitab_train.jsonl.gz")}
    asked_all = lookups(headers / "hitab_train_questions.jsonl.gz")
    questions = [(asked, linked) for asked, linked in asked_all if asked["table_id"] in contexts]
    random.seed(0)
    if arguments.limit:
        questions = random.sample(questions, arguments.limit)
    reading = Contexts(list(contexts.values()))
    neighbours = Neighbours(list(contexts.values()), reading.similarity.embedder)
    counts = dict.fromkeys(COUNTED, 0)
    wrong = []
    for fold in range(N_FOLDS):
        with fitted_without(fold, arguments.unseen):
            for asked, linked in questions:
                if fold_of(asked["table_id"]) != fold:
                    continue
                context = contexts[asked["table_id"]]
                others = neighbours.nearest(asked["question"], arguments.beside, context) if arguments.beside else []
                found, told = count(asked, linked, context, *reading.restate_in(context, asked["question"], others))
                counts.update({name: counts[name] + 1 for name in found})
                if told:
                    wrong.append(told)
    for name in COUNTED:
        print(f"{name:34} {counts[name]:6} = {100 * counts[name] / max(counts['of'], 1):5.1f} %")
    for line in random.sample(wrong, min(arguments.show, len(wrong))):
        print(line)


def count(
    asked: dict[str, Any], linked: tuple[int, int], context: Context, restated: Restated, base: EvidenceBase
) -> tuple[list[str], str]:
    """Which of COUNTED a question belongs to, and a line that tells it where it was not answered right."""
    answer = read_answer(restated, base)
    is_answered = answer.status == "answered"
    is_of_table = is_answered and answer.sources[0].hit.chunk.document == context.id
    is_right = is_of_table and linked in picked_cell(answer.evidence[0].label, context)
    best = match_cells(restated.whole, base, restated.names, form_of(restated), 1)
    is_best = bool(best) and best[0].hit.chunk.document == context.id
    found = ["of", "picked" if is_right else "wrong" if is_answered else "refused"]
    if is_best and (best[0].cell.row, best[0].cell.column) == linked:
        found.append("best cell, were it told to look up")
    if is_right:
        return found, ""
    top = f"{best[0].label!r} {best[0].probability:.2f}" if best else ""
    return found, (
        f"{asked['table_id']} {asked['question']} | gold {linked} {asked['answer']} "
        f"| {restated.operation}/{restated.expects} {answer.status} {answer.text[:80]!r} | best {top}"
    )


def to_context(gold: dict[str, Any]) -> Context:
    grid = texts_to_grid(gold["texts"], gold["title"], gold["merged_regions"])
    table = grid_to_table(grid, document=gold["id"], title=gold["title"])
    words = " ".join(text for row in gold["texts"] for text in row)
    return make_context(gold["id"], table, (), f"{gold['title']} {words}")


def lookups(path: Path) -> Iterator[tuple[dict[str, Any], tuple[int, int]]]:
    for asked in read_jsonl(path):
        linked = asked["linked_cells"]["quantity_link"].get("[ANSWER]", {})
        if asked["aggregation"] == ["none"] and len(linked) == 1:
            row, column = ast.literal_eval(next(iter(linked)))
            yield asked, (row, column)


def picked_cell(label: str, context: Context) -> set[tuple[int, int]]:
    """The places of the cells with the label that the answer's evidence names; more than one where paths repeat."""
    if context.table is None or not label:
        return set()
    rows = {header.index: header for header in context.table.rows}
    columns = {header.index: header for header in context.table.columns}
    return {
        (cell.row, cell.column)
        for cell in context.table.cells
        if cell_label(rows[cell.row], columns[cell.column]) == label
    }


if __name__ == "__main__":
    main()
