"""Which first rows of a table are headers: merged corners, durations and flagged years, groups of texts, unit rows."""

from __future__ import annotations

from decimal import Decimal

import pytest

from mixrag_cli.records.tables import Table
from tests.evidence_samples import read_sample
from tests.table_samples import lefts, to_table, tops


def unit_of(table: Table, row: int, column: int) -> str:
    return next(cell.unit for cell in table.cells if (cell.row, cell.column) == (row, column))


COVERAGE = [
    ["Vaccine", "2 years", "", "17 years", ""],
    ["", "girls", "boys", "girls", "boys"],
    ["", "percent", "", "", ""],
    ["Measles", "89.7", "89.7", "83.3", "84.6"],
    ["Polio", "91.4", "90.5", "85.6", "85.7"],
]
COVERAGE_TOPS = [("2 years", "girls"), ("2 years", "boys"), ("17 years", "girls"), ("17 years", "boys")]


def test_a_merged_corner_says_how_many_rows_the_header_has() -> None:
    table = to_table(COVERAGE, {(0, 0): (3, 1), (0, 1): (1, 2), (0, 3): (1, 2), (2, 1): (1, 4)})
    assert tops(table) == COVERAGE_TOPS
    assert lefts(table) == [("Measles",), ("Polio",)]
    assert (unit_of(table, 3, 1), table.confidence) == ("%", 1.0)


def test_durations_above_plain_figures_name_columns_without_any_merge() -> None:
    table = to_table(COVERAGE)
    assert tops(table) == COVERAGE_TOPS
    assert unit_of(table, 4, 4) == "%"


def test_a_labelled_row_of_one_measure_below_a_header_is_data() -> None:
    table = to_table(
        [["", "Model A", "Model B"], ["Range", "300 km", "400 km"], ["Seats", "5", "7"], ["Doors", "4", "5"]]
    )
    assert tops(table) == [("Model A",), ("Model B",)]
    assert lefts(table) == [("Range",), ("Seats",), ("Doors",)]
    assert unit_of(table, 1, 1) == "km"


def test_a_merged_corner_without_text_counts_as_one_with() -> None:
    rows = [
        ["", "Within", "", ""],
        ["", "1 km", "2 km", "more than 5 km"],
        ["", "percent", "", ""],
        ["East", "32", "61", "100"],
        ["West", "16", "30", "100"],
    ]
    table = to_table(rows, {(0, 0): (3, 1), (0, 1): (1, 3), (2, 1): (1, 3)})
    assert tops(table) == [("Within", "1 km"), ("Within", "2 km"), ("Within", "more than 5 km")]
    assert lefts(table) == [("East",), ("West",)]


def test_a_year_with_a_flag_is_a_heading() -> None:
    rows = [["Kind", "2014r", "", "2015p", ""], ["", "cases", "sites", "cases", "sites"]]
    body = [["Theft", "163", "36", "138", "33"], ["Fraud", "64", "14", "65", "15"]]
    expected = [("2014r", "cases"), ("2014r", "sites"), ("2015p", "cases"), ("2015p", "sites")]
    assert tops(to_table([*rows, *body])) == expected


def test_labelled_rows_below_a_merged_corner_are_no_headers() -> None:
    rows = [
        ["Offence", "North", "", "All", ""],
        ["", "2009", "2014", "2009", "2014"],
        ["Robbery", "F", "F", "F", "2,141"],
        ["Assault", "3,393", "2,662", "11,885", "11,346"],
        ["Total", "7,236", "3,583", "17,663", "14,961"],
    ]
    table = to_table(rows, {(0, 0): (2, 1), (0, 1): (1, 2), (0, 3): (1, 2)})
    assert tops(table) == [("North", "2009"), ("North", "2014"), ("All", "2009"), ("All", "2014")]
    assert lefts(table) == [("Robbery",), ("Assault",), ("Total",)]


def test_a_label_merged_over_rows_of_figures_is_no_corner() -> None:
    rows = [["North", "a", "5", "1"], ["", "b", "6", "2"], ["South", "a", "7", "3"], ["", "b", "8", "4"]]
    table = to_table(rows, {(0, 0): (2, 1), (2, 0): (2, 1)})
    assert lefts(table) == [("North", "a"), ("North", "b"), ("South", "a"), ("South", "b")]


