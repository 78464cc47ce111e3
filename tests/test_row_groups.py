"""What heads the rows of a table, and what merely lacks its values."""

from __future__ import annotations

import io
from typing import Any

from mixrag_cli.readers.sheets.delimited import read_delimited
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from tests.test_sheets import fill_rows, make_book, read


def table_of(rows: list[list[Any]], merges: tuple[str, ...] = ()) -> Table:
    def fill(book: Any) -> None:
        fill_rows(rows)(book)
        for merge in merges:
            book.active.merge_cells(merge)

    table = grid_to_table(read(make_book(fill)).grids[0], document="d", title="t")
    assert table is not None
    return table


def paths(table: Table) -> list[tuple[str, ...]]:
    return [row.path for row in table.rows]


def test_a_row_named_under_a_merged_name_that_lacks_its_figure_heads_nothing() -> None:
    rows = [
        ["Organ", "Goal", "Priority"],
        ["Mandible", "Dmax < 70 Gy", None],
        [None, "V70 Gy < 1 cc", None],
        ["Brainstem", "Dmax < 54 Gy", 1],
        [None, "V54 Gy < 1%", 1],
        ["Eye", "Dmax < 50 Gy", 3],
    ]
    found = paths(table_of(rows, ("A2:A3", "A4:A5")))
    goals = [("Mandible", rows[1][1]), ("Mandible", rows[2][1]), ("Brainstem", rows[3][1]), ("Brainstem", rows[4][1])]
    assert found == [*goals, ("Eye", "Dmax < 50 Gy")]


def test_rows_of_a_name_alone_right_below_each_other_nest_not_among_texts() -> None:
    rows = [
        ["Week", "Topic", "Reading"],
        *(["Opening", "Welcome", "Guide"], ["Visit", None, None], ["Retreat", None, None], ["Holiday", None, None]),
        *(["Closing", "Farewell", "Report"], ["Review", "Results", "Minutes"]),
    ]
    assert paths(table_of(rows)) == [(row[0],) for row in rows[1:]]


SHIFTS = [["9-10", "Ann", "Bo", "Hall"], ["10-11", "Cem", "Dee", "Barn"]]


def table_of_csv(rows: list[list[str]]) -> Table:
    raw = "\n".join(",".join(row) for row in rows).encode()
    document = read_delimited(ReadSource("roles.csv", len(raw), io.BytesIO(raw)))
    table = grid_to_table(document.grids[0], document="d", title="t")
    assert table is not None
    return table


def test_a_header_said_anew_with_another_name_begins_a_block() -> None:
    blocks = [[[name, "Topic", "Helper", room], *SHIFTS] for name, room in (("Oak", "Room"), ("Fir", "Raum"))]
    table = table_of_csv([row for block in blocks for row in block])
    assert paths(table) == [(name, shift[0]) for name in ("Oak", "Fir") for shift in SHIFTS]
    assert [column.path for column in table.columns[-3:]] == [("Topic",), ("Helper",), ("Room",)]


def test_a_header_that_shares_few_texts_with_a_record_begins_none() -> None:
    rows = [["Oak", "Topic", "Helper", "Room"], *SHIFTS, ["Fir", "Topic", "Ann", "Hall"], *SHIFTS]
    assert paths(table_of_csv(rows))[2] == ("Oak", "Fir")


def test_records_that_are_like_the_first_begin_no_blocks() -> None:
    votes = [[name, "Yes", "No", "Yes", "Abstain"] for name in ("Basel", "Dresden", "Graz", "Metz")]
    lessons = [["Talk", "Mon", "9 am", "Hall"], ["Panel", "Mon", "1 pm", "Hall"], ["Lab", "Tue", "9 am", "Barn"]]
    assert all(len(path) == 1 for rows in (votes, lessons) for path in paths(table_of_csv(rows)))


def test_one_text_over_several_columns_heads_the_rows_below() -> None:
    days = [[f"Week {n}", "", "", f"Week {n}", ""] for n in (1, 2)]
    lessons = [["9:00-10:00", "Oak", "", "9:00-10:00", "Fir"], ["1:00-1:55", "Ash", "", "1:00-1:55", "Elm"]]
    head = ["Session 1", "Class", "", "Session 2", "Class"]
    table = table_of_csv([head, days[0], *lessons, days[1], *lessons])
    assert paths(table) == [(day[0], lesson[0]) for day in days for lesson in lessons]
    classes = [("Session 1", "Class"), ("Session 2",), ("Session 2", "Class")]
    assert [column.path for column in table.columns[-3:]] == classes


