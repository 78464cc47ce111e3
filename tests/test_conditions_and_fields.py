"""The reader on small files of other people's making: records under conditions, named lines, change logs, headings."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixrag_cli.quantities.facets import ordinals_of
from mixrag_cli.settings import Settings
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.followup import make_standalone
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session, open_session
from mixrag_cli.words import match_heading, says_nothing_new
from tests.evidence_samples import first_piece, likeliest_of, opened, shown_text, understood

YIELDS = "tonnes,price,grower,year\n" + "".join(
    f"{base + 3 * step}.5,{40 + step},{grower},{1950 + step}\n"
    for base, grower in ((100, "Harrow Orchards"), (300, "Tollgate Farm"), (500, "Brindle and Sons"))
    for step in range(12)
)
TOWNS = 'code,name,total_population,error\n101,"Alder Parish, QX",4120,0\n102,"Birch Parish, QX",5230,0\n' + "".join(
    f'{number},"Vale {number} Parish, QX",{number * 7},0\n' for number in range(103, 130)
)
SCHOOLS = "district,school,total_enrollment\n" + "".join(
    f"Wold,{name},{number}\n"
    for name, number in (
        ("THE RIVERBEND CHARTER", 102),
        ("LARKHAM MILL COOPERATIVE ACADEMY", 120),
        ("STONEGATE ACADEMY", 310),
        ("TOTALS", 532),
    )
)
RAIN = "place,first_shift,second_shift,third_shift\nNorth gauge,3.3,4.1,5.5\nSouth gauge,2.2,1.9,0.7\n"
QUARTERS = "year,quarter,output,unemp\n" + "".join(
    f"{year},{quarter},{year * 10 + quarter},{quarter}.{year % 10}\n"
    for year in (2007, 2008, 2009)
    for quarter in (1, 2, 3, 4)
)
YARDS = "value,yard\n" + "".join(f"{20 + 5 * n},{name}\n" for n, name in enumerate(("Brackwater", "Anchor") * 3))
LEVELS = "YEAR,TIDEHEIGHT,ZINCPRICE\n1901,310,11.2\n1902,388,12.9\n1903,295,14.8\n1904,342,10.1\n"
COUNTS = "parish,residents,bridges\nAlder,4120,3\nBirch,5230,1\nCedar,990,7\nDogwood,1200,2\n"
GRANTS = "parish,awards\nElder,4\nFirwood,9\nGorse,2\n"
PAPERS = """# Tide tables of Farrow Sound

:Number of Stations: 64
:Compiler: Q. R. Hale

The stations were set up by several harbours. A station costs about $100,000 to build.

- depth2  the depth below the chart datum in metres
- gauge   the kind of the instrument
"""
CHANGES = """Changes
=======

3.2.0 - May 4, 2021
-------------------

- feat: Add a --keep-blank-lines option to all tools.
- fix: The summary is sorted.

3.1.0 - March 2, 2020
---------------------

- feat: Support sealed archives that need a password.
- Drop the old viewer.
"""
CODE = '''"""Numbers for people."""

SOURCE = """
Counts were taken from the Harbour Yearbook.
"""
DESCRIPTION = """Harbour traffic numbers"""


def plainsize(value: int) -> str:
    """Write a number of bytes like a human readable filesize (e.g. 10 kB)."""
    return f"{value / 1000} kB"


def spelled(value: int) -> str:
    """Write a small number in words."""
    return ["nil", "one"][value]
'''
BUDGET = """# Household plan

## MONTHLY EXPENSES

| Expense | Amount |
|---|---|
| Rent/mortgage | $800 |
| Car expenses | $120 |
| Gas | $50 |

## SUMMARY

| Total Monthly Income | Total Monthly Expenses |
|---|---|
| $1,600 | $970 |

## Percent of income spent

| Percentage of income spent | Value |
|---|---|
| Percentage of income spent | 60.6 % |
"""
ALLOYS = """# Alloys

| Property | Min | Max | Mean | SD |
|---|---|---|---|---|
| Hardness | 10.0 | 90.0 | 46.5 | 8.1 |
| Density | 2.0 | 9.0 | 5.5 | 0.9 |
"""
CARS = """# Test drives

| | consumption | cylinders |
|---|---|---|
| Marten 120 | 7.1 | 4 |
| Heron Sport | 12.4 | 8 |
| Wren | 4.2 | 3 |
"""
ARRESTS = """# Fines by offence and age, 2019

