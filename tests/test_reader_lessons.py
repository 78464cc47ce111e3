"""Lessons for the reader as the product makes them: a written question among the windows that retrieval finds."""

from __future__ import annotations

import csv
import json
import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mixrag_cli.settings import Settings
from mixrag_cli.store import open_reader
from mixrag_cli.stories.indexing import build_index
from tests.cli_fixtures import SAMPLES, Silent
from training.reader.groups import Group, Intent, Lesson
from training.reader.natural import read_natural, replayed

pytestmark = pytest.mark.slow

UNANSWERABLE = "How many litres does the pumping station at Amberley hold?"
QUESTION, ANSWER = "How far apart must samples be taken before a boil notice is lifted?", "at least 12 hours apart"

LIST, ITEMS = "Which bacteria in a sample lead to a boil notice?", ["E. coli", "coliform bacteria"]
SUM = "What is the sum of the energy of all stations in the district Eastmere?"


@pytest.fixture(scope="module")
def lessons(tmp_path_factory: pytest.TempPathFactory) -> list[Lesson]:
    folder = tmp_path_factory.mktemp("water")
    (folder / "files").mkdir()
    for name in ("handbook.md", "pumping-stations.csv"):
        shutil.copy(SAMPLES / name, folder / "files" / name)
    build_index([folder / "files"], Settings(store=folder / "store"), events=Silent())
    with open_reader(folder / "store") as reader:
        rows = {Path(row.path).name: reader.chunks_of(row.id) for row in reader.document_rows()}
    gold = next(chunk for chunk in rows["handbook.md"] if ANSWER in chunk.text)
    asked = {"path": "handbook.md", "place": gold.locator.to_json(), "question": QUESTION, "answer": ANSWER}
    gone = {**asked, "question": "Which day is it?", "answer": "words that stand nowhere"}
    with (folder / "files" / "pumping-stations.csv").open(encoding="utf-8") as stations:
        energy = sum(int(row["energy_kwh_2025"]) for row in csv.DictReader(stations) if row["district"] == "Eastmere")
    row = next(chunk for chunk in rows["pumping-stations.csv"] if "Alder Hill" in chunk.text)
    listed = {**asked, "question": LIST, "answer": "", "operation": "list", "items": ITEMS}
    summed = {"path": "pumping-stations.csv", "place": row.locator.to_json(), "question": SUM, "answer": ""}
    summed |= {"operation": "sum", "result": energy}
    wanted = {"operation": "lookup", "expects": "number"}
    lines = [json.dumps({**wanted, **one}) + "\n" for one in (asked, gone, listed, summed)]
    (folder / "lessons.jsonl").write_text("".join(lines), "utf-8")
    (folder / "unanswerable.txt").write_text(f"{UNANSWERABLE}\n", "utf-8")
    return list(read_natural(folder / "lessons.jsonl", folder, random.Random(1)))


def test_what_the_question_wants_is_a_lesson_alone(lessons: list[Lesson]) -> None:
    assert [one.question for one in lessons if isinstance(one, Intent)] == [QUESTION, LIST, SUM]


def test_the_answer_is_marked_in_the_window_it_was_written_from(lessons: list[Lesson]) -> None:
    groups = [one for one in lessons if isinstance(one, Group) and one.head == "holds" and one.question == QUESTION]
    assert len(groups) == 2
    assert len({group.passages for group in groups}) == 2
    for group in groups:
        wrong = [text for at, text in enumerate(group.passages) if at != group.right]
        assert wrong
        assert not any(ANSWER in text for text in wrong)
        if group.right is not None:
            assert {group.passages[group.right][start:end] for start, end in group.spans} == {ANSWER}
    assert any(group.right is not None for group in groups)


def test_each_item_of_a_list_is_a_lesson_of_its_own(lessons: list[Lesson]) -> None:
    groups = [one for one in lessons if isinstance(one, Group) and one.head == "holds" and one.question == LIST]
    said = [{one.passages[one.right][start:end] for start, end in one.spans} for one in groups if one.right is not None]
    assert said
    assert all(len(each) == 1 and each <= set(ITEMS) for each in said)


def test_of_a_calculation_that_is_right_which_comes_to_its_result(lessons: list[Lesson]) -> None:
    (group,) = [one for one in lessons if isinstance(one, Group) and one.question == SUM]
    assert group.head == "pair"
    assert group.right is not None
    assert "district = Eastmere" in group.passages[group.right]
    assert "energy" in group.passages[group.right]


def test_nothing_that_is_found_for_an_unanswerable_question_is_right(lessons: list[Lesson]) -> None:
    groups = [one for one in lessons if isinstance(one, Group) and one.question == UNANSWERABLE]
    assert {group.head for group in groups} == {"holds", "pair"}
    for group in groups:
        assert group.passages
        assert group.right is None
        assert group.spanned == (group.head == "holds")


def test_earlier_lessons_are_drawn_by_source(lessons: list[Lesson]) -> None:
    one = next(lesson for lesson in lessons if isinstance(lesson, Group))
    earlier = [*lessons, *(replace(one, source="hitab", question=f"{number}?") for number in range(5))]
    drawn = replayed(earlier, {"hitab": 3, "wtq": 9}, 2, random.Random(1))
    assert [lesson.source for lesson in drawn] == ["hitab"] * 3 + ["natural"] * 2
    assert len({lesson.question for lesson in drawn[:3]}) == 3
