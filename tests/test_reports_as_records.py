"""Reports with periods for columns: which of them a comparison leaves, which is extreme, and two cells of one row."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixrag_cli.recap.signs import Draft
from mixrag_cli.recap.structure import structural_drafts
from mixrag_cli.settings import Settings
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scanning import FileScanner
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import open_session
from tests.evidence_samples import Sample, read_sample

ACCOUNTS = """# Accounts of the Fernhill ferry

Accounts by year, in thousands of euros:

| | 2018 | 2019 | 2020 | 2021 |
|---|---|---|---|---|
| Ticket income | 4,120 | 5,230 | 1,990 | 3,300 |
| Crew wages | 1,100 | 1,250 | 1,275 | 1,310 |
| Fuel | 640 | 702 | 391 | 588 |
| Pier repairs | 120 | 310 | 95 | 240 |
"""


@pytest.fixture(scope="module")
def accounts() -> Sample:
    return read_sample({"accounts.md": ACCOUNTS})


def drafts_for(question: str, sample: Sample, kind: str) -> list[Draft]:
    return [draft for draft in structural_drafts(*sample.evidence_for(question)) if draft.kind == kind]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("In which years did ticket income exceed 3 million?", "2018; 2019; 2021"),
        ("In which years was ticket income below 4,000,000 euros?", "2020; 2021"),
        ("In which year was the fuel below 400?", "2020"),
        ("In which year was the fuel lowest?", "2020"),
        ("In which year were the pier repairs highest?", "2019"),
        ("How many years did ticket income exceed 3 million?", "3"),
    ],
)
def test_periods_are_named_or_counted_by_the_row_that_a_question_compares(
    question: str, text: str, accounts: Sample
) -> None:
    assert drafts_for(question, accounts, "column")[0].text == text


@pytest.mark.parametrize(
    ("question", "formula", "labels", "text"),
    [
        ("What is the ratio of crew wages to fuel in 2018?", "e1 / e2", ["Crew wages | 2018", "Fuel | 2018"], "1.7188"),
        ("What is the ratio of fuel to crew wages in 2021?", "e1 / e2", ["Fuel | 2021", "Crew wages | 2021"], "0.4489"),
    ],
)
def test_two_likeliest_cells_are_the_operands_that_no_words_part(
    question: str, formula: str, labels: list[str], text: str, accounts: Sample
) -> None:
    draft = drafts_for(question, accounts, "computed")[0]
    assert draft.formula == formula
    assert [piece.label for piece in draft.evidence] == labels
    assert draft.text.startswith(text)


def test_one_thing_is_no_calculation(accounts: Sample) -> None:
    """Where the question names no second thing that another cell is of, nothing is computed."""
    assert not drafts_for("What is the total of the crew wages in 2019?", accounts, "computed")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What were the respective fuel and pier repairs in 2020?", "€391 thousand; €95 thousand"),
        ("What were the pier repairs and the fuel in 2019?", "€310 thousand; €702 thousand"),
    ],
)
def test_two_things_joined_by_and_are_told_side_by_side(question: str, text: str, accounts: Sample) -> None:
    assert drafts_for(question, accounts, "cell")[0].text == text


def test_one_thing_told_twice_is_no_list() -> None:
    """A figure that stands in two cells is one answer: a list of it would take the place of both."""
    twice = ACCOUNTS.replace("| Pier repairs | 120 | 310 | 95 | 240 |", "| Pier repairs | 120 | 310 | 391 | 240 |")
    found = drafts_for("What were the fuel and pier repairs in 2020?", read_sample({"accounts.md": twice}), "cell")
    assert "€391 thousand" in {draft.text for draft in found}
    assert not any(";" in draft.text for draft in found)


CHANGES = """# Wages of the ferry

| in thousands of euros | 2019 | 2020 | 2020 vs 2019 | Share 2020 |
|---|---|---|---|---|
| Crew | 1,200 | 1,300 | 8.3 % | 65 % |
| Office | 600 | 700 | 16.7 % | 35 % |
"""


def test_what_is_computed_of_the_years_is_no_year() -> None:
    """Neither a change, of two years, nor a share, in per cent, counts in a mean over the years."""
    sample = read_sample({"wages.md": CHANGES})
    assert drafts_for("What is the average of the crew wages over the years?", sample, "column")[0].text.startswith(
        "€1,250"
    )


LEASES = """# Payments for the pier

| Year | Lease | Dredging |
|---|---|---|
| 2020 | 47 | 12 |
| 2021 | 28 | 11 |
| 2022 | 22 | 15 |
| 2023 | 22 | 9 |
| 2024 | 21 | 8 |
| Thereafter | 60 | 30 |
| Total | 200 | 85 |
"""


def test_years_beside_a_total_are_years() -> None:
    sample = read_sample({"leases.md": LEASES})
    assert drafts_for("What is the sum of the lease payments from 2020 to 2024?", sample, "column")[0].text == "140"


def test_a_value_of_one_period_is_no_answer_for_two(accounts: Sample) -> None:
    question = "What was the fuel in 2018 and 2020 respectively?"
    assert not drafts_for(question, accounts, "column")
    assert drafts_for(question, accounts, "cell")[0].text == "€640 thousand; €391 thousand"


LEGEND = """# Colours of the berths

| Colour | Meaning |
|---|---|
| red | Closed by the port |
| green | Free |
| grey | Let for a year |
"""


def test_a_row_is_not_counted_by_its_own_name() -> None:
    """That one row has a name that no other has says nothing of how many are meant by it."""
    sample = read_sample({"legend.md": LEGEND})
    assert not drafts_for("How many berths are closed by the port?", sample, "column")
    several = LEGEND + "| blue | Closed by the port |\n"
    assert drafts_for("How many colours are closed by the port?", read_sample({"legend.md": several}), "column")


QUARTERS = """# Passengers of the ferry

| | Foot | Cars |
|---|---|---|
| Spring 2020 | 900 | 310 |
| Autumn 2020 | 700 | 240 |
| Spring 2021 | 950 | 330 |
| Autumn 2021 | 720 | 260 |
"""


def test_rows_of_another_time_are_left_out_and_the_others_counted() -> None:
    """What is left of a report is no sample, whose file has the rest of its rows; its labels say the year."""
    sample = read_sample({"passengers.md": QUARTERS})
    assert drafts_for("What is the average number of cars in 2021?", sample, "column")[0].text == "295"
    assert not drafts_for("What is the average number of cars in 2022?", sample, "column")


def test_a_report_of_another_time_has_nothing_to_count(model_cache: Path, tmp_path: Path) -> None:
    """Its rows all left out, its csv is not read for them either."""
    crossings = [f"2020-{month:02}-01,Number of crossings,,{300 + month}" for month in range(1, 13)]
    shares = [f"2020-{month:02}-01,Share of cars,{month / 100}," for month in range(1, 13)]
    rows = "\n".join(("date,kind,share of cars,North", *crossings, *shares))
    (tmp_path / "passengers.csv").write_text(rows, "utf-8")
    build_index([tmp_path], Settings(), events=Silent())
    session = open_session(tmp_path, Settings())
    scanner = FileScanner(session)
    for question in ("North cars in December 2022", "How many cars in the North in December 2022?"):
        restated, base, _ = prepare(session, question, Scope(), Clock(), scanner)
        assert not [draft for draft in structural_drafts(restated, base) if draft.kind == "column"]
