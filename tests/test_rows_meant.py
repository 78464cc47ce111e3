"""Sums that no word asks for, running totals, and which of a table's rows and columns a question means."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from mixrag_cli.recap.in_rows.conditions import find_conditions
from mixrag_cli.recap.in_rows.tallies import match_columns
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.settings import Settings
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session, open_session
from mixrag_cli.tables.amounts import only_amounts, running_totals
from mixrag_cli.tables.record_columns import columns_of, date_form_of, name_of, records_of
from tests.evidence_samples import understood


def table_of(heads: Sequence[str], rows: Sequence[Sequence[str]], units: Sequence[str] = ()) -> Table:
    columns = tuple(Header(n, (head,)) for n, head in enumerate(heads))
    cells = tuple(
        Cell(r, c, text, _number(text), units[c] if units else "")
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
        if text
    )
    named = tuple(Header(r, (row[0],)) for r, row in enumerate(rows))
    return Table("t", "", columns, named, cells, Locator((0, 1)), total_rows=len(rows))


def _number(text: str) -> Decimal | None:
    plain = text.removeprefix("-").replace(".", "", 1)
    return Decimal(text) if plain.isdigit() else None


LEDGER = [
    ("Rent", "1204", "-900", "4100"),
    ("Fees", "1208", "250", "4350"),
    ("Prizes", "1310", "-75.50", "4274.50"),
    ("Fees", "1208", "125", "4399.50"),
    ("Hall", "1204", "-40", "4359.50"),
]
LEDGER_HEADS = ("Item", "Account", "Amount", "Total")


@pytest.mark.parametrize("rows", [LEDGER, LEDGER[::-1]], ids=["oldest first", "newest first"])
def test_a_balance_is_a_running_total(rows: list[tuple[str, ...]]) -> None:
    assert running_totals(table_of(LEDGER_HEADS, rows)) == {3}


def test_a_balance_of_two_columns_is_a_running_total_and_a_row_s_own_total_is_none() -> None:
    moves = [("", "900", "4100"), ("250", "", "4350"), ("", "75", "4275"), ("125", "", "4400"), ("", "40", "4360")]
    bank = table_of(("Item", "In", "Out", "Balance"), [(f"item {n}", *move) for n, move in enumerate(moves)])
    assert running_totals(bank) == {3}
    parts = table_of(
        ("Town", "Men", "Women", "Total"), [("A", "1", "2", "3"), ("B", "5", "1", "6"), ("C", "2", "2", "4")]
    )
    assert running_totals(parts) == frozenset()


def test_beside_numbers_of_accounts_the_column_with_a_unit_is_the_amount() -> None:
    ledger = table_of(LEDGER_HEADS, LEDGER, ("", "", "EUR", "EUR"))
    amount = only_amounts(ledger)
    assert amount is not None and amount.header.leaf == "Amount"
    assert only_amounts(table_of(("Item", "Men", "Women"), [("A", "4", "9"), ("B", "7", "5"), ("C", "3", "3")])) is None


def test_months_with_a_time_of_day_have_one_form() -> None:
    assert (form := date_form_of([f"{month:02d}/01/2022 12:00:00 AM" for month in (3, 2, 1)])) and form.order == "mdy"
    assert (form := date_form_of(["01/03/2022", "01/04/2022", "01/05/2022"])) and form.order == "dmy"
    assert date_form_of(["01/03/2022", "01/03/2022", "02/03/2022"]) is None


def test_all_seasons_from_one_to_another_are_meant() -> None:
    heads = ("Country", "2012/13", "2013/14", "2014/15", "2015/16", "2016/17")
    crops = table_of(heads, [("Uruguay", "1", "2", "3", "4", "5"), ("Chile", "6", "7", "8", "9", "10")])
    question = "mean 2013/14 to 2015/16 of Uruguay"
    by_season = [*records_of(crops, question, True)][-1]
    assert [row.leaf for row in by_season.rows] == ["2013/14", "2014/15", "2015/16"]


PRISONS = table_of(
    ("State", "city", "open_hearing", "notes"),
    [("Maine", "Washington", "Yes", "a"), ("Ohio", "Lima", "No", "b"), ("Utah", "Ogden", "UCC", "c")],
)


@pytest.mark.parametrize(
    ("question", "names", "labels"),
    [
        ("in how many states are hearings open", (), {"open_hearing = Yes"}),
        ("how many were counted in Washington", ("washington",), {"city = Washington"}),
        ("how many does the Washington Post count", ("washington", "post"), set()),
        ("how many are there in Boston and Lima", ("boston", "lima"), set()),
        ("how many are there in Lima and Ogden", ("lima", "ogden"), {"city = Lima or Ogden"}),
    ],
)
def test_a_value_in_a_longer_name_is_no_condition(question: str, names: tuple[str, ...], labels: set[str]) -> None:
    assert {each.label for each in find_conditions(question, PRISONS, names)} == labels


def test_what_the_question_says_itself_is_no_name_of_a_row() -> None:
    rows = [("Air Source", "Vitocal", "3.2"), ("Air Source", "Aquarea", "2.9"), ("Ground Source", "Nibe", "3.9")]
    pumps = table_of(("Source", "Model", "SPF"), rows)
    path = Header(0, rows[0][:2])
    asked = ("which", "air", "sourc", "pump", "ha", "highest", "spf")
    assert name_of(path, pumps, asked, columns_of(pumps)[2].header) == "Vitocal"
    choice = ("which", "sourc", "last", "longer", "air", "sourc", "or", "ground", "sourc")
    assert name_of(Header(2, rows[2][:2]), pumps, choice, columns_of(pumps)[2].header) == "Ground Source"


@pytest.mark.parametrize(
    ("question", "operation"),
    [
        ("In which month was Brent cheapest?", "minimum"),
        ("In which region is the daily charge dearest?", "maximum"),
        ("Which stations have a capacity of more than 200?", "lookup"),
        ("Minimum number of career positions on a crew", "lookup"),
    ],
)
def test_an_extreme_is_what_the_reader_takes_for_one(question: str, operation: str) -> None:
    assert understood(question).operation == operation


FILINGS = """date,kind,Baltimore City,Cecil County
01/01/2022,notice,10,4
02/01/2022,notice,12,3
02/01/2022,warning,90,33
03/01/2022,notice,11,5
01/01/2023,notice,70,9
"""


@pytest.fixture(scope="module")
def filings(model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("filings")
    (folder / "filings.csv").write_text(FILINGS, "utf-8")
    build_index([folder], Settings(), events=Silent())
    return open_session(folder, Settings())


def test_a_sum_that_no_word_asks_for_is_over_the_column_of_the_rows_that_are_meant(filings: Session) -> None:
    question = "Baltimore City notice filings of 2022 added up"
    restated, base, _ = prepare(filings, question, Scope(), Clock())
    found = {(match.operation, match.value) for match in match_columns(restated, base)}
    assert ("sum", Decimal(33)) in found