def test_groups_of_texts_are_told_from_the_names_below_them() -> None:
    rows = [
        ["", "masculine", "", "feminine", ""],
        ["case", "singular", "plural", "singular", "plural"],
        ["nominative", "mahan", "mahantas", "mahati", "mahatyas"],
        ["dative", "mahate", "mahadbhyas", "mahatyai", "mahatibhyas"],
    ]
    groups = {(0, 1): (1, 2), (0, 3): (1, 2)}
    expected = [(gender, number) for gender in ("masculine", "feminine") for number in ("singular", "plural")]
    assert tops(to_table(rows, groups)) == expected
    rows[0][0], rows[1][0] = "case", ""
    assert tops(to_table(rows, {**groups, (0, 0): (2, 1)})) == expected


def test_rows_that_merged_cells_alone_cover_do_not_end_the_header() -> None:
    rows = [
        ["", "Exports", "", "Spending", ""],
        ["", "", "", "", ""],
        ["", "north", "south", "north", "south"],
        ["cut", "82.2", "71.6", "11.4", "0.8"],
        ["rise", "-23.4", "-18.1", "-1.8", "-0.2"],
    ]
    table = to_table(rows, {(0, 1): (2, 2), (0, 3): (2, 2)})
    assert tops(table) == [("Exports", "north"), ("Exports", "south"), ("Spending", "north"), ("Spending", "south")]


def test_units_end_the_path_where_nothing_else_parts_two_columns() -> None:
    rows = [
        ["", "Custody", "", "Change"],
        ["", "number", "percent", "percent"],
        ["East", "161", "10.5", "1"],
        ["West", "510", "8.3", "2"],
    ]
    table = to_table(rows, {(0, 1): (1, 2)})
    assert tops(table) == [("Custody", "number"), ("Custody", "percent"), ("Change",)]
    assert [unit_of(table, 2, column) for column in (1, 2, 3)] == ["", "%", "%"]


def test_a_name_below_a_group_of_the_same_name_is_kept() -> None:
    rows = [["", "Crew", "", "Total", ""], ["", "total", "lost", "Total", "lost"], ["Canada", "1", "0", "2", "1"]]
    table = to_table([*rows, ["Japan", "3", "1", "4", "1"]], {(0, 1): (1, 2), (0, 3): (1, 2)})
    assert tops(table) == [("Crew", "total"), ("Crew", "lost"), ("Total", "Total"), ("Total", "lost")]


def test_money_of_a_year_is_a_unit_and_the_label_beside_it_a_section() -> None:
    rows = [
        ["Region", "Women", "Men"],
        ["", "all", "all"],
        ["By birth", "2016 constant dollars", ""],
        ["Africa", "71", "57"],
        ["Asia", "68", "70"],
        ["By country", "", ""],
        ["Haiti", "75", "66"],
        ["Kenya", "70", "61"],
    ]
    table = to_table(rows, {(0, 0): (2, 1), (2, 1): (1, 2)})
    assert tops(table) == [("Women", "all"), ("Men", "all")]
    assert lefts(table) == [
        ("By birth", "Africa"),
        ("By birth", "Asia"),
        ("By country", "Haiti"),
        ("By country", "Kenya"),
    ]
    assert {cell.unit for cell in table.cells} == {"USD"}
    assert next(cell.value for cell in table.cells) == Decimal(71)


def test_a_year_before_a_sign_of_money_heads_a_column() -> None:
    table = to_table([["", "2016 $", "2015 $"], ["Sales", "5", "4"], ["Rent", "2", "1"]])
    assert tops(table) == [("2016 $",), ("2015 $",)]


def test_the_header_said_again_below_the_rows_is_no_row() -> None:
    head = ["#", "Name", "Type"]
    table = to_table([head, ["1", "rs", "real"], ["2", "rd", "real"], head, ["3", "gm", "flag"], head])
    assert lefts(table) == [("1",), ("2",), ("3",)]


