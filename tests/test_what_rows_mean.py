"""What a question means of a table: what it counts, which rows or columns of a stretch, which of two like columns."""

from __future__ import annotations

import pytest

from mixrag_cli.recap.structure import structural_drafts
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session
from mixrag_cli.tables.text import without_unit
from tests.evidence_samples import first_piece, opened

FILES = {
    "bookings.csv": "channel,January,February,March,April,May,June\n"
    "Marlow,10,20,30,40,50,60\nHartwell,1,2,4,8,16,32\nQuince,7,7,7,7,7,7\n",
    "updates.csv": "Update_Date,Project,Progress_Percent,Issues\n"
    "2025-12-01,Weir,10,Staff shortage\n2025-12-05,Lock,20,None\n2025-12-08,Quay,35,Staff shortage\n"
    "2025-11-08,Quay,30,Staff shortage\n2025-11-09,Pier,70,Late material\n",
    "nests.csv": "nest,egg_num,length\nA1,1,33.1\nA1,2,32.7\nA1,3,34.0\nB2,1,31.5\nB2,2,30.9\n",
    "fuel.csv": "date,car,year,litres\n2010-06-03,Heron,2010,40.5\n2010-06-19,Heron,2010,50.5\n"
    "2010-07-19,Heron,2010,51.25\n2011-06-19,Heron,2010,52.5\n2011-06-20,Plover,2009,52.0\n",
    "soil.csv": "Site,Nitrate (mg/L),Nitrate (SD),Nitrate (n)\nNorth,4.1,0.3,12\nSouth,3.8,0.2,11\n",
    "grounds.csv": "key,ground,country,seats\n1,Alder Park,Norland,30000\n2,Birch Field,Norland,41000\n"
    "3,Cedar Bowl,Sudland,52000\n",
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return opened(tmp_path_factory.mktemp("meant"), FILES)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # what is counted: rows, unless a column of amounts is named after it
        ("How many progress updates were there in December 2025?", "3"),
        ("How many eggs were measured in nest A1?", "3"),
        # the year of a date is no model year
        ("How many litres did the Heron take in June 2010 in total?", "91"),
        # the figure, and not what is told of it
        ("What was the nitrate at North?", "4.1 mg/L"),
    ],
)
def test_what_is_meant_comes_first(question: str, text: str, session: Session) -> None:
    restated, base, _ = prepare(session, question, Scope(), Clock())
    assert first_piece(restated, base).text.removesuffix(" litres") == text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the total of Hartwell from February to May?", "30"),
        ("What was the average of Marlow between February and April?", "30"),
        ("How many World Cup grounds are in Norland?", "2"),  # that it is of the cup the file says nowhere
    ],
)
def test_what_is_computed_over_rows_or_columns_is_proposed(question: str, text: str, session: Session) -> None:
    restated, base, _ = prepare(session, question, Scope(), Clock())
    assert text in [draft.text for draft in structural_drafts(restated, base) if draft.kind == "column"]


def test_a_stretch_is_not_the_sum_of_its_ends(session: Session) -> None:
    restated, base, _ = prepare(session, "What is the total of Hartwell from February to May?", Scope(), Clock())
    assert "18" not in [draft.text for draft in structural_drafts(restated, base)]


def test_brackets_that_say_a_unit_are_no_part_of_a_name() -> None:
    assert [without_unit(label) for label in ("Nitrate (mg/L)", "Height [cm]", "Mass (SD)", "Cases (n)", "Seats")] == [
        "Nitrate",
        "Height",
        "Mass (SD)",
        "Cases (n)",
        "Seats",
    ]