def test_days_that_are_merged_over_all_columns_head_their_hours() -> None:
    hours = [["9:00 - 9:15", "Recap", "All"], ["9:15 - 10:00", "Practice", "Ann"]]
    days = ["Monday 28th October 2024", "Tuesday 29th October 2024"]
    rows = [[days[0]], ["Time", "What", "Who"], *hours, [days[1]], *hours]
    assert paths(table_of(rows, ("A1:C1", "A5:C5"))) == [(day, hour[0]) for day in days for hour in hours]


def test_names_that_are_merged_over_as_many_rows_each_are_no_header() -> None:
    checks = ["CT Sim", "Leakage Test", "Room Survey"]
    rows = [[quarter if n == 0 else None, check] for quarter in ("1st", "2nd") for n, check in enumerate(checks)]
    table = table_of(rows, ("A1:A3", "A4:A6"))
    assert paths(table) == [(quarter,) for quarter in ("1st", "2nd") for _ in checks]
    assert [cell.text for cell in table.cells] == checks * 2


def test_the_first_row_is_the_header_of_lists_beside_a_jotting() -> None:
    ideas = [[None, f"Craft {n}", f"Game {n}", f"Trip {n}", None] for n in "abcdefghijkl"]
    ideas[0][4], ideas[6][0] = "Bold: new this year", "Asked for by many"
    table = table_of([[None, "Early years", "Young years", "Teen years", None], *ideas])
    assert [column.path for column in table.columns[:3]] == [("Early years",), ("Young years",), ("Teen years",)]
    assert table.cells[0].text == "Craft a"


def test_sizes_that_rise_below_groups_name_the_columns() -> None:
    rows = [
        [None, "Water", None, None, "Bolus", None, None],
        ["Energy", "0 cm", "0.5 cm", "1 cm", 3, 4, 5],
        *(["4 MeV", 1.35, 1.68, 1.64, None, None, None], ["6 MeV", 1.42, 1.4, 1.79, None, None, None]),
    ]
    table = table_of(rows, ("B1:D1", "E1:G1"))
    sizes = [("Water", "0 cm"), ("Water", "0.5 cm"), ("Water", "1 cm"), ("Bolus", "3"), ("Bolus", "4"), ("Bolus", "5")]
    assert [column.path for column in table.columns] == sizes
    assert paths(table) == [("4 MeV",), ("6 MeV",)]


def test_a_name_below_a_blank_line_heads_the_rows_of_its_part() -> None:
    rows = [
        *(["Crew", "Spring", "Autumn"], ["MAIN FLOOR", "", ""], ["Kitchen", "Ann", "Bo"], ["Hall", "Cem", "Dee"]),
        *(["", "", ""], ["OUTSIDE", "", ""], ["Garage", "Eva", "Fay"], ["", "", ""], ["Floater", "Gus", "Hal"]),
        *(["", "", ""], ["FH = Fellowship Hall", "", ""], ["Not for special events", "", ""]),
    ]
    found = paths(table_of_csv(rows))
    parts = [("MAIN FLOOR", "Kitchen"), ("MAIN FLOOR", "Hall"), ("OUTSIDE", "Garage")]
    assert found == [*parts, ("Floater",), ("FH = Fellowship Hall",), ("Not for special events",)]


def test_a_row_that_says_the_kind_of_the_answers_is_no_record() -> None:
    questions = ["Change bylaw 4?", "Change bylaw 5?", "Change bylaw 12?", "Change section 3?"]
    votes = [[1016 + n, f"2018-08-0{n + 1}", *(["Yes", "No", "Yes", "No"][n:] + ["Yes"] * n)] for n in range(4)]
    table = table_of([["Respondent ID", "Date", *questions], [None, None, *["Response"] * 4], *votes])
    assert [column.path for column in table.columns[-4:]] == [(question,) for question in questions]
    assert paths(table) == [(str(vote[0]), vote[1]) for vote in votes]
