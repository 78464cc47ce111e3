"""Rows of a day or a month, however the file writes its dates and the question says them."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest

from mixrag_cli.quantities.facets import dated_otherwise, facets_of, times_meant
from mixrag_cli.settings import Settings
from mixrag_cli.stories.answering import answer_question, prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session, open_session
from mixrag_cli.tables.record_columns import DateForm, date_form_of

N_DAYS = 400
FIRST = datetime.date(2012, 1, 1)
WAYS = {"iso": "%Y-%m-%d", "british": "%d/%m/%Y", "american": "%m/%d/%Y", "german": "%d.%m.%Y"}
WAYS |= {"short": "%m/%d/%y", "named": "%d-%b-%y"}


def opened_at(day: int) -> str:
    return f"{100 + day * 0.5:.2f}"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """Daily prices, the same ones in four files that write dates in different ways."""
    folder = tmp_path_factory.mktemp("days")
    days = [FIRST + datetime.timedelta(number) for number in range(N_DAYS)]
    for name, way in WAYS.items():
        rows = "".join(f"{day:{way}},{opened_at(n)},{1000 + 7 * n}\n" for n, day in enumerate(days))
        (folder / f"{name}.csv").write_text(f"Date,Open,Volume\n{rows}", "utf-8")
    build_index([folder], Settings(), events=Silent())
    return open_session(folder / ".mixrag", Settings(), asks=True)


@pytest.mark.parametrize("name", WAYS)
def test_a_value_of_a_day_is_stated_from_its_row(session: Session, name: str) -> None:
    """The fifth of June is not the sixth of May, in whichever order the digits stand."""
    answer = answer_question(session, "What was the open on 5 June 2012?", Scope(paths=(f"{name}.csv",)))
    assert answer.status == "answered" and answer.text == opened_at(156)
    assert answer.sources[0].locator.lines == (158, 158)


@pytest.mark.parametrize("name", WAYS)
def test_a_month_is_summed_up_over_its_rows(session: Session, name: str) -> None:
    restated, base, _ = prepare(session, "total volume in March 2012", Scope(paths=(f"{name}.csv",)), Clock())
    rows = [hit.chunk.text for hit in base.hits if hit.chunk.row is not None]
    assert restated.whole.facets.dates == {(2012, 3, 0)} and rows
    answer = answer_question(session, "What was the total volume in March 2012?", Scope(paths=(f"{name}.csv",)))
    total = sum(1000 + 7 * n for n in range(60, 91))
    assert f"{total:,}" in {answer.text, *(each.text for each in answer.candidates)}


def test_rows_of_other_days_are_not_read(session: Session) -> None:
    _, base, _ = prepare(session, "What was the volume on June 5, 2012?", Scope(paths=("iso.csv",)), Clock())
    rows = [hit.chunk.text for hit in base.hits if hit.chunk.row is not None]
    assert rows and all("2012-06-05" in text for text in rows)


def test_how_a_column_writes_its_dates() -> None:
    assert date_form_of(["2012-06-05", "2012-06-06 12:00"]) == DateForm("ymd", "-")
    assert date_form_of(["2012-06", "2012-07"]) == DateForm("ym", "-")
    assert date_form_of(["5/6/2012", "13/6/2012"]) == DateForm("dmy", "/")
    assert date_form_of(["6/5/2012", "6/13/2012"]) == DateForm("mdy", "/")
    assert date_form_of(["5.6.2012"]) == DateForm("dmy", ".")
    assert date_form_of(["5/6/2012", "6/7/2012"]) is None  # nothing tells the day from the month
    assert date_form_of(["2012-06-05", "later"]) is None and date_form_of([]) is None
    assert DateForm("ym", "-").pattern([(2012, 6, 5)]) == ""
    assert date_form_of(["7/10/15", "7/15/15"]) == DateForm("mdy", "/", year_digits=2)
    assert date_form_of(["Mar 2019", "April 2019"]) == DateForm("my", " ", True)
    assert date_form_of(["Mar-19", "Apr-19"]) == DateForm("my", "-", True, 2) and date_form_of(["Mar 24", "8"]) is None
    assert re.match(DateForm("my", "-", True, 2).pattern([(2019, 3, 0)]), "Mar-19", re.I)
    assert date_form_of(["8-Jun-12", "27-May-2011"]) is None
    assert date_form_of(["8 Jun 2012", "27 May 2011"]) == DateForm("dmy", " ", True)
    assert date_form_of(["1.2.13", "2.0.14"]) is None and date_form_of(["1 234", "2 345"]) is None  # versions, amounts


def test_years_of_two_digits() -> None:
    form = DateForm("dmy", "/", year_digits=2)
    assert re.match(form.pattern([(2016, 0, 0)]), "7/10/16") and re.match(form.pattern([(1969, 0, 0)]), "7/10/69")
    assert not re.match(form.pattern([(1916, 0, 0)]), "7/10/16")


@pytest.mark.parametrize("text", ["11_Mar_24", "11-Mar-24", "11.mar.2024", "notes of 11-March-24"])
def test_a_day_of_three_parts(text: str) -> None:
    assert facets_of(text).dates == {(2024, 3, 11)} and facets_of(text).years == {2024}


@pytest.mark.parametrize("text", ["45-Mar-24", "a11_Mar_24b", "11_Mar-24x"])
def test_what_is_no_day_of_three_parts(text: str) -> None:
    assert (2024, 3, 11) not in facets_of(text).dates and not any(all(date) for date in facets_of(text).dates)


def test_headers_that_are_days(tmp_path: Path) -> None:
    """The lists of who was there have a column a meeting."""
    rows = ["attendees,08_Jan_24,12_Feb_24,11_Mar_24", "Chi Zhang,7,6,4", "Lyn Taylor,3,2,9", "Lily Smith,5,8,1"]
    (tmp_path / "members.csv").write_text("\n".join(rows), "utf-8")
    build_index([tmp_path], Settings(), events=Silent())
    with_members = open_session(tmp_path / ".mixrag", Settings(), asks=True)
    answer = answer_question(with_members, "What is the number of Chi Zhang on 11 March 2024?", Scope())
    assert answer.text == "4" or answer.candidates[0].text == "4"


def test_a_stretch_of_days_or_months_is_all_of_it(session: Session) -> None:
    for asked, days in (
        ("from March to May 2012", range(60, 152)),
        ("between 5 June 2012 and 7 June 2012", range(156, 159)),
    ):
        question, total = f"total volume {asked}", sum(1000 + 7 * n for n in days)
        answer = answer_question(session, question, Scope(paths=("british.csv",)))
        assert f"{total:,}" in {answer.text, *(each.text for each in answer.candidates)}


def test_times_that_a_text_means() -> None:
    assert times_meant("from 30 December 2011 to 1 January 2012") == [(2011, 12, 30), (2011, 12, 31), (2012, 1, 1)]
    assert times_meant("from November 2011 to January 2012") == [(2011, 11, 0), (2011, 12, 0), (2012, 1, 0)]
    assert times_meant("sales in 2012") == [(2012, 0, 0)] and times_meant("sales on June 5, 2012") == [(2012, 6, 5)]
    assert times_meant("from 30 February 2012 to 1 March 2012") == []  # no calendar has it
    assert times_meant("from 1 March 1912 to 1 March 2012") == []  # too many days
    assert times_meant("in 2011 and 2013") == times_meant("sales") == []


@pytest.mark.parametrize("text", ["on 2012-13-45", "on 2012-00-05", "on 2012-06-32", "on 13/13/2012"])
def test_what_no_calendar_has_is_no_date(text: str) -> None:
    assert facets_of(text).dates == frozenset() and dated_otherwise(text) == ""
    assert times_meant(text) == [(2012, 0, 0)]


def test_an_amount_before_a_month_is_no_year() -> None:
    assert facets_of("2016 May").dates == {(2016, 5, 0)}
    assert times_meant("what was paid, $2012 June?") == [] and dated_otherwise("what was paid, $2012 June?") == ""


def test_dates_as_files_write_them() -> None:
    assert dated_otherwise("sales on 5 June 2012") == "sales 2012-06-05 5/6/2012 June"
    assert dated_otherwise("sales in June 2012") == "sales 2012-06 June"
    assert dated_otherwise("sales in 2012") == dated_otherwise("sales in June") == ""
