"""Conditions in other words than the cells', words that only name the file, and what two parts of the rows come to."""

from __future__ import annotations

import pytest

from mixrag_cli.recap.in_rows.conditions import find_conditions
from mixrag_cli.recap.reader import read_answer
from mixrag_cli.records.tables import Table
from tests.evidence_samples import Sample, likeliest_piece, read_sample

CREW = """post,sex,ship,wage,doors
Cook,Female,Heron,2100,2
Pilot,Female,Heron,3900,4
Pilot,Male,Gannet,4100,4
Pilot,Female,Gannet,4300,6
Cook,Male,Gannet,1900,6
Stoker,Male,Heron,1700,2
"""
LIFE = """age,sex,chance,years_left
40,Male,0.002,38.5
40,Female,0.001,42.25
41,Male,0.002,37.5
41,Female,0.001,41.5
"""
POWER = """year,plant,output
2018-01-01,Coal,500
2018-01-01,Hydro,300
2018-01-01,Peat,200
2019-01-01,Coal,400
2019-01-01,Hydro,500
"""
FERRIES = """# Harbours

Ferries that called in 2021:

| Harbour | Ferries | Lowest fare | Highest fare |
|---|---|---|---|
| Oban | 31 | $4 | $19 |
| Mallaig | 17 | $3 | $22 |
| Ullapool | 8 | $5 | $30 |
"""
GRAIN = """# Grain exchange, 3 May 2021

| Grain | Month | Closing price (USD) | Open contracts |
|---|---|---|---|
| Winter rye | June 2021 | 210 | 77 |
| EUR winter rye | June 2021 | 190 | 12 |
| Winter rye | July 2021 | 214 | 5 |
"""


@pytest.fixture(scope="module")
def files() -> Sample:
    return read_sample(
        {
            "crew-wages.csv": CREW,
            "nhs-life.csv": LIFE,
            "power.csv": POWER,
            "ferries.md": FERRIES,
            "grain.md": GRAIN,
        }
    )


def table_of(files: Sample, path: str) -> Table:
    chunk = next(chunk for chunk, name, _ in files.passages if name == path and chunk.parent in files.tables)
    return files.tables[chunk.parent]


@pytest.mark.parametrize(
    ("question", "path", "labels"),
    [
        ("How many women are there?", "crew-wages.csv", ["sex = Female"]),
        ("How many pilots are men?", "crew-wages.csv", ["post = Pilot", "sex = Male"]),
        ("the six-door cabins", "crew-wages.csv", ["doors = 6"]),
        ("the cabins with 4 doors", "crew-wages.csv", ["doors = 4"]),
        ("a six-year contract", "crew-wages.csv", []),
        ("the years left of a woman at age 41", "nhs-life.csv", ["age = 41", "sex = Female"]),
    ],
)
def test_values_in_other_words(question: str, path: str, labels: list[str], files: Sample) -> None:
    assert sorted(each.label for each in find_conditions(question, table_of(files, path))) == sorted(labels)


@pytest.mark.parametrize(
    ("question", "path", "text"),
    [
        ("In the crew payment workbook, how many pilots are women?", "crew-wages.csv", "2"),
        ("What is the average wage of female pilots in the crew sheet?", "crew-wages.csv", "4,100"),
        ("What was the total output in 2018?", "power.csv", "1,000"),
        ("How many ferries called at Oban, Mallaig and Ullapool taken together?", "ferries.md", "56"),
        ("What is the highest fare that any ferry at Mallaig charged?", "ferries.md", "$22"),
        ("What was the closing price of June 2021 winter rye?", "grain.md", "$210"),
        ("How many contracts of June 2021 winter rye were open on 3 May 2021?", "grain.md", "77"),
    ],
)
def test_answers(question: str, path: str, text: str, files: Sample) -> None:
    assert likeliest_piece(*files.evidence_for(question, paths=[path])).text == text


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("In the Deutsche Marine crew workbook, how many pilots are women?", "crew-wages.csv"),
        ("In the hospital budget workbook, how many sailmakers are women?", "crew-wages.csv"),
        ("How much power came from wind alone in 2018?", "power.csv"),
        ("How many five-door cabins are there?", "crew-wages.csv"),
        ("How many more ferries called at Oban than at Lerwick?", "ferries.md"),
        ("How many contracts of June 2021 winter rye were open on 4 May 2021?", "grain.md"),
    ],
)
def test_what_the_file_does_not_say_is_not_stated(question: str, path: str, files: Sample) -> None:
    assert read_answer(*files.evidence_for(question, paths=[path])).status != "answered"