@pytest.mark.parametrize(
    ("key", "numbers"),
    [
        ("stadium_id", ("31", "12", "7")),  # called a key
        ("Issue #", ("31", "12", "7")),
        ("NAICS", ("3112", "3113", "3361")),  # rises beside names
    ],
)
def test_numbers_that_tell_records_apart_name_rows_with_the_names_beside_them(
    key: str, numbers: tuple[str, ...]
) -> None:
    names = ("Wembley", "Azteca", "Maracana")
    rows = [[key, "name", "seats"], *([number, name, "90000"] for number, name in zip(numbers, names, strict=True))]
    assert lefts(to_table(rows)) == [*zip(numbers, names, strict=True)]


def test_the_names_beside_a_key_name_rows_where_all_else_is_text() -> None:
    zips = [["11", "Riverdale", "10463,10471"], ["12", "Northeast Bronx", "10466,10469"], ["13", "Fordham", "10453"]]
    assert lefts(to_table([["area_id", "area", "zip codes"], *zips])) == [(number, name) for number, name, _ in zips]


def test_figures_beside_names_are_no_keys() -> None:
    table = to_table(
        [["price", "dish", "calories"], ["12", "Soup", "300"], ["9", "Salad", "180"], ["15", "Pie", "700"]]
    )
    assert lefts(table) == [("row 1",), ("row 2",), ("row 3",)]


def test_a_first_column_that_says_nothing_leaves_the_names_to_the_next() -> None:
    rows = [["No.", "Place", "Player", "Games"], ["none", "back", "Ames", "9"], ["none", "wing", "Bell", "1"]]
    table = to_table([*rows, ["none", "wing", "Cole", "6"]])
    assert lefts(table) == [("back", "Ames"), ("wing", "Bell"), ("wing", "Cole")]
    assert ("Games",) in tops(table)


def test_an_unlabelled_row_of_texts_parts_the_groups_above_it() -> None:
    rows = [["Model", "Display", "", "Released"], ["none", "type", "size", "none"], ["One", "e-ink", "small", "in May"]]
    table = to_table([*rows, ["Two", "e-ink", "large", "in June"]], {(0, 1): (1, 2)})
    assert tops(table)[:2] == [("Display", "type"), ("Display", "size")]
    assert lefts(table) == [("One",), ("Two",)]


def test_a_row_below_marked_headers_is_data_whatever_its_texts() -> None:
    html = (
        "<table><thead><tr><th>Item</th><th>Upper limit</th></tr></thead><tbody>"
        "<tr><td>size</td><td>unlimited</td></tr><tr><td>columns</td><td>1,600</td></tr><tr><td>keys</td><td>32</td></tr></tbody></table>"
    )
    (table,) = read_sample({"limits.html": html}).tables.values()
    assert tops(table) == [("Item",), ("Upper limit",)]
    assert len(table.rows) == 3


def test_no_row_heads_what_stands_below_a_thing_and_what_is_said_of_it() -> None:
    said = "which set of limits is used, for people who keep several of them in one place"
    rows = [["name", said], ["ttl", f"how long it lasts, {said}"], ["limit", "the most"], ["block", f"whether, {said}"]]
    table = to_table(rows)
    assert lefts(table) == [("name",), ("ttl",), ("limit",), ("block",)]
    assert tops(table) == [("column 2",)]


def test_a_column_of_years_has_no_unit_but_one_of_ages_does() -> None:
    rows = [["planet", "year", "years"], ["b", "2006", "4"], ["c", "2008", "12"], ["d", "2011", "7"]]
    table = to_table(rows)
    assert (unit_of(table, 1, 1), unit_of(table, 1, 2)) == ("", "years")


def test_codes_with_leading_zeros_above_plain_numbers_are_data() -> None:
    rows = [["place", "code", "people"], ["Agawam", "01001", "few"], ["Amherst", "01002", "many"]]
    rows += [[f"town {n}", str(10_000 + n), "some"] for n in range(12)]
    assert tops(to_table(rows))[0] == ("code",)
    headed = to_table([["", "0101", "0102"], ["Rent", "12", "30"], ["Heat", "5", "7"]])
    assert tops(headed) == [("0101",), ("0102",)]


