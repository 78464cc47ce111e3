"""Questions over the records of a large csv: indexed, found, and computed over every row of the file itself."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from mixrag_cli.recap.in_rows.conditions import find_conditions
from mixrag_cli.recap.in_rows.tallies import match_columns, tally_of
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.settings import Settings
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session, open_session
from mixrag_cli.tables.record_columns import columns_of
from mixrag_cli.tables.scan import Filter
from mixrag_cli.tables.tally import are_shared, extreme_text
from tests.evidence_samples import structure_of, understood

N_ROWS = 8_100  # just above a power of two times 500, where the sample that is embedded is the smallest
COUNTRIES = ("Spain", "France", "United Kingdom", "Norway")
HEADS = "order_id,customer,country,express,ordered,quantity,unit_price,freight"


def write_orders(path: Path) -> list[tuple[str, ...]]:
    draw = random.Random(3)
    rows = [
        (
            *(f"O{number:06d}", f"customer {draw.randint(1, 4_000)}", draw.choice(COUNTRIES)),
            *(
                draw.choice(("Yes", "No")),
                f"20{draw.randint(19, 22)}-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}",
            ),
            *(
                str(draw.randint(1, 40)),
                f"{draw.randint(100, 9_999) / 100:.2f}",
                f"{draw.randint(100, 10**7) / 100:.2f}",
            ),
        )
        for number in range(N_ROWS)
    ]
    path.write_text("\n".join([HEADS, *(",".join(row) for row in rows)]) + "\n", "utf-8")
    return rows


@pytest.fixture(scope="module")
def orders(model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Session, list[tuple[str, ...]], Path]:
    folder = tmp_path_factory.mktemp("orders")
    rows = write_orders(folder / "orders.csv")
    build_index([folder], Settings(calibration="off"), events=Silent())  # a fit would take as long as all the rest
    return open_session(folder, Settings()), rows, folder / "orders.csv"


def column(rows: Sequence[Sequence[str]], name: str) -> list[Decimal]:
    return [Decimal(row[HEADS.split(",").index(name)]) for row in rows]


def where(rows: list[tuple[str, ...]], name: str, *texts: str) -> list[tuple[str, ...]]:
    return [row for row in rows if row[HEADS.split(",").index(name)] in texts]


@pytest.mark.slow
def test_sums_means_and_counts_are_over_all_rows_or_those_that_are_asked_for(orders) -> None:
    session, rows, _ = orders
    spain, express = where(rows, "country", "Spain"), where(rows, "express", "Yes")
    heavy = [row for row in rows if Decimal(row[5]) > 30]
    in_2021 = [row for row in rows if row[4].startswith("2021")]
    expected = {
        "What is the total quantity?": sum(column(rows, "quantity")),
        "What is the average unit price?": sum(column(rows, "unit_price")) / N_ROWS,
        "How many orders from Spain?": len(spain),
        "How many orders came from Spain or Norway?": len(where(rows, "country", "Spain", "Norway")),
        "What is the average unit price where country is Spain?": sum(column(spain, "unit_price")) / len(spain),
        "What is the average freight of express orders?": sum(column(express, "freight")) / len(express),
        "What is the average freight of non-express orders?": (
            sum(column(rows, "freight")) - sum(column(express, "freight"))
        )
        / (N_ROWS - len(express)),
        "How many orders have a quantity above 30?": len(heavy),
        "What is the total freight of orders with a quantity above 30?": sum(column(heavy, "freight")),
        "What was the total quantity in 2021?": sum(column(in_2021, "quantity")),
        "What is the unit price of order O000123?": Decimal(rows[123][6]),
    }
    for question, value in expected.items():
        answer = structure_of(session, question)
        assert answer.value is not None
        assert abs(answer.value - Decimal(value)) < Decimal("0.005"), question


def test_an_extreme_names_its_row_and_line(orders) -> None:
    session, rows, _ = orders
    best = sorted(rows, key=lambda row: Decimal(row[7]), reverse=True)
    answer = structure_of(session, "maximum freight")
    assert answer.value == Decimal(best[0][7])
    line = rows.index(best[0]) + 2
    assert answer.evidence[0].locator is not None
    assert answer.evidence[0].locator.lines == (line, line)
    assert answer.evidence[0].quote == best[0][7]
    norway = max(where(rows, "country", "Norway"), key=lambda row: Decimal(row[7]))
    answer = structure_of(session, "Which order has the highest freight in Norway?")
    assert (answer.text, answer.evidence[0].value) == (norway[0], Decimal(norway[7]))


def test_the_answer_says_which_rows_it_rests_on(orders) -> None:
    session, rows, _ = orders
    answer = structure_of(session, "What is the average unit price where country is Spain?")
    n_rows = len(where(rows, "country", "Spain"))
    assert answer.evidence[0].label == f"unit_price (average of {n_rows:,} rows where country = Spain)"
    assert answer.sources[0].hit.path == "orders.csv"


@pytest.mark.parametrize(
    "question",
    [
        "How many orders came from Atlantis?",
        "What was the total quantity in 2017?",
        "What is the average quantity of smokers?",
        "What is the unit price of order O777777?",
    ],
)
def test_rows_that_are_not_there_have_no_answer(orders, question: str) -> None:
    assert orders[0].ask(question, Scope()).status != "answered"


def test_a_file_that_changed_since_it_was_indexed_is_not_counted(orders) -> None:
    session, rows, path = orders
    known = path.stat()
    try:
        os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns + 10**9))
        answer = session.ask("How many orders from Spain?", Scope())
        assert answer.status != "answered"
        assert any("orders.csv: has changed since it was indexed" in warning for warning in answer.warnings)
        whole = structure_of(session, "What is the total quantity?")  # known from the index itself
        assert whole.value == sum(column(rows, "quantity"))
    finally:
        os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))


@pytest.mark.parametrize("number", [3_333, 5_001, 7_998])
def test_one_row_beyond_the_sample_is_read_as_the_table_s_own(orders, number: int) -> None:
    session, rows, _ = orders
    row = rows[number]
    _, base, _ = prepare(session, f"What was the freight of order {row[0]}?", Scope(), Clock())
    (table,) = (table for table in base.tables.values() if table.title == "orders")
    found = next(header for header in table.rows if row[0] in header.path)
    cells = {cell.column: cell for cell in table.cells if cell.row == found.index}
    assert [cells[place].text for place in range(len(row))] == list(row)
    assert {cell.line for cell in cells.values()} == {number + 2}
    assert cells[7].value == Decimal(row[7])
    lines = [cell.line for cell in table.cells]
    assert lines == sorted(lines)


@pytest.fixture(scope="module")
def stations(model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("stations")
    lines = (Path(__file__).parent / "samples" / "northmere" / "pumping-stations.csv").read_text("utf-8").splitlines()
    (folder / "pumping-stations.csv").write_text("\n".join(lines[:32]) + "\n", "utf-8")
    build_index([folder], Settings(calibration="off"), events=Silent())
    return open_session(folder, Settings())


def test_a_year_in_a_column_s_heading_is_the_year_that_is_asked_for(stations: Session) -> None:
    answer = structure_of(stations, "Which station used the most energy in 2025?")
    assert (answer.text, answer.evidence[0].quote) == ("PS-015", "477038")
    assert "PS-015" not in structure_of(stations, "Which station used the most energy in 2024?").text


@pytest.mark.parametrize(
    ("question", "text", "rests_on"),
    [
        ("Which type is the most common in Eastmere?", "booster", "type (count of 5 rows where"),
        ("Which district used the most energy?", "Eastmere", "energy_kwh_2025 (sum of 8 rows where"),
        ("Which type of station used the least energy in Eastmere?", "intake", "energy_kwh_2025 (sum of 3 rows where"),
        ("Which district has the most stations?", "", ""),  # three have eight
    ],
)
def test_rows_that_share_a_name_are_taken_together(stations: Session, question: str, text: str, rests_on: str) -> None:
    answer = structure_of(stations, question)
    if not text:
        assert answer.kind != "column"
        return
    assert (answer.text, answer.value) == (text, None)
    assert answer.evidence[0].label.startswith(rests_on)


# --- what is asked, and of which rows -------------------------------------------------------------------------------


def small_table() -> Table:
    heads = ("name", "smoker", "class", "year", "age")
    lines = (
        ("Ann Lee", "no", "1", "1999", "31"),
        ("Bo Ray", "yes", "2", "2001", "54"),
        ("Cy Oak", "yes", "2", "1999", "8"),
        ("Di Elm", "no", "3", "2000", "40"),
    )
    return table_of(heads, lines)


def table_of(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> Table:
    cells = [
        Cell(r, c, text, Decimal(text) if text.isdigit() else None, line=r + 1)
        for r, line in enumerate(lines, start=1)
        for c, text in enumerate(line)
    ]
    rows = tuple(Header(r, tuple(line[:2])) for r, line in enumerate(lines, start=1))
    columns = tuple(Header(c, (head,)) for c, head in enumerate(heads))
    return Table("t", "passengers", columns, rows, tuple(cells), Locator((0, 0)))


def test_names_are_shared_by_the_rows_that_count() -> None:
    table = small_table()
    _, smoker, _, year, age = columns_of(table)
    assert are_shared(table, smoker, ())
    assert not are_shared(table, smoker, (Filter(year.index, "=", "2001"),))
    assert extreme_text(table, smoker, age, "maximum", ()) == ("no", "sum")
    assert extreme_text(table, smoker, age, "minimum", ()) == ("yes", "sum")
    assert extreme_text(table, smoker, smoker, "maximum", ()) is None


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ("average age of smokers", {"smoker = yes"}),
        ("average age of non-smokers", {"smoker = no"}),
        ("average age where smoker is no", {"smoker = no"}),
        ("average age in class 2", {"class = 2"}),
        ("average age of 2 people", set()),
        ("average age in 1999", {"year = 1999"}),
        ("average age in 1999 and 2001", {"year = 1999 or 2001"}),
        ("average age from 1999 to 2001", {"year = 1999 or 2000 or 2001"}),
        ("who of those with an age of at least 30 smokes", {"age >= 30"}),
        ("how many have an age between 10 and 40", {"age >= 10", "age <= 40"}),
        ("what is the age of bo ray", {"name = Bo Ray"}),
        ("the average age", set()),
    ],
)
def test_conditions_are_read_from_the_columns_own_words(question: str, labels: set[str]) -> None:
    assert {each.label for each in find_conditions(question, small_table())} == labels


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ("how many towns had a jobless rate above 5 in 2019", {"2019 Jobless Rate > 5"}),
        ("how many towns had a 2018 jobless rate above 5", {"2018 Jobless Rate > 5"}),
        ("how many towns had a jobless rate above 5", set()),
    ],
)
def test_a_limit_is_of_the_column_whose_year_is_said_anywhere(question: str, labels: set[str]) -> None:
    table = table_of(("Town", "Shire", "2018 Jobless Rate", "2019 Jobless Rate"), [("Ely", "A", "6", "4")] * 3)
    assert {each.label for each in find_conditions(question, table)} == labels


@pytest.mark.parametrize(
    ("question", "tally"),
    [
        ("What is the total quantity?", "sum"),
        ("How many orders from Spain?", "count"),
        ("Why were orders late?", None),
    ],
)
def test_what_is_to_be_tallied(question: str, tally: str | None) -> None:
    assert tally_of(understood(question)) == tally


# --- records without a label -----------------------------------------------------------------------------------------


def test_records_whose_first_columns_are_numbers_are_filtered_by_their_texts(tmp_path: Path) -> None:
    """Of each firm so many years, and no column that tells the rows apart: a long form as statistics packages have."""
    firms = {"Northern Mills": 100, "Southern Mills": 300}
    rows = [
        f"{base + year - 1990}.5,{year % 7},{firm},{year}" for firm, base in firms.items() for year in range(1990, 2010)
    ]
    (tmp_path / "panel.csv").write_text("\n".join(["invest,staff,firm,year", *rows]) + "\n", "utf-8")
    build_index([tmp_path], Settings(), events=Silent())
    session = open_session(tmp_path, Settings())
    answer = structure_of(session, "What was the average invest of Southern Mills?")
    assert answer.value == Decimal("310"), answer.text
    assert "firm = Southern Mills" in answer.evidence[0].label
    other = session.ask("What was the average invest of Western Mills?", Scope())
    assert other.status != "answered", other.text


STATEMENT = """date,payee,memo,amount
2024-01-03,Lidl store 4711,groceries,-23.40
2024-01-05,Aral station,fuel,-62.00
2024-01-09,Rewe,groceries,-41.10
2024-02-03,Lidl store 12,groceries,-18.60
2024-02-20,Acme Ltd,salary,2450.00
"""


def test_a_name_stands_for_the_values_that_begin_with_it_and_the_only_amount_is_summed(tmp_path: Path) -> None:
    (tmp_path / "statement.csv").write_text(STATEMENT, "utf-8")
    build_index([tmp_path], Settings(), events=Silent())
    session = open_session(tmp_path, Settings())
    spent = structure_of(session, "What did I spend at Lidl in total?")
    assert spent.value == Decimal(-42)
    assert spent.evidence[0].label.endswith("(sum of 2 rows where payee = Lidl store 4711 or Lidl store 12)")
    fuel = structure_of(session, "Total spent on groceries in January 2024")
    assert fuel.value == Decimal("-64.5")


def test_a_blank_column_that_is_asked_for_is_not_answered_from_another(tmp_path: Path) -> None:
    rows = "".join(f"{energy} MeV,1.{n},,2.{n}\n" for n, energy in enumerate((6, 9, 12, 15), start=5))
    (tmp_path / "beam.csv").write_text(f"energy,output 0 cm,output 0.75 cm,output 1 cm\n{rows}", "utf-8")
    build_index([tmp_path], Settings(), events=Silent())
    session = open_session(tmp_path, Settings())
    for question, found in (("output 1 cm of 12 MeV", [Decimal("2.7")]), ("output 0.75 cm of 12 MeV", [])):
        restated, base, _ = prepare(session, question, Scope(), Clock())
        assert [match.value for match in match_columns(restated, base)] == found


# --- which column is meant -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lots(model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """Lots of three growers, and projects with figures by year."""
    folder = tmp_path_factory.mktemp("lots")
    heads = "lot,grower,altitude code,cupper points,total cup points"
    growers = ("Ankole", "Birch Farm", "Cedar Hill")
    rows = [f"lot {n},{growers[n % 3]},{320 + n % 3},{7 + n / 10:.1f},{80 + n / 2:.1f}" for n in range(12)]
    (folder / "lots.csv").write_text("\n".join((heads, *rows)) + "\n", "utf-8")
    places = ("Roxbury", "Mattapan")
    projects = [f"hall {n},{places[n % 2]},{1_000 + n},{2_000 + n}" for n in range(9)]
    (folder / "projects.csv").write_text(
        "\n".join(("project,neighbourhood,capital year 0,capital year 1", *projects)) + "\n", "utf-8"
    )
    museums = ("Harbour Museum,900,1100,700", "Mill Museum,800,650,1250", "Rail Museum,400,420,430")
    (folder / "museum-visitors.csv").write_text("\n".join(("museum,2020/21,2021/22,2022/23", *museums)) + "\n", "utf-8")
    build_index([folder], Settings(calibration="off"), events=Silent())
    return open_session(folder, Settings())


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which museum had the most visitors in 2021/22?", "Harbour Museum"),
        ("Which museum had the most visitors in 2022-23?", "Mill Museum"),
        ("By how many did the visitors of the Mill Museum rise from 2021/22 to 2022/23?", "600"),
        ("How many fewer visitors did the Mill Museum have in 2021/22 than in 2020/21?", "150"),
    ],
)
def test_columns_of_split_years_are_told_apart(lots: Session, question: str, said: str) -> None:
    assert structure_of(lots, question).text == said


@pytest.mark.parametrize(
    ("question", "value", "label"),
    [
        ("What is the average of the total points of the Ankole lots?", "82.25", "total cup points"),
        ("How many capital projects are located in Roxbury?", "5", "5 rows"),
    ],
)
def test_the_column_is_the_one_of_which_most_is_said(lots: Session, question: str, value: str, label: str) -> None:
    """Of two that say "points" the one that says "total", too; "capital" is a third of a heading and names none."""
    answer = structure_of(lots, question)
    assert (answer.value, label in answer.evidence[0].label) == (Decimal(value), True), answer


def test_what_a_condition_says_is_no_answer(lots: Session) -> None:
    restated, base, _ = prepare(lots, "What is the altitude code 321 of Birch Farm?", Scope(), Clock())
    assert all(match.column.leaf != "altitude code" for match in match_columns(restated, base))


def test_a_word_that_the_file_is_called_by_names_no_column(model_cache: Path, tmp_path: Path) -> None:
    """ "tips" says which file is meant, and is the heading of a column, too."""
    rows = [f"{10 + n / 2:.2f},{1 + n / 10:.2f},{1 + n % 4}" for n in range(20)]
    (tmp_path / "tips.csv").write_text("\n".join(("total_bill,tip,size", *rows)) + "\n", "utf-8")
    (tmp_path / "notes.md").write_text("# Notes\n\nThe total of the bill was paid. Each total bill is kept.\n", "utf-8")
    build_index([tmp_path], Settings(calibration="off"), events=Silent())
    session = open_session(tmp_path, Settings())
    assert structure_of(session, "What is the average total bill in the tips data?").value == Decimal("14.75")
    assert structure_of(session, "What is the average tip in the tips data?").value == Decimal("1.95")


def test_periods_of_two_reports_are_compared(model_cache: Path, tmp_path: Path) -> None:
    """The tables of the other report are read though those of the first are nearer to the question."""
    kinds = ("region", "product", "channel", "season", "workshop")
    for name, day, total in (("first", "March 31, 2024", 412), ("third", "September 30, 2024", 515)):
        tables = [
            f"## Net sales by {kind}\n\n| | {day} |\n|---|---|\n| Chairs | {total - 100 - n} |\n"
            f"| Other {kind} | {100 + n} |\n| Total net sales | {total} |\n"
            for n, kind in enumerate(kinds)
        ]
        (tmp_path / f"{name}.md").write_text("\n".join((f"# Fernhill, quarter ended {day}", *tables)), "utf-8")
    build_index([tmp_path], Settings(calibration="off"), events=Silent())
    asked = (
        "By how much did net sales differ between the quarter ended March 31, 2024 and that ended September 30, 2024?"
    )
    found = structure_of(open_session(tmp_path, Settings()), asked)
    assert (found.kind, found.value) == ("computed", Decimal(103))
