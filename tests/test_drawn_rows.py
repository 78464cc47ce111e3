"""Questions over rows that training draws by rule: their right answers are those of the file's own rows."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from training.grading.domains import Domain
from training.grading.drawn_rows import drawn_tallies

STATIONS = Path(__file__).parent / "samples" / "northmere" / "pumping-stations.csv"
N_FILES = 9


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    """Drawn from copies of one table, beside a text that nothing can be asked of."""
    files = []
    for number in range(N_FILES):
        folder = tmp_path_factory.mktemp(f"part{number}")
        files.append(folder / STATIONS.name)
        lines = [line.partition(",")[2] for line in STATIONS.read_text("utf-8").splitlines()]  # names first, no codes
        files[-1].write_text("\n".join(lines) + "\n", "utf-8")
    (files[0].parent / "notes.csv").write_text("note\n" + "nothing\n" * 200, "utf-8")
    return drawn_tallies([*files, files[0].parent / "notes.csv"], tmp_path_factory.mktemp("target") / "rows")


def test_right_answers_are_those_of_the_rows(drawn: Domain) -> None:
    with STATIONS.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    numbers = {name: [float(row[name]) for row in rows] for name in ("capacity_m3_per_day", "energy_kwh_2025")}
    extremes = {max(values) for values in numbers.values()} | {min(values) for values in numbers.values()}
    whole = {"total": {sum(values) for values in numbers.values()}}
    whole["average"] = {sum(values) / len(rows) for values in numbers.values()}
    counted = {str(n) for kind in ("district", "type") for n in Counter(row[kind] for row in rows).values()}
    assert len(drawn.questions) > 2 * N_FILES
    seen = set()
    for asked in drawn.questions:
        if not asked.forms:
            continue
        word = next((word for word in ("total", "average") if word in asked.text.lower()), "")
        is_whole = not any(row[kind].lower() in asked.text.lower() for row in rows for kind in ("district", "type"))
        if asked.text.startswith(("How many", "Number of")):
            assert asked.forms[0] in counted, asked.text
        elif word and is_whole and asked.text.startswith("What is the"):
            assert any(abs(float(asked.forms[0]) - value) < 0.001 for value in whole[word]), asked.text
        elif asked.text.startswith("What") and is_whole and "average" not in asked.text:
            assert float(asked.forms[0]) in extremes, asked.text
        else:
            continue
        seen.add(word or asked.text.split()[0])
    assert len(seen) >= 3


def test_files_without_records_are_left_out_and_some_questions_have_no_answer(drawn: Domain) -> None:
    assert len({*drawn.folder.iterdir()}) == N_FILES
    assert {bool(asked.scope) for asked in drawn.questions} == {True, False}
    assert all(bool(asked.forms) == bool(asked.gold) for asked in drawn.questions)