def test_a_row_that_numbers_all_columns_below_a_merged_corner_is_neither_data_nor_a_name() -> None:
    rows = [["District", "Person", ""], ["", "Total", "Rural"], ["1", "2", "3"], ["East", "87.1", "86.3"]]
    table = to_table([*rows, ["West", "88.8", "88.6"]], {(0, 0): (2, 1), (0, 1): (1, 2)})
    assert tops(table) == [("Person", "Total"), ("Person", "Rural")]
    assert lefts(table) == [("East",), ("West",)]


def test_ranges_above_ranges_are_data() -> None:
    rows = [["Price", "This week", "Last week"], ["Iowa", "1.35 - 1.42", "1.38 - 1.43"]]
    rows += [["Ohio", "1.38 - 1.48", "1.40 - 1.49"], ["Straw", "55.71", "54.29"], ["Stalks", "41.25", "39.38"]]
    table = to_table([*rows, ["Stover", "41.00", "39.00"]])
    assert tops(table) == [("This week",), ("Last week",)]
    assert lefts(table)[:2] == [("Iowa",), ("Ohio",)]


def test_ranges_above_counts_are_headings() -> None:
    table = to_table([["Age", "15 - 24", "25 - 44"], ["Women", "7000", "12000"], ["Men", "9000", "10000"]])
    assert tops(table) == [("15 - 24",), ("25 - 44",)]


def test_ranges_above_ranges_above_counts_are_headings_of_two_levels() -> None:
    rows = [
        ["", "0 - 6", "", "7 - 10", ""],
        ["Level", "15 - 24", "25 - 44", "15 - 24", "25 - 44"],
        ["Diploma", "9000", "8000", "11000", "47000"],
        ["Certificate", "30000", "31000", "19000", "21900"],
        ["None", "12000", "21000", "37000", "50000"],
    ]
    expected = [("0 - 6", "15 - 24"), ("0 - 6", "25 - 44"), ("7 - 10", "15 - 24"), ("7 - 10", "25 - 44")]
    assert tops(to_table(rows, {(0, 1): (1, 2), (0, 3): (1, 2)})) == expected


def test_formulas_that_failed_above_the_headings_name_no_column() -> None:
    rows = [
        ["#NAME?", "#NAME?", "#NAME?"],
        ["Tree", "Height", "Girth"],
        ["Oak", "21", "3.1"],
        ["Elm", "19", "2.4"],
        ["Ash", "17", "1.9"],
    ]
    table = to_table(rows)
    assert (tops(table), lefts(table)) == ([("Height",), ("Girth",)], [("Oak",), ("Elm",), ("Ash",)])


def test_numbers_above_texts_are_names_where_a_text_stands_above_numbers() -> None:
    rows = [
        ["id", "name", "1", "0"],
        ["1", "Pass", "it reached a player of the team", "it reached nobody"],
        ["2", "Tackle", "the ball was won", "the ball went on"],
        ["3", "Save", "the ball was held", "the ball was parried"],
    ]
    assert [path[-1] for path in tops(to_table(rows))] == ["id", "name", "1", "0"]
    data = [
        ["Ann", "12", "oak", "x"],
        ["Ben", "some", "elm", "y"],
        ["Cy", "few", "ash", "z"],
        ["Di", "none", "fir", "w"],
    ]
    assert not any("12" in path for path in tops(to_table(data)))


def test_a_first_row_of_quantities_like_those_below_names_no_column() -> None:
    rows = [["LevelDB", "4,030 ops/sec"], ["Kyoto TreeDB", "1,010 ops/sec"], ["SQLite3", "383 ops/sec"]]
    assert lefts(to_table(rows)) == [("LevelDB",), ("Kyoto TreeDB",), ("SQLite3",)]
    assert tops(to_table([["Store", "Speed"], *rows])) == [("Speed",)]
    assert tops(to_table([["Store", "10 threads"], *rows])) == [("10 threads",)]


def test_circled_digits_number_no_columns_and_are_read_as_texts() -> None:
    rows = [["①", "②", "③", "Total"], ["SWPA", "3012", "S", "5"], ["SWPB", "4020", "N", "7"]]
    assert lefts(to_table(rows)) == [("SWPA",), ("SWPB",)]


