"""Words that a table's headers leave unsaid: what its rows are, the form of a flag."""

from __future__ import annotations

import pytest

from mixrag_cli.recap.reader import read_answer
from tests.evidence_samples import Sample, first_piece, read_sample

KIDNEY = """centre,days,status,age,sex,stage
3,306,dead,74,male,late
3,455,dead,68,female,early
5,210,alive,57,female,late
1,883,dead,80,male,early
12,102,alive,77,male,late
"""
HAILSTORMS = """day,phase,cost total,repair cost
2020-05-01,spring,120000,9000
2020-06-11,summer,80000,500
2020-07-02,summer,2000000,100
2021-07-02,summer,30000,70
2021-10-30,autumn,1500000,3
"""
HOSPICE = """county,days per patient,patients
Adams,12.5,100
King,63.5,40
Pierce,60.7,900
Clark,9,400
"""
AGE_GROUPS = """ward,age group,patients
A,0-9,12
A,10-19,30
"""
PLAYERS = """name,team,age,goals,has licence
Anna,Reds,31,12,yes
Bea,Reds,22,3,no
Cora,Blues,27,20,yes
Dora,Blues,35,8,no
Ella,Greens,19,0,yes
"""
FLOODS = """first name,age,gender,place
Ida,40,Female,mill
Jon,31,Male,mill
Una,77,Female,bridge
Tom,12,Male,bridge
"""
INFECTIONS = """updated,region,age_group,cases_seen,deaths
12/06/2021,North,70-79,1020,31
12/06/2021,North,80-89,2040,77
12/06/2021,South,70-79,505,12
12/06/2021,South,80-89,707,25
"""
GUIDE = """# Sifter

Sifter searches files. The `-u/--unpacked` flag makes sifter read packed files. Each packed file is unpacked once.
Sifter reads its settings where SIFTER_SETTINGS_PATH points to.

Table 2: Sizes of the sets of settings that sifter reads.
"""
SOURCE = """/// Return the settings of sifter from its settings path.
pub fn settings() -> Vec<String> {
    read(sifter_path())
}
"""


@pytest.fixture(scope="module")
def files() -> Sample:
    return read_sample(
        {
            "kidney.csv": KIDNEY,
            "hailstorms.csv": HAILSTORMS,
            "east-floods.csv": FLOODS,
            "groups.csv": AGE_GROUPS,
            "hospice.csv": HOSPICE,
            "players.csv": PLAYERS,
            "infections.csv": INFECTIONS,
            "guide.md": GUIDE,
            "settings.rs": SOURCE,
        }
    )


@pytest.mark.parametrize(
    ("question", "path", "text"),
    [
        ("How many kidney patients have an age above 70?", "kidney.csv", "3"),
        ("How many kidney patients have an age below 70?", "kidney.csv", "2"),
        ("How many hail storms occurred in the summer phase?", "hailstorms.csv", "3"),
        ("How many hail storms had a total cost of more than 1,000,000?", "hailstorms.csv", "2"),
        ("What is the average age of the kidney patients?", "kidney.csv", "71.2"),
        ("How many victims of the east floods were female?", "east-floods.csv", "2"),
        ("Which county has the most days per patient?", "hospice.csv", "King"),
        ("Which county has the fewest patients?", "hospice.csv", "King"),
        ("What is the average of the days per patient?", "hospice.csv", "36.425"),
        ("Which player has the highest age?", "players.csv", "Dora"),
        ("Which player of the Reds has the lowest age?", "players.csv", "Bea"),
        ("How many players have a licence?", "players.csv", "3"),
        ("Which player has the fewest goals?", "players.csv", "Ella"),
        ("How many cases seen are there in the North for 80-89?", "infections.csv", "2,040"),
    ],
)
def test_rows_are_counted_by_what_they_are(question: str, path: str, text: str, files: Sample) -> None:
    assert first_piece(*files.evidence_for(question, paths=[path])).text == text


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("How many kidney nurses are older than 70?", "kidney.csv"),
        ("How many patients of the lung are older than 70?", "kidney.csv"),
        ("How many patients are older than 9?", "groups.csv"),
    ],
)
def test_what_the_rows_are_not_is_not_counted(question: str, path: str, files: Sample) -> None:
    assert read_answer(*files.evidence_for(question, paths=[path])).status != "answered"


def test_one_of_the_cells_that_a_sum_adds_up_is_no_answer(files: Sample) -> None:
    """20 is what one of the Blues did, 28 what both did."""
    answer = read_answer(*files.evidence_for("How many goals did the Blues score?", paths=["players.csv"]))
    assert answer.status != "answered" or answer.text == "28"


def test_a_change_between_days_in_digits(files: Sample) -> None:
    asked = files.evidence_for("By how much did the repair cost fall from 2020-05-01 to 2020-06-11?")
    answer = first_piece(*asked)
    assert answer.value is not None
    assert abs(answer.value) == 8500
