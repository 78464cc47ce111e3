"""Calculations over two cells that training draws by rule: their right answers follow from the file's own cells."""

from __future__ import annotations

import csv
from itertools import permutations

import pytest

from training.grading.domains import Asked, Domain
from training.grading.drawn_sums import NOT_FOUND, drawn_sums

N_FILES = 12
YEARS = ("2019", "2020", "2021", "2022")
PARTS = {"Wages": (410, 455, 502, 498), "Travel": (37, 12, 19, 44), "Rent": (120, 124, 131, 139)}
WHOLE = "Total costs"
COSTS = {**PARTS, WHOLE: tuple(map(sum, zip(*PARTS.values(), strict=True)))}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    """Drawn from copies of one table, beside a text that nothing can be asked of."""
    files = []
    for number in range(N_FILES):
        file = tmp_path_factory.mktemp(f"part{number}") / "costs.csv"
        with file.open("w", encoding="utf-8", newline="") as opened:
            rows = [[label, *values] for label, values in COSTS.items()]
            csv.writer(opened).writerows([["Costs", *YEARS], *rows])
            opened.write("\n" * 1_000)
        files.append(file)
    (files[0].parent / "notes.md").write_text("Nothing.\n" * 200, "utf-8")
    return drawn_sums([*files, files[0].parent / "notes.md"], tmp_path_factory.mktemp("target") / "sums")


def named_cells(asked: Asked) -> list[float]:
    """The two cells that a question names, in the order in which it does."""
    text = asked.text.lower()
    rows = sorted((label for label in COSTS if label.lower() in text), key=lambda label: text.index(label.lower()))
    years = sorted((year for year in YEARS if year in text), key=text.index)
    return [COSTS[label][YEARS.index(year)] for label in rows for year in years]


def computed(asked: Asked, one: float, two: float) -> float:
    """What the wording wants of the two cells."""
    text = asked.text.lower()
    if "change" in text or "growth" in text:
        return (two - one) / one * 100
    if any(word in text for word in ("share", "percentage", "proportion")):
        return min(one, two) / max(one, two) * 100
    if "average" in text:
        return (one + two) / 2
    if "times" in text or "ratio" in text:
        return max(one, two) / min(one, two)
    if "together" in text or "combined" in text or text.startswith("total of"):
        return one + two
    return abs(two - one)


def test_right_answers_follow_from_the_two_cells_named(drawn: Domain) -> None:
    checked = 0
    for asked in drawn.questions:
        cells = named_cells(asked)
        if asked.forms and len(cells) == 2:
            ways = {round(computed(asked, *pair), 4) for pair in permutations(cells)}
            assert float(asked.forms[0]) in ways, asked.text
            checked += 1
    assert checked > N_FILES


def test_a_year_of_some_is_another_and_some_are_asked_of_their_file_alone(drawn: Domain) -> None:
    assert all(bool(asked.forms) == bool(asked.gold) == (NOT_FOUND not in asked.text) for asked in drawn.questions)
    assert {bool(asked.scope) for asked in drawn.questions} == {bool(asked.forms) for asked in drawn.questions}
    assert {gold.file.rpartition("-")[2] for asked in drawn.questions for gold in asked.gold} == {"costs.csv"}