def test_a_heading_that_explains_is_as_long_as_a_sentence_and_leaves_the_first_record_alone() -> None:
    heading = "Implemented in the part of the functional specification of this ID"
    rows = [
        ["ID", "Requirement", "Kind", "Need", heading],
        ["R1", "Stays off during launch", "NF", "MUST", ""],
        ["R2", "Sends by the protocol", "F", "MUST", "S8, S9"],
        ["R3", "Can be restarted", "F", "COULD", "S11"],
    ]
    table = to_table(rows)
    assert tops(table) == [("Requirement",), ("Kind",), ("Need",), (heading,)]
    assert lefts(table) == [("R1",), ("R2",), ("R3",)]


PLATE = [["row", "1", "2", "3", "4"], ["A", ".035", ".052", ".044", ".082"], ["B", ".036", ".171", ".038", ".056"]]
WELLS = [["row", "1", "2", "3", "4"], ["A", "std0", "std1", "eff7", ""], ["B", "std2", "std3", "am7", ""]]


def test_a_plate_numbers_its_columns_beside_the_letters_of_its_rows() -> None:
    table = to_table(PLATE)
    assert (tops(table), lefts(table)) == ([("1",), ("2",), ("3",), ("4",)], [("A",), ("B",)])
    behind = to_table([[*row, text] for row, text in zip(PLATE, ("Meas", "AB540", "AB540"), strict=True)])
    assert (tops(behind)[-1], lefts(behind)) == (("Meas",), [("A",), ("B",)])
    cornerless = to_table([["", *PLATE[0][1:]], *PLATE[1:]])
    assert (tops(cornerless), lefts(cornerless)) == (tops(table), lefts(table))


def test_a_plate_of_names_has_its_letters_alone_as_labels() -> None:
    table = to_table(WELLS)
    assert lefts(table) == [("A",), ("B",)]
    assert tops(table)[:3] == [("1",), ("2",), ("3",)]


def test_days_of_one_month_among_dates_are_a_row_and_no_heading() -> None:
    rows = [["Date", "Event", "Owner"], ["Oct 17–18, 2025", "Expo", "Greg"], ["Nov 9, 2025", "Promo ends", "Ann"]]
    table = to_table([*rows, ["Jan 15, 2026", "Winter push", "Greg"]])
    assert lefts(table) == [("Oct 17–18, 2025",), ("Nov 9, 2025",), ("Jan 15, 2026",)]
    assert tops(table) == [("Event",), ("Owner",)]


WEIGHTS = [
    ["", "Cost based", "", "", "Cost based", ""],
    ["BNF", "1.6", "", "BNF", "1.6", ""],
    ["Area:", "Laxatives", "", "Area:", "Laxatives", ""],
    ["Age", "Male", "Female", "Age", "Male", "Female"],
    ["0-4", "1.05", "1.11", "0-4", "0.40", "0.53"],
    ["5-14", "0.57", "0.58", "5-14", "0.37", "0.34"],
    ["75+", "2.40", "3.25", "75+", "2.35", "3.11"],
]


def test_a_number_that_a_name_says_above_the_headings_ends_no_header() -> None:
    table = to_table(WEIGHTS, {(0, 1): (1, 2), (0, 4): (1, 2)})
    assert [path[-1] for path in tops(table)] == ["Male", "Female", "Age", "Male", "Female"]
    assert [[cell.text for cell in table.cells if cell.row == row.index][:2] for row in table.rows] == [
        ["1.05", "1.11"],
        ["0.57", "0.58"],
        ["2.40", "3.25"],
    ]
    numbered = to_table(
        [row if at != 1 else ["BNF", "1.6.1", "", "BNF", "1.6.1", ""] for at, row in enumerate(WEIGHTS)]
    )
    assert len(numbered.rows) == len(table.rows)


def test_a_blank_corner_ends_above_the_row_that_names_every_column() -> None:
    rows = [
        ["", "", "", "", "Current", "", "Projected", ""],
        ["", "", "", "", "Phase 1", "", "Phase 1", ""],
        ["Country", "Province", "District", "Source", "#", "%", "#", "%"],
        ["Narnia", "", "Archenland", "Survey", "155,349", "15%", "141,818", "25%"],
        ["Narnia", "", "Calormen", "Survey", "54,001", "10%", "81,001", "15%"],
        ["Narnia", "", "Ettinsmoor", "Survey", "39,484", "5%", "90,838", "35%"],
        ["Narnia", "", "Telmar", "Survey", "29,461", "10%", "73,652", "25%"],
    ]
    spans = {(0, 0): (2, 4), (0, 4): (1, 2), (0, 6): (1, 2), (1, 4): (1, 2), (1, 6): (1, 2)}
    table = to_table(rows, spans)
    assert tops(table)[-4:] == [
        ("Current", "Phase 1", "#"),
        ("Current", "Phase 1", "%"),
        ("Projected", "Phase 1", "#"),
        ("Projected", "Phase 1", "%"),
    ]
    # a named column in which nothing stands names no row, and the columns behind it still may
    assert lefts(table)[3] == ("Narnia", "Telmar")


