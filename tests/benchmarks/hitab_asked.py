"""HiTab's lookups asked of an index of their tables, each as a workbook: is what is stated the linked cell?

    python tests/benchmarks/hitab_asked.py DATA CACHE [--unseen FOLDS] [--judged N] [--limit N] [--anywhere]

DATA as for hitab_lookups.py. Of the one fold of tables that the reader's training leaves out, those that the
grading is not fitted on are written, one a workbook, and indexed together in CACHE; each question is asked with
its own workbook as the scope, or of all workbooks with --anywhere. --unseen reads by the network that hitab_pairs.py
fitted without that fold. --judged calibrates the index to the right answers of so many questions of other workbooks
among them first, as `mixrag calibrate` does, and leaves those workbooks' questions out. Printed: what the grades hold,
and for each probability how many best answers are right and wrong that would be stated from it on.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corpora import read_jsonl
from hitab_lookups import fitted_without, fold_of, lookups
from openpyxl.utils import get_column_letter
from running import run_mixrag

from mixrag_cli.recap.reader import read_answer
from mixrag_cli.records.answers import Answer
from mixrag_cli.settings import Settings, load_settings
from mixrag_cli.store import reopen_writer
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.calibrating_by_wish import reset_calibration
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.judged_answers import judge_answer
from mixrag_cli.stories.labels import RightAnswer
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session, open_session
from mixrag_cli.stories.surety import fit_surety, grading_of, to_extra
from training.grading.domains import KEPT_FOLD, is_graded_by, write_workbook

ABOVE = 2  # rows of the workbook above the table: the title and an empty one
CUTS = (0.0, 0.1, 0.2, 0.3, 0.32, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of a question. held: whether the linked cell is among those shown. first: whether it is the best
    answer, stated or not; sure: how likely that one is right when it is stated."""

    status: str
    held: bool
    first: bool
    sure: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--unseen", type=Path, help="the folds that hitab_pairs.py kept")
    parser.add_argument("--limit", type=int, default=0, help="take this many questions, drawn by chance")
    parser.add_argument("--judged", type=int, default=0, help="calibrate to so many questions of other tables first")
    parser.add_argument("--anywhere", action="store_true", help="ask of all workbooks at once")
    arguments = parser.parse_args()
    headers = arguments.data / "headers"
    tables = {
        gold["id"]: gold
        for gold in read_jsonl(headers / "hitab_train.jsonl.gz")
        if fold_of(gold["id"]) == KEPT_FOLD and not is_graded_by(gold["id"])
    }
    found = lookups(headers / "hitab_train_questions.jsonl.gz")
    questions = [(asked, linked) for asked, linked in found if asked["table_id"] in tables]
    store = index_workbooks(tables, arguments.cache)
    settings = load_settings({"store": str(store)})
    with fitted_without(KEPT_FOLD, arguments.unseen):
        reset_calibration(store, settings)
        if arguments.judged:
            chance, names = random.Random(1), sorted(tables)
            kept = set(chance.sample(names, len(names) // 2))
            judged = [asked for asked, _ in questions if asked["table_id"] in kept]
            questions = [(asked, linked) for asked, linked in questions if asked["table_id"] not in kept]
            calibrate(store, settings, chance.sample(judged, min(arguments.judged, len(judged))), arguments.anywhere)
        if arguments.limit:
            questions = random.Random(0).sample(questions, min(arguments.limit, len(questions)))
        session = open_session(store, settings)
        outcomes = [ask(session, asked, linked, arguments.anywhere) for asked, linked in questions]
    print_outcomes(outcomes)


def calibrate(store: Path, settings: Settings, questions: Sequence[dict[str, Any]], anywhere: bool) -> None:
    """Keep in the index what the right answers to these questions say of how sure its answers are."""
    session = open_session(store, settings)
    judged = [
        judge_answer(
            session,
            RightAnswer(asked["question"], tuple(map(str, asked["answer"]))),
            scope=Scope(paths=scope_of(asked, anywhere)),
        )
        for asked in questions
    ]
    fit = fit_surety(len(questions), [each for each in judged if each is not None])
    print(fit)
    with reopen_writer(store) as writer:
        writer.put_extra(to_extra(fit))


def scope_of(asked: dict[str, Any], anywhere: bool) -> tuple[str, ...]:
    return () if anywhere else (f"*/{file_of(asked['table_id'])}",)


def file_of(table: str) -> str:
    return f"{table}.xlsx"


def index_workbooks(tables: dict[str, dict[str, Any]], cache: Path) -> Path:
    """The store of all tables, each in a workbook: its title, an empty row, its rows with their merged cells."""
    folder, store = cache / "workbooks", cache / "store"
    folder.mkdir(parents=True, exist_ok=True)
    for name, gold in tables.items():
        if not (folder / file_of(name)).exists():
            write_workbook(folder / file_of(name), gold)
    indexed = run_mixrag("index", str(folder), "--store", str(store), "--json")
    if indexed.exit_code:
        raise SystemExit(f"index ended with {indexed.exit_code}: {indexed.stderr[-400:]}")
    return store


def ask(session: Session, asked: dict[str, Any], linked: tuple[int, int], anywhere: bool) -> Asked:
    """The answer as anybody gets it, and the best one however unsure it is."""
    restated, base, _ = prepare(session, asked["question"], Scope(paths=scope_of(asked, anywhere)), Clock())
    grading = grading_of(session.reader.record)
    answer = read_answer(restated, base, grading)
    best = read_answer(restated, base, replace(grading, stated=0.0))
    held, first = are_linked(answer, asked, linked), are_linked(best, asked, linked)
    return Asked(answer.status, any(held), first[:1] == [True], best.confidence if first else 0.0)


def are_linked(answer: Answer, asked: dict[str, Any], linked: tuple[int, int]) -> list[bool]:
    """Of each candidate, the stated one first, whether it is the linked cell."""
    place = f"{get_column_letter(linked[1] + 1)}{linked[0] + 1 + ABOVE}"
    return [
        one.source.hit.path.endswith(file_of(asked["table_id"])) and one.source.locator.cells == place
        for one in answer.candidates
    ]


def print_outcomes(outcomes: Sequence[Asked]) -> None:
    """The grades, then right and wrong of what each probability would state."""
    n = len(outcomes)
    for status in ("answered", "likely", "abstained"):
        group = [one for one in outcomes if one.status == status]
        right, held = sum(one.first for one in group), sum(one.held for one in group)
        print(f"{status:10} {len(group):5}  best is the linked cell {right:5}, that is among those shown {held:5}")
    print(f"\nstated from  right  wrong  of {n}")
    for cut in CUTS:
        stated = [one for one in outcomes if one.sure >= cut]
        right = sum(one.first for one in stated)
        print(f"{cut:11.2f}  {100 * right / n:5.1f}  {100 * (len(stated) - right) / n:5.1f}  %")


if __name__ == "__main__":
    main()
