"""The sample documents hold what their questions say, so that a wrong answer is never the sample's fault."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pypdfium2
import pytest
from openpyxl import load_workbook

SAMPLES = Path(__file__).parent / "samples"
DOCUMENTS = SAMPLES / "northmere"
QUESTIONS = [json.loads(line) for line in (SAMPLES / "questions.jsonl").read_text("utf-8").splitlines()]
ANSWERABLE = [question for question in QUESTIONS if question["documents"]]


def test_samples_stay_small_and_questions_cover_each() -> None:
    documents = [path for path in DOCUMENTS.iterdir() if path.is_file()]  # an index of them may lie beside
    about_them = [path for path in SAMPLES.iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in (*documents, *about_them)) < 200_000
    asked = {name for question in ANSWERABLE for name in question["documents"]}
    assert asked == {path.name for path in documents}
    assert len(QUESTIONS) - len(ANSWERABLE) == 4


@pytest.mark.parametrize("question", [one for one in ANSWERABLE if "lines" in one], ids=lambda one: one["id"])
def test_named_lines_hold_the_answer(question) -> None:
    first, last = question["lines"]
    lines = (DOCUMENTS / question["documents"][0]).read_text("utf-8").splitlines()[first - 1 : last]
    sought = question["answer"] if question["value"] is None else f"{question['value']:g}"
    assert sought in " ".join(lines)


@pytest.mark.parametrize("question", [one for one in ANSWERABLE if "cells" in one], ids=lambda one: one["id"])
def test_named_cells_hold_the_value(question) -> None:
    sheet = load_workbook(DOCUMENTS / question["documents"][0]).active
    held = [sheet[address].value for address in question["cells"]]
    assert question["value"] == (held[0] if len(held) == 1 else held[1] - held[0])


def test_looked_up_figures_stand_on_the_named_pages() -> None:
    report = pypdfium2.PdfDocument(DOCUMENTS / "annual-report.pdf")
    pages = [page.get_textpage().get_text_range() for page in report]
    report.close()
    for question in ANSWERABLE:
        if question["type"] == "lookup" and question["documents"] == ["annual-report.pdf"]:
            shown = f"{question['value']:,}"
            assert all(
                shown in pages[page - 1] or "112.4 million" in pages[page - 1]
                for page in question["pages_with_the_figure"]
            ), question["id"]


def test_aggregates_follow_from_the_rows() -> None:
    with (DOCUMENTS / "pumping-stations.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    capacities = [int(row["capacity_m3_per_day"]) for row in rows]
    energy = [int(row["energy_kwh_2025"]) for row in rows]
    asked = {question["id"]: question for question in ANSWERABLE}
    assert asked["s01"]["value"] == round(sum(capacities) / len(rows), 2)
    assert asked["s02"]["value"] == sum(energy)
    assert asked["s03"]["answer"] == rows[energy.index(max(energy))]["name"]
    assert energy.count(max(energy)) == 1