DONORS = ["1012", "913", "914", "953", "921", "916", "915", "801"]


def test_codes_above_figures_with_decimals_name_columns() -> None:
    figures = ["106.33", "", "0.154", "13.04", "1.36", "", "84.2", "5.8"]
    rows = [["donor_code", *DONORS], ["Albania", *figures], ["Algeria", *reversed(figures)], ["Angola", *figures]]
    assert tops(to_table(rows)) == [(code,) for code in DONORS]
    whole = [["sold", *DONORS], *([name, *DONORS[::-1]] for name in ("lent", "lost", "kept"))]
    assert tops(to_table(whole))[0] == ("column 2",)


def test_a_heading_with_nothing_below_it_heads_no_named_column_on_its_left() -> None:
    rows = [
        ["", "", "", "", "function", "option"],
        ["command", "FT-450", "FT-891", "FT-991", "", ""],
        ["AG", "1", "0", "1", "level", "targetable"],
        ["AN", "0", "1", "1", "antenna", "targetable"],
    ]
    assert tops(to_table(rows)) == [("FT-450",), ("FT-891",), ("FT-991",), ("function",), ("option",)]


def test_the_first_line_of_a_wrapped_heading_heads_no_columns_on_its_left() -> None:
    rows = [
        ["", "", "", "", "Weighted", "Cost of"],
        ["Units", "Fixed", "Spot", "Volume", "Avg. Price", "Gas Burn"],
        ["Grande 8", "1", "0", "31", "2.09", "65"],
        ["Grande 7", "1", "0", "28", "2.09", "59"],
    ]
    last = [("Weighted", "Avg. Price"), ("Cost of", "Gas Burn")]
    assert tops(to_table(rows)) == [("Fixed",), ("Spot",), ("Volume",), *last]


def test_a_crossed_table_says_what_its_headings_are_about() -> None:
    rows = [
        ["", "", "Age", "Child", "", "Adult", ""],
        ["", "", "Survived", "No", "Yes", "No", "Yes"],
        ["Class", "Sex", "", "", "", "", ""],
        ["1st", "Male", "", "0", "5", "118", "57"],
        ["", "Female", "", "0", "1", "4", "140"],
        ["2nd", "Male", "", "0", "11", "154", "14"],
        ["", "Female", "", "0", "13", "13", "80"],
    ]
    table = to_table(rows)
    assert tops(table) == [
        (f"Age: {age}", f"Survived: {survived}") for age in ("Child", "Adult") for survived in ("No", "Yes")
    ]
    assert lefts(table) == [(grade, sex) for grade in ("1st", "2nd") for sex in ("Male", "Female")]


def test_a_further_line_of_one_heading_says_nothing_of_the_others() -> None:
    rows = [
        ["", "Total", "Governor", "", "Court", ""],
        ["", "", "", "", "8-year term", ""],
        ["County", "", "Moore", "Lane", "Yes", "No"],
        ["Albany", "14", "5", "9", "8", "6"],
        ["Crook", "20", "12", "8", "13", "7"],
    ]
    assert tops(to_table(rows)) == [
        ("Total",),
        ("Governor", "Moore"),
        ("Governor", "Lane"),
        ("Court", "8-year term", "Yes"),
        ("Court", "8-year term", "No"),
    ]


def test_codes_of_as_many_digits_up_to_a_total_name_columns() -> None:
    codes = [str(22401 + 7 * number) for number in range(8)]
    rows = [["Candidate", *codes, "Total"]]
    rows += [[name, *(str(12 * row + n) for n in range(8)), str(96 * row + 28)] for row, name in enumerate("ABC", 1)]
    assert tops(to_table(rows)) == [*((code,) for code in codes), ("Total",)]


