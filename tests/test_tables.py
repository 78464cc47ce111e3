"""From grids to tables: header paths, sections, units, totals, texts."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixrag_cli.recap.asked_operands import operand_of
from mixrag_cli.recap.in_tables.scorer import Side
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.tables.text import row_text, row_texts, table_text, unit_text
from mixrag_cli.tables.top_paths import spread_over_blanks
from tests.table_samples import lefts, to_grid, to_table, tops

MILLION = 10**6


def value_of(table: Table, row: int, column: int) -> tuple[Decimal | None, str, int]:
    cell = next(cell for cell in table.cells if (cell.row, cell.column) == (row, column))
    return cell.value, cell.unit, cell.scale


SURVEY = [
    ["", "Region 1", "", "Region 3", ""],
    ["", "French", "English", "French", "English"],
    ["", "percent", "", "", ""],
    ["Sex", "", "", "", ""],
    ["Female", "35.3", "28.0", "41.8", "30.6"],
    ["Male", "64.7", "72.0", "58.2", "69.4"],
    ["Marital status", "", "", "", ""],
    ["Single", "18.7", "24.8", "26.9", "26.1"],
]
SURVEY_SPANS = {(0, 0): (3, 1), (0, 1): (1, 2), (0, 3): (1, 2), (2, 1): (1, 4)}


def test_merged_headers_a_unit_row_and_sections() -> None:
    table = to_table(SURVEY, SURVEY_SPANS)
    assert tops(table) == [
        ("Region 1", "French"),
        ("Region 1", "English"),
        ("Region 3", "French"),
        ("Region 3", "English"),
    ]
    assert lefts(table) == [("Sex", "Female"), ("Sex", "Male"), ("Marital status", "Single")]
    assert table.unit == "percent"
    assert value_of(table, 4, 1) == (Decimal("35.3"), "%", 1)
    assert row_text(table, 4).startswith("Sex > Female: Region 1 > French 35.3 %; Region 1 > English 28.0 %")
    assert row_texts(table) == {row.index: row_text(table, row.index) for row in table.rows}
    assert table.confidence == 1.0


def test_a_title_row_across_the_table_is_its_title() -> None:
    rows = [["Table 4: Education of workers", "", "", "", ""], *SURVEY]
    spans = {(r + 1, c): span for (r, c), span in SURVEY_SPANS.items()} | {(0, 0): (1, 5)}
    table = to_table(rows, spans)
    assert table.title == "Table 4: Education of workers"
    assert tops(table)[0] == ("Region 1", "French")


def test_a_heading_without_span_is_spread_over_the_years_below() -> None:
    table = to_table(
        [
            ["", "", "Years Ended September 30,", ""],
            ["", "2019", "2018", "2017"],
            ["Fixed Price", "$  1,452.4", "$  1,146.2", "$  1,036.9"],
            ["Other", "44.1", "56.7", "(70.8)"],
            ["Total sales", "$1,496.5", "$1,202.9", "$1,107.7"],
        ]
    )
    assert tops(table) == [("Years Ended September 30,", year) for year in ("2019", "2018", "2017")]
    assert lefts(table) == [("Fixed Price",), ("Other",), ("Total sales",)]
    assert [row.is_total for row in table.rows] == [False, False, True]
    assert value_of(table, 2, 1) == (Decimal("1452.4"), "USD", 1)
    assert value_of(table, 3, 3) == (Decimal("-70.8"), "USD", 1)  # only the first and last row carry the sign


@pytest.mark.parametrize(
    ("filled", "lower", "expected"),
    [
        ([0, 1, 0], ["year"] * 3, [1, 1, 1]),
        ([1, 0, 1, 0], ["text"] * 4, [0, 0, 2, 2]),
        ([0, 1, 0, 1], ["year", "year", "text", "text"], [1, 1, 3, 3]),
        ([0, 1, 0, 1], ["date"] * 4, [1, 1, 1, 3]),
        ([0, 1], ["number", "text"], [None, 1]),
        ([1, 1, 1, 0], ["text"] * 4, [0, 1, 2, None]),
    ],
)
def test_spreading_headings(filled: list[int], lower: list[str], expected: list[int | None]) -> None:
    assert spread_over_blanks([bool(place) for place in filled], lower) == expected


def test_a_name_said_again_begins_the_next_group() -> None:
    assert spread_over_blanks([False, True, False, True], ["text"] * 4, ["land", "cash"] * 2) == [1, 1, 3, 3]
    rows = [["", "", "2024", "", "", "2023"], ["", "Land", "Cash", "", "Land", "Cash"]]
    table = to_table([*rows, ["North", "1", "2", "", "3", "4"], ["South", "5", "6", "", "7", "8"]])
    assert tops(table) == [("2024", "Land"), ("2024", "Cash"), ("2023", "Land"), ("2023", "Cash")]


def test_a_date_broken_over_two_header_lines_is_joined() -> None:
    table = to_table(
        [
            ["", "September 29,", "July 7,"],
            ["", "2019", "2019"],
            ["High", "$91.30", "$87.84"],
            ["Low", "$70.77", "$75.80"],
        ]
    )
    assert tops(table) == [("September 29, 2019",), ("July 7, 2019",)]


def test_indented_rows_stand_under_the_less_indented() -> None:
    table = to_table(
        [
            ["(in millions)", "2023", "2022"],
            ["Net sales:", "", ""],
            ["Products", "60,584", "63,355"],
            ["Services", "21,213", "19,604"],
            ["Total net sales", "81,797", "82,959"],
            ["Operating income", "22,998", "23,076"],
        ],
        indents={2: 1, 3: 1, 4: 2},
    )
    assert lefts(table) == [
        ("Net sales", "Products"),
        ("Net sales", "Services"),
        ("Net sales", "Total net sales"),
        ("Operating income",),
    ]
    assert table.scale == MILLION
    assert value_of(table, 4, 1) == (Decimal(81797), "", MILLION)


def test_sections_without_indent_close_at_their_total() -> None:
    table = to_table(
        [
            ["", "2019", "2018"],
            ["Revenue:", "", ""],
            ["License", "3,181", "3,042"],
            ["Subscription", "1,877", "1,303"],
            ["Total revenue", "5,058", "4,345"],
            ["Net income", "1,102", "990"],
        ]
    )
    assert lefts(table)[-2:] == [("Revenue", "Total revenue"), ("Net income",)]


def test_a_total_closes_the_section_that_it_names() -> None:
    table = to_table(
        [
            ["", "2023", "2022"],
            ["ASSETS:", "", ""],
            ["Current assets:", "", ""],
            ["Cash", "28", "23"],
            ["Inventories", "7", "5"],
            ["Total current assets", "35", "28"],
            ["Goodwill", "4", "4"],
            ["Total assets", "39", "32"],
            ["Shares issued", "15", "16"],
        ],
        indents={3: 1, 4: 1, 5: 2, 7: 2},
    )
    assert lefts(table) == [
        ("ASSETS", "Current assets", "Cash"),
        ("ASSETS", "Current assets", "Inventories"),
        ("ASSETS", "Current assets", "Total current assets"),
        ("ASSETS", "Goodwill"),
        ("ASSETS", "Total assets"),
        ("Shares issued",),
    ]


def test_a_lone_deeper_row_is_no_part_of_the_row_above() -> None:
    rows = [["", "2023"], ["Operating:", ""], ["Income", "5"], ["Other", "1"], ["Cash generated", "6"], ["Next", "9"]]
    table = to_table(rows, indents={2: 1, 3: 1, 4: 2})
    assert lefts(table)[2:] == [("Operating", "Cash generated"), ("Next",)]


def test_a_total_above_deeper_rows_heads_them() -> None:
    rows = [
        ("Residents", "14"),
        ("    Total Flats", "9"),
        ("        3-room", "4"),
        ("        4-room", "5"),
        ("    Houses", "5"),
        ("Total Men", "7"),
        ("    0 to 4 years", "3"),
        ("    5 to 9 years", "4"),
        ("Total Women", "7"),
        ("    0 to 4 years", "5"),
        ("    5 to 9 years", "2"),
    ]
    table = to_table([["Dwelling", "2019"], *map(list, rows)])
    assert lefts(table) == [
        ("Residents",),
        ("Residents", "Total Flats"),
        ("Residents", "Total Flats", "3-room"),
        ("Residents", "Total Flats", "4-room"),
        ("Residents", "Houses"),
        ("Total Men",),
        ("Total Men", "0 to 4 years"),
        ("Total Men", "5 to 9 years"),
        ("Total Women",),
        ("Total Women", "0 to 4 years"),
        ("Total Women", "5 to 9 years"),
    ]
    assert [row.is_total for row in table.rows] == [text.strip().startswith("Total") for text, _ in rows]


def test_a_total_below_its_parts_heads_no_deeper_row() -> None:
    rows = [["Revenue:", ""], ["License", "3"], ["Support", "1"], ["Total revenue", "4"], ["Wages", "1"], ["Net", "3"]]
    table = to_table([["", "2023"], *rows], indents={2: 1, 3: 1, 5: 1})
    assert ("Total revenue", "Wages") not in lefts(table)


def test_a_row_heads_those_that_stand_again_below_another() -> None:
    rows = ["Women", "Owners", "Tenants", "Men", "Owners", "Tenants"]
    table = to_table([["Worker", "2020", "2021"], *([row, str(9 - n), str(8 + n)] for n, row in enumerate(rows))])
    assert lefts(table)[:3] == [("Women",), ("Women", "Owners"), ("Women", "Tenants")]
    assert lefts(table)[3:] == [("Men",), ("Men", "Owners"), ("Men", "Tenants")]


def test_rows_that_stand_again_among_others_have_no_head() -> None:
    rows = ["Sales", "Other", "Costs", "Wages", "Other"]
    table = to_table([["Item", "2020", "2021"], *([row, str(9 - n), str(8 + n)] for n, row in enumerate(rows))])
    assert lefts(table) == [(row,) for row in rows]


def test_an_unlabelled_sum_belongs_to_its_section() -> None:
    table = to_table([["", "2019"], ["Assets:", ""], ["Europe", "7"], ["Korea", "2"], ["", "9"]])
    assert (table.rows[-1].path, table.rows[-1].is_total) == (("Assets",), True)


def test_a_column_of_percentages_next_to_amounts_takes_their_heading() -> None:
    table = to_table(
        [["", "2019", "", "2018", ""], ["License", "$275", "99%", "$282", "98%"], ["Cloud", "67", "51%", "45", "55%"]]
    )
    assert tops(table) == [("2019",), ("2019", "%"), ("2018",), ("2018", "%")]
    assert value_of(table, 2, 2) == (Decimal(51), "%", 1)


def test_a_header_in_the_body_ends_the_table_unless_it_repeats_the_first() -> None:
    head, rows = ["", "July 7,", "April 14,"], [["High", "91", "87"], ["Low", "70", "75"]]
    repeated = to_table([head, *rows, head, *rows])
    assert len(repeated.rows) == 4
    other = to_table([head, *rows, ["", "July 8,", "April 15,"], *rows])
    assert len(other.rows) == 2
    blocks = to_table([["", "First", "Second"], *rows, ["", "Fiscal 2018", ""], *rows])
    assert lefts(blocks)[2:] == [("Fiscal 2018", "High"), ("Fiscal 2018", "Low")]


def test_a_section_right_above_a_header_that_repeats_the_first_heads_what_follows() -> None:
    head, rows = ["", "Ward 1", "Ward 2"], [["Yes", "91", "87"], ["No", "70", "75"]]
    table = to_table([head, ["Parks", "", ""], *rows, ["Schools", "", ""], head, *rows, head, *rows])
    assert lefts(table)[1:5] == [("Parks", "No"), ("Schools", "Yes"), ("Schools", "No"), ("Yes",)]


def test_a_section_in_a_section() -> None:
    table = to_table(
        [
            ["", "2015", "2004"],
            ["Adults", "", ""],
            ["Food", "", ""],
            ["Mean", "1.5", "1.6"],
            ["Drinks", "", ""],
            ["Mean", "2.5", "2.6"],
            ["Children", "", ""],
            ["Food", "", ""],
            ["Mean", "3.5", "3.6"],
        ]
    )
    assert lefts(table) == [("Adults", "Food", "Mean"), ("Adults", "Drinks", "Mean"), ("Children", "Food", "Mean")]


def test_units_by_column_by_row_and_by_unit_rows_within_the_body() -> None:
    table = to_table(
        [
            ["", "Farms", "", "Change"],
            ["", "2011", "2016", ""],
            ["", "acres", "", "percent"],
            ["Garlic", "1,315", "2,251", "71.2"],
            ["Gross margin percentage", "44.5", "43.1", "1.0"],
        ],
        {(0, 1): (1, 2), (2, 1): (1, 2), (0, 3): (2, 1)},
    )
    assert value_of(table, 3, 2) == (Decimal(2251), "acres", 1)
    assert value_of(table, 3, 3) == (Decimal("71.2"), "%", 1)
    body = to_table(
        [
            ["Drink", "2004", "2015"],
            ["Quantity", "", ""],
            ["", "grams", ""],
            ["Water", "90", "80"],
            ["", "%", ""],
            ["Milk", "5", "6"],
        ],
        {(2, 1): (1, 2), (4, 1): (1, 2)},
    )
    assert value_of(body, 3, 1) == (Decimal(90), "grams", 1)
    assert value_of(body, 5, 1) == (Decimal(5), "%", 1)


def test_a_caption_in_millions_spares_percentages_and_per_share_rows() -> None:
    table = to_table(
        [
            ["", "2023", "2022"],
            ["Net sales", "$81,797", "$82,959"],
            ["Gross margin percentage", "44.5%", "43.3%"],
            ["Earnings per share: basic", "$1.27", "$1.20"],
            ["Shares used in computing: basic", "15,697,614", "16,162,945"],
        ],
        caption="Operations (In millions, except number of shares, which are reflected in thousands, and "
        "per-share amounts)",
    )
    assert value_of(table, 1, 1) == (Decimal(81797), "USD", MILLION)
    assert value_of(table, 2, 1) == (Decimal("44.5"), "%", 1)
    assert value_of(table, 3, 1) == (Decimal("1.27"), "USD", 1)
    assert value_of(table, 4, 1)[2] == 1000
    assert unit_text(table) == "USD, in millions"


BRACKETS = [
    ["Gross", "Tax liability", "", "Levy", ""],
    ["income", "Existing", "Proposed", "Existing", "Proposed"],
    ["€", "€", "€", "€", "€"],
    ["17,500", "0", "0", "435.84", "0"],
    ["25,000 (b)", "242", "0", "499.20", "0"],
    ["30,000", "1,250", "720", "600", "600"],
    ["40,000", "3,250", "2,720", "800", "800"],
]


def test_numbers_that_rise_name_the_rows_and_bear_the_name_of_their_column() -> None:
    table = to_table(BRACKETS, {(0, 1): (1, 2), (0, 3): (1, 2)})
    names = [("Gross income", text) for text in ("17,500", "25,000 (b)", "30,000", "40,000")]
    assert lefts(table) == names
    assert tops(table)[1] == ("Tax liability", "Proposed")
    assert value_of(table, 5, 2) == (Decimal(720), "EUR", 1)


def test_numbers_that_fall_and_rise_stay_figures() -> None:
    rows = [*BRACKETS[:3], *BRACKETS[:2:-1], BRACKETS[5]]
    table = to_table(rows, {(0, 1): (1, 2), (0, 3): (1, 2)})
    assert len(tops(table)) == 5


def test_the_unit_of_numbers_that_name_the_rows_is_not_that_of_the_figures() -> None:
    rows = [["Earnings", "Single", ""], ["€", "2003", "2004"]]
    rows += [[f"{n}0,000", f"0.{n}", f"0.{n}5"] for n in (1, 2, 3)]
    table = to_table(rows, {(0, 1): (1, 2)})
    assert (lefts(table)[0], table.unit) == (("Earnings", "10,000"), "")
    assert value_of(table, 2, 1) == (Decimal("0.1"), "", 1)


def test_a_year_without_figures_is_no_section_of_the_years_below() -> None:
    table = to_table([["", "Paper", "Web"], ["2015", "81", "125"], ["2016", "", ""], ["2017", "92", "131"]])
    assert lefts(table) == [("2015",), ("2016",), ("2017",)]


def test_flat_records_take_their_leading_keys_as_row_path() -> None:
    table = to_table(
        [
            ["country", "year", "pop", "continent"],
            ["Afghanistan", "1952", "8425333", "Asia"],
            ["Afghanistan", "1957", "9240934", "Asia"],
            ["Albania", "1952", "1282697", "Europe"],
        ]
    )
    assert lefts(table)[0] == ("Afghanistan", "1952")
    assert tops(table) == [("country",), ("year",), ("pop",), ("continent",)]
    assert row_text(table, 1) == "country Afghanistan; year 1952: pop 8425333; continent Asia"


def test_rows_without_any_key_are_numbered() -> None:
    table = to_table([["total_bill", "tip", "sex"], ["16.99", "1.01", "Female"], ["10.34", "1.66", "Male"]])
    assert lefts(table) == [("row 1",), ("row 2",)]
    assert tops(table) == [("total_bill",), ("tip",), ("sex",)]


def test_left_out_repeats_of_a_key_are_filled_down() -> None:
    table = to_table(
        [
            ["Club", "Season", "Goals"],
            ["West Ham", "1996-97", "3"],
            ["", "1997-98", "5"],
            ["Kingstonian", "1998-99", "7"],
        ]
    )
    assert lefts(table) == [("West Ham", "1996-97"), ("West Ham", "1997-98"), ("Kingstonian", "1998-99")]


def test_a_merged_data_cell_is_kept_once_and_read_in_each_row() -> None:
    table = to_table([["Year", "Team", "Goals"], ["2001", "A", "3"], ["2002", "B", ""]], {(1, 2): (2, 1)})
    spanning = [cell for cell in table.cells if cell.text == "3"]
    assert [(cell.row, cell.row_span) for cell in spanning] == [(1, 2)]
    assert row_text(table, 2).endswith("Goals 3")


def test_notes_below_are_no_rows() -> None:
    table = to_table(
        [["", "2019"], ["Sales", "12"], ["Profit", "3"], ["(1) Restated for the sale of the business.", ""]]
    )
    assert lefts(table) == [("Sales",), ("Profit",)]
    assert table.notes == ("(1) Restated for the sale of the business.",)


def test_a_table_of_texts_has_its_first_row_as_header() -> None:
    table = to_table([["Option", "Default", "Meaning"], ["--json", "off", "print JSON"], ["--store", "none", "where"]])
    assert tops(table) == [("Default",), ("Meaning",)]
    assert lefts(table) == [("--json",), ("--store",)]
    assert table.confidence < 1


@pytest.mark.parametrize("rows", [[["only"]], [["a", "b"]], [["a"], ["1"], ["2"]], [["", ""], ["", ""]]])
def test_what_is_no_table_gives_none(rows: list[list[str]]) -> None:
    assert grid_to_table(to_grid(rows), document="d", title="") is None


def test_errors_infinities_and_long_numbers_stay_text() -> None:
    table = to_table([["", "A", "B"], ["x", "1.#INF", "5"], ["y", "9" * 400, "6"], ["z", "#REF!", "NaN"]])
    assert [value_of(table, row, column)[0] for row, column in ((1, 1), (2, 1), (3, 1), (3, 2))] == [None] * 4


def test_the_column_tells_the_decimal_mark() -> None:
    table = to_table([["", "Betrag"], ["a", "1.234,56"], ["b", "12,5"], ["c", "1.234"]])
    assert value_of(table, 3, 1)[0] == Decimal(1234)


def test_ids_depend_on_place_and_document() -> None:
    grid = to_grid(SURVEY, SURVEY_SPANS)
    ids = {grid_to_table(grid, document=document, title="").id for document in ("a", "b")}  # type: ignore[union-attr]
    assert len(ids) == 2
    assert table_text(to_table(SURVEY, SURVEY_SPANS)).splitlines()[0] == "file"


cell_texts = st.sampled_from(
    ["", "", "Total", "2019", "percent", "12", "(3)", "—", "n/a", "Sales:", "$ 5", "(in millions)", "x" * 200]
)


@given(
    st.integers(1, 7).flatmap(
        lambda width: st.lists(st.lists(cell_texts, min_size=width, max_size=width), min_size=1, max_size=9)
    ),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 6), st.integers(1, 99), st.integers(1, 99)), max_size=5),
)
@settings(max_examples=300, deadline=None)
def test_any_grid_gives_a_sound_table_or_none(rows: list[list[str]], spans: list[tuple[int, int, int, int]]) -> None:
    table = grid_to_table(to_grid(rows, {(r, c): (h, w) for r, c, h, w in spans}), document="d", title="t")
    if table is None:
        return
    columns, places = {column.index for column in table.columns}, [(cell.row, cell.column) for cell in table.cells]
    assert 0 <= table.confidence <= 1
    assert len(set(places)) == len(places)
    assert all(column in columns for _, column in places)
    assert all(header.path and all(header.path) for header in (*table.columns, *table.rows))
    table_text(table)
    row_texts(table)


def test_columns_that_merged_cells_reach_over_are_no_columns() -> None:
    rows = [["", "", "", "Owned", "", "", "State"], ["North", "", "", "87.5", "", "", "Ohio"]]
    wide = {(r, c): (1, 3) for r in range(2) for c in (0, 3)}
    table = to_table([*rows, ["South", "", "", "50", "", "", "Iowa"]], {**wide, (2, 0): (1, 3), (2, 3): (1, 3)})
    assert tops(table) == [("Owned",), ("State",)]
    assert lefts(table) == [("North",), ("South",)]


def test_signs_in_columns_of_their_own_are_written_to_their_figures() -> None:
    table = to_table(
        [
            ["Item", "2015", "", "", "2014", "", ""],
            ["Balance", "$", "54,000", "", "$", "60,000", ""],
            ["Insured", "(", "54,000", ")", "", "58,000", ""],
            ["Rest", "$", "-", "", "$", "2,000", ""],
        ],
        {(0, 1): (1, 3), (0, 4): (1, 3)},
    )
    assert tops(table) == [("2015",), ("2014",)]
    assert [cell.text for cell in table.cells] == ["$54,000", "$60,000", "(54,000)", "58,000", "$-", "$2,000"]
    assert [cell.value for cell in table.cells][:3] == [54000, 60000, -54000]


def test_a_column_of_list_marks_or_dashes_names_no_row() -> None:
    table = to_table([["•", "Office", "", "Posts"], ["•", "Harbour", "—", "12"], ["•", "Mill", "—", "7"]])
    assert lefts(table) == [("Harbour",), ("Mill",)]
    assert tops(table) == [("Posts",)]


def test_short_names_beside_figures_are_no_signs() -> None:
    assert lefts(to_table([["State", "Members"], ["OH", "12"], ["IA", "7"]])) == [("OH",), ("IA",)]


VEHICLES = [
    ["Vehicle", "Year", "Factor"],
    ["Light trucks", "1994", "0.0646"],
    ["(Vans, SUVs)", "1995", "0.0517"],
    ["", "1996", "0.0452"],
    ["Heavy trucks", "1994", "0.3246"],
    ["", "1995", "0.1278"],
    ["Motorcycles", "1994", "0.0899"],
    ["", "1995", "0.0672"],
]


def test_names_are_filled_down_though_one_of_them_is_merged_and_remarks_are_theirs() -> None:
    table = to_table(VEHICLES, {(6, 0): (2, 1)})
    assert lefts(table) == [
        ("Light trucks", "1994"),
        ("Light trucks (Vans, SUVs)", "1995"),
        ("Light trucks (Vans, SUVs)", "1996"),
        ("Heavy trucks", "1994"),
        ("Heavy trucks", "1995"),
        ("Motorcycles", "1994"),
        ("Motorcycles", "1995"),
    ]


def test_ranges_that_repeat_under_each_name_are_names_and_others_are_figures() -> None:
    ages, head = ("0-4", "5-9", "10-14"), ["Group", "Age", "2010", "2011"]
    rows = [[group, age, f"{n}100", f"{n}200"] for group in ("Women", "Men") for n, age in enumerate(ages, 1)]
    assert lefts(to_table([head, *rows])) == [(group, age) for group in ("Women", "Men") for age in ages]
    spread = [[f"Site {n}", f"{n}-{n + 4}", f"{n}100", f"{n}200"] for n in range(1, 7)]
    assert lefts(to_table([head, *spread])) == [(f"Site {n}",) for n in range(1, 7)]


def test_figures_of_any_size_are_summed() -> None:
    table = to_table([["Body", "Mass"], ["Earth", "5.97e24"], ["Mars", "6.4e23"], ["Moon", "7.3e22"]])
    assert "Mass: low 73000000000000000000000, high 5970000000000000000000000" in table_text(table)


def test_a_row_without_a_name_is_not_searched_by_its_number() -> None:
    table = to_table([["Amps", "Watts"], ["5", "18"], ["12", "40"]])
    assert [row.path for row in table.rows] == [("row 1",), ("row 2",)]
    assert [*row_texts(table).values()] == ["Amps 5; Watts 18", "Amps 12; Watts 40"]
    operand = operand_of("watts of row 2")
    assert not Side.of(table.rows, operand.terms, "").said.any()