| Offence | Total | Under 18 years | 18 years and over |
|---|---|---|---|
| Total | 1,000.0 | 200.0 | 800.0 |
| Poaching | 240.0 | 60.0 | 180.0 |
| Littering | 760.0 | 140.0 | 620.0 |
"""
FILES = {
    "yields.csv": YIELDS,
    "towns.csv": TOWNS,
    "schools.csv": SCHOOLS,
    "rain.csv": RAIN,
    "quarters.csv": QUARTERS,
    "levels.csv": LEVELS,
    "yards.csv": YARDS,
    "counts.csv": COUNTS,
    "grants.csv": GRANTS,
    "tides.md": PAPERS,
    "packer-CHANGES.rst": CHANGES,
    "numbers.py": CODE,
    "plan.md": BUDGET,
    "alloys.md": ALLOYS,
    "cars.md": CARS,
    "fines.md": ARRESTS,
}


@pytest.fixture(scope="module")
def session(model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Session:
    return opened(tmp_path_factory.mktemp("others"), FILES)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # records chosen by all conditions
        ("What is the population of Birch Parish, QX?", "5,230"),
        ("What was the output in the second quarter of 2008?", "20,082"),
        ("What was the output in quarter 3 of 2009?", "20,093"),
        ("What was the average price of Harrow Orchards?", "45.5"),
        ("Which grower had the highest price?", "Harrow Orchards"),
        ("What is the average value of the Brackwater yard?", "30"),
        # headings without spaces, rows that nothing names, an own figure word
        ("In which year was the tide height highest?", "1902"),
        ("In which year was the zinc price lowest?", "1904"),
        ("Which car has the highest consumption?", "Heron Sport"),
        ("What is the average bridges count of the parishes?", "3.25"),
        # results that stand there or are computed of the right cells
        ("What is the total of the monthly expenses?", "$970"),
        ("What share of total monthly expenses is rent/mortgage?", "82.47 %"),
        ("How much is spent on rent?", "$800"),
        ("What is the mean of hardness?", "46.5"),
        ("What share of total fines for poaching in 2019 were of persons under 18?", "25 %"),
    ],
)
def test_answers(question: str, text: str, session: Session) -> None:
    restated, base, _ = prepare(session, question, Scope(), Clock())

    assert first_piece(restated, base).text == text


def test_a_total_of_all_rows_is_not_that_of_the_one_that_is_named(session: Session) -> None:
    asked = "What is the total enrollment of the Larkham Mill cooperative school?"
    assert likeliest_of(session, asked).text == "120"


def test_the_year_that_is_asked_for_is_not_what_is_measured(model_cache: Path, tmp_path: Path) -> None:
    (tmp_path / "thefts.csv").write_text("Year,Bicycle,Boat\n1911,40,3\n1912,57,9\n1913,31,4\n1914,22,2\n")
    build_index([tmp_path], Settings(), events=Silent())
    for question in ("In which year were there the most bicycles?", "What year was Boat highest?"):
        restated, base, _ = prepare(open_session(tmp_path, Settings()), question, Scope(), Clock())
        assert first_piece(restated, base).text == "1912"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # named lines
        ("Who is the compiler of the tide tables?", "Q. R. Hale"),
        ("What is the source of the harbour traffic numbers?", "Counts were taken from the Harbour Yearbook."),
        # change logs
        ("In which version of packer was the --keep-blank-lines option added?", "3.2.0"),
        ("Which release of packer added support for sealed archives?", "3.1.0"),
        ("Which function returns a human readable file size?", "plainsize"),
    ],
)
def test_what_answers_is_shown(question: str, text: str, session: Session) -> None:
    assert text in shown_text(session.ask(question, Scope()))


@pytest.mark.parametrize(
    "question",
    [
        "What was the rain at the north gauge in the fifth shift?",
        "How many awards were there in Alder?",  # awards and Alder stand in two files that share no row
        "In which version of packer was support for Windows 9.75 dropped?",
        "What was the average consumption of the cars in 2010?",
        "What was the price of Brindle and Sons in 1990?",
    ],
)
def test_what_the_files_do_not_hold_is_refused(question: str, session: Session) -> None:
    assert session.ask(question, Scope()).status != "answered"


def test_words_of_a_heading_without_spaces() -> None:
    assert match_heading("price", ("zincprice",)) == match_heading("zinc", ("zincprice",)) == 0.8
    assert match_heading("smoker", ("nonsmoker",)) == 0.0
    assert match_heading("ash", ("cashflow",)) == 0.0


def test_ordinals_and_echoes() -> None:
    assert ordinals_of("the fifth day and the 12th") == (5, 12)
    assert ordinals_of("in the third quarter of 2021") == ()
    assert says_nothing_new("Alder Parish", "What is the population of Alder Parish?")
    assert not says_nothing_new("Alder Parish", "Which is larger, Alder Parish or Birch Parish?")
    assert not says_nothing_new("Alder Parish Council", "What is the population of Alder Parish?")


def test_a_change_between_years_is_from_end_to_end() -> None:
    assert [
        operand.facets.years for operand in understood("What was the change in sales from 2015 to 2019?").operands
    ] == [
        frozenset({2015}),
        frozenset({2019}),
    ]


def test_a_follow_up_exchanges_the_phrase_of_its_own_preposition() -> None:
    assert make_standalone("and on gas?", "How much is spent on rent?") == "How much is spent on gas?"
    assert (
        make_standalone("and by train?", "How many people came by bus in 2020?")
        == "How many people came by train in 2020?"
    )