def test_titles_beside_a_picture_head_no_columns() -> None:
    years = [str(2001 + number) for number in range(6)]
    rows = [["", "", "", title] for title in ("Report on students", "A university", "First year")]
    rows += [["", *years], *([name, *(f"{n}{digit}.5" for digit in range(1, 7))] for n, name in enumerate("ABC", 4))]
    table = to_table(rows, {(row, 3): (1, 4) for row in range(3)})
    assert tops(table) == [(year,) for year in years]
    assert table.title == "Report on students: A university: First year"


def test_a_heading_over_the_labels_of_groups_and_of_their_rows_names_both() -> None:
    rows = [["Measure", "", "2014", "2015"], ["Official", "", "24,008", "24,036"], ["Supplemental", "", "", ""]]
    table = to_table([*rows, ["", "Owners", "21,380", "21,806"], ["", "Renters", "25,460", "25,583"]], {(0, 0): (1, 2)})
    assert lefts(table) == [("Official",), ("Supplemental", "Owners"), ("Supplemental", "Renters")]
    assert tops(table) == [("2014",), ("2015",)]


def test_a_column_of_a_few_remarks_leaves_the_names_to_the_next() -> None:
    rows = [["", "", "Output", "", "Baseload", ""], ["", "Region", "CO2", "CH4", "CO2", "CH4"], ["", "", *["lb"] * 4]]
    names = ["Alaska", "Hawaii", "Oahu", "Puerto Rico", "Texas", "Florida"]
    body = [["New" if name == "Puerto Rico" else "", name, *(str(100 + n) for n in range(4))] for name in names]
    table = to_table([*rows, *body], {(0, 2): (1, 2), (0, 4): (1, 2)})
    assert lefts(table) == [("New", name) if name == "Puerto Rico" else (name,) for name in names]
    assert tops(table)[0][:2] == ("Output", "CO2")


def test_groups_that_no_cell_spans_head_their_columns_beside_one_that_is_merged_down() -> None:
    rows = [["", "General", "", "Special", "", "", "All"], ["", "large", "small", "mind", "rehab", "other", ""]]
    table = to_table(
        [*rows, ["Beds", "18", "6", "7", "3", "4", "38"], ["Staff", "92", "23", "14", "6", "10", "145"]],
        {(0, 6): (2, 1)},
    )
    assert tops(table) == [
        ("General", "large"),
        ("General", "small"),
        *(("Special", name) for name in ("mind", "rehab", "other")),
        ("All",),
    ]


def test_what_stands_above_a_text_across_all_columns_heads_none() -> None:
    rows = [
        ["Row headings in column A", *[""] * 5],
        ["People in poverty", *[""] * 5],
        ["(Numbers in thousands)", *[""] * 5],
    ]
    rows += [["Group", "2014", "", "2015", "", "Change"], ["", "Total", "Poor", "Total", "Poor", ""]]
    body = [[name, "315", "46", "318", "43", "-3"] for name in ("All", "Men", "Women")]
    spans = {(0, 0): (1, 3), (1, 0): (1, 2), (2, 0): (1, 6), (3, 1): (1, 2), (3, 3): (1, 2), (3, 5): (2, 1)}
    table = to_table([*rows, *body], spans)
    assert tops(table)[:2] == [("2014", "Total"), ("2014", "Poor")]
    assert table.title.startswith("Row headings in column A")


def test_a_heading_over_two_columns_is_no_group_above_a_row_of_figures() -> None:
    merged = {(0, 0): (2, 1), (0, 1): (2, 2), (0, 3): (2, 1), (0, 4): (1, 2)}
    rows = [
        ["ICD Nos.", "Cause of death", "", "All ages", "Age group", ""],
        ["", "", "", "", "0-14", "15-64"],
        ["", "ALL CAUSES", "P", "14462", "150", "14312"],
        ["C67", "Neoplasm of bladder", "M", "62", "0", "62"],
        ["C67", "Neoplasm of bladder", "F", "25", "1", "24"],
    ]
    assert tops(to_table(rows, merged))[-2:] == [("Age group", "0-14"), ("Age group", "15-64")]
