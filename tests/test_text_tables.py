"""Tables drawn with characters in plain text: pipes, boxes and columns, and what only looks like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixrag_cli.readers.text_markup.rst_tables import directive_tables
from mixrag_cli.readers.text_markup.text_grid import TextTable
from mixrag_cli.readers.text_markup.text_tables import find_text_tables
from mixrag_cli.tables.grid import grid_to_table
from tests.bounded import assert_in_line
from tests.cli_fixtures import run_here

PIPES = """\
in millions | 2019 | 2018
----------- | ---- | ------
revenue     | $ 12 | $ 10
cost        | 7    | ( 6 )
"""
PSQL = """\
 name  | size
-------+------
 pump  |   12
 valve |    3
(2 rows)
"""
OUTER = """\
| a | b |
|:--|--:|
| 1 | x \\| y |
"""
NO_CORNER = """\
| 2008 | 2007 |
--------- | ---- | ---- |
revenue | 1 | 2 |
| 3 | 4 |
"""
BOXES = """\
+---------+-------------+
| Station | Flow        |
|         +             +
| number  | in litres   |
+=========+======+======+
| north   | 1    | 2    |
+---------+------+------+
| closed for the winter |
+---------+------+------+
"""
COLUMNS = """\
=======  =====  ========
option   short  meaning
=======  =====  ========
verbose  -v     says more
                than usual
quiet    -q     says less
=======  =====  ========
"""

TABULAR = r"""
\begin{table}[ht]
\caption{Ships by \textbf{port} in 2023 (in thousands)}
\begin{tabular*}{\linewidth}{@{}lrr@{}}
\toprule
 & \multicolumn{2}{c}{Ships} \\ \cmidrule(lr){2-3}
Port & Large & Small \\
\midrule
Brook \& Sons & 1{,}200 & 45\,\% \\ % a comment & no cell
\multirow{2}{*}{Hull} & 7 &
 $12$ \\[2pt]
\bottomrule
\end{tabular*}
\end{table}
Text. \begin{tabular}{ll} is no table here.
"""


SQLITE = """\
name      qty  cost
--------  ---  -----
pump A     12   0.50
valve       3  12.00
"""
ONE_RULE = """\
part    description         qty
-------------------------------
C1-C12  0.1uF capacitor     12
U1      switch, four ways    4
"""
TWO_LINES = """\
Time         Angle    Range
---------    -----    -------
1 Nov 2018    -.01
                      2318.50
2 Nov 2018     .02    2311.02
"""
HEADINGS_OF_TWO_LINES = """\
Area            Persons out   Time to clear
                              (min:sec)
-------------------------------------------
Weaving shed         14          3:40
Offices               6          2:05
-------------------------------------------
All                  20          3:40
"""
UNITS_BELOW = """\
Pump   Flow    Head
       l/s     m
-----  ------  -----
north  12.5    31
south  9       28
"""
PLATE = "\t1\t2\t3\t4\nA\t.035\t.052\t.044\t.082\tAB540\n\t.049\t.047\t.061\t.051\tAB880\n"


def tables_in(text: str) -> list[TextTable]:
    lines = text.split("\n")
    return list(find_text_tables(lines, 0, len(lines)))


def texts_of(table: TextTable) -> list[list[str]]:
    grid = table.grid
    rows: list[list[str]] = [[] for _ in range(grid.n_rows)]
    for cell in grid.cells:
        rows[cell.row].append(cell.text)
    return rows


@pytest.mark.parametrize(
    ("text", "rows", "span"),
    [
        (PIPES, [["in millions", "2019", "2018"], ["revenue", "$ 12", "$ 10"], ["cost", "7", "( 6 )"]], (0, 4)),
        (PSQL, [["name", "size"], ["pump", "12"], ["valve", "3"]], (0, 4)),
        (OUTER, [["a", "b"], ["1", "x | y"]], (0, 3)),
        (NO_CORNER, [["", "2008", "2007"], ["revenue", "1", "2"], ["", "3", "4"]], (0, 4)),
        (
            COLUMNS,
            [["option", "short", "meaning"], ["verbose", "-v", "says more than usual"], ["quiet", "-q", "says less"]],
            (0, 7),
        ),
        (SQLITE, [["name", "qty", "cost"], ["pump A", "12", "0.50"], ["valve", "3", "12.00"]], (0, 4)),
        (
            ONE_RULE,
            [["part", "description", "qty"], ["C1-C12", "0.1uF capacitor", "12"], ["U1", "switch, four ways", "4"]],
            (0, 4),
        ),
        (
            TWO_LINES,
            [["Time", "Angle", "Range"], ["1 Nov 2018", "-.01", "2318.50"], ["2 Nov 2018", ".02", "2311.02"]],
            (0, 5),
        ),
        (
            HEADINGS_OF_TWO_LINES,
            [
                ["Area", "Persons out", "Time to clear (min:sec)"],
                ["Weaving shed", "14", "3:40"],
                ["Offices", "6", "2:05"],
                ["All", "20", "3:40"],
            ],
            (0, 7),
        ),
        (UNITS_BELOW, [["Pump", "Flow l/s", "Head m"], ["north", "12.5", "31"], ["south", "9", "28"]], (0, 5)),
    ],
)
def test_a_drawn_table_is_read_with_its_headings(text: str, rows: list[list[str]], span: tuple[int, int]) -> None:
    (table,) = tables_in(text)
    assert texts_of(table) == rows
    assert (table.first, table.last) == span
    assert [cell.row for cell in table.grid.cells if cell.is_header] == [0] * len(rows[0])
    assert table.grid.locator.lines == (span[0] + 1, span[1])


def test_a_box_over_columns_is_one_cell() -> None:
    (table,) = tables_in(BOXES)
    assert texts_of(table) == [["Station number", "Flow in litres"], ["north", "1", "2"], ["closed for the winter"]]
    spans = {cell.text: cell.column_span for cell in table.grid.cells}
    assert (spans["Flow in litres"], spans["closed for the winter"], spans["north"]) == (2, 3, 1)
    assert {cell.text for cell in table.grid.cells if cell.is_header} == {"Station number", "Flow in litres"}


OVER_ROWS = """\
+----------+--------+-------+
| Store    | Type   | Quota |
+==========+========+=======+
| ``home`` | disk   | 3 GiB |
|          +--------+-------+
| of staff | **fast disk**  |
+----------+--------+-------+
"""


def test_a_box_over_rows_is_one_cell_and_its_marks_are_taken_off() -> None:
    (table,) = tables_in(OVER_ROWS)
    cells = [(cell.row, cell.column, cell.text, cell.row_span, cell.column_span) for cell in table.grid.cells]
    assert cells[3:] == [
        (1, 0, "home of staff", 2, 1),
        (1, 1, "disk", 1, 1),
        (1, 2, "3 GiB", 1, 1),
        (2, 1, "fast disk", 1, 2),
    ]


LISTED = """.. list-table:: Fees of
   *all* members
   :header-rows: 1
   :widths: 20 80

   * - Grade
     - Fee
       (a month)

   * - `full`
     - 35

   * - :ref:`discounted <low>`
     -
Text below.
"""
SEPARATED = """.. note::

   .. csv-table:: Fees
      :header: "Grade", "Fee; a month"
      :delim: ;
      :widths: 1, 2

      full; 35

      "discounted;
       or remote"; 15
"""
DRAWN = """.. table:: Fees

   ====  ===
   a     b
   ====  ===
   full  35
   ====  ===
"""


@pytest.mark.parametrize(
    ("text", "rows", "span", "lines"),
    [
        (LISTED, [["Grade", "Fee (a month)"], ["full", "35"], ["discounted", ""]], (0, 14), [6, 7, 10, 11, 13, 14]),
        (
            SEPARATED,
            [["Grade", "Fee; a month"], ["full", "35"], ["discounted; or remote", "15"]],
            (2, 11),
            [3, 3, 8, 8, 10, 10],
        ),
        (DRAWN, [["a", "b"], ["full", "35"]], (0, 7), [4, 4, 6, 6]),
    ],
)
def test_a_directives_table_is_read_with_its_title(
    text: str, rows: list[list[str]], span: tuple[int, int], lines: list[int]
) -> None:
    written = text.split("\n")
    (table,) = directive_tables(written, 0, len(written))
    assert texts_of(table) == rows
    assert (table.first, table.last) == span
    assert table.grid.caption in ("Fees of all members", "Fees")
    assert [cell.line for cell in table.grid.cells] == lines
    assert {cell.row for cell in table.grid.cells if cell.is_header} == {0}


def test_several_tables_among_lines_of_text_are_found_where_they_stand() -> None:
    found = tables_in(f"The results :\n{PIPES}and the parts\n{PSQL}")
    assert [(table.first, table.last) for table in found] == [(1, 5), (6, 10)]


@pytest.mark.parametrize(
    "text",
    [
        "a | b\nc | d\n",  # no rule
        "Title\n-----\ntext\n",  # a heading
        "a | b\n--- | ---\nno row\n",
        "a | b\n--- | --- | ---\n1 | 2\n",  # a rule for other columns
        "+---+---+\n| a | b |\n",  # a box that does not close
        "+---+---+\n| a | b |\n|   +---+\n| c     |\n+---+---+\n",  # a cell that is no rectangle
        "=====\nTitle\n=====\n",
        "=== ===\na   b\n--- ---\n1   2\n=== ===\n",
        "x = a || b\n-----------\ny\n",
        "a   b\n--- ---\nacross it\n1   2\n",
        "Title      aside\n----------------\ntext       more\n",
        "reg\t=\t<1>;\nrate\t=\t<2>;\nres\t=\t<3>;\n",
        "\t\tif a\tthen\tb\n" * 3,
        "Plate\tone\nDate\ttoday\nTime\tnow\n",
    ],
)
def test_what_is_not_understood_to_its_end_stays_text(text: str) -> None:
    assert tables_in(text) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "a | b\n" + " " * 100_000 + "\n",
        "a | b\n" + "- " * 50_000 + "x\n",
        "a | b\n" + "--" * 50_000 + "x\n",
        ("+--+--+\n" * 50_000) + "| a | b |\n",
        "== ==\n" + "a b\n" * 100_000,
        "a  b\n-- --\nacross\n" * 50_000,
        "a\tb\tc\nd\n" * 50_000,
    ],
)
def test_no_drawing_costs_more_than_a_look_at_each_line(text: str) -> None:
    assert tables_in(text) == []  # seconds or hours, were a line looked at once for each line before it


def test_a_table_in_a_text_file_answers_through_its_headers(tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text(f"The year went well. Figures of the mill follow :\n{PIPES}The end.\n")
    assert run_here("index", cwd=tmp_path).returncode == 0
    shown = run_here("show", "report.txt", "--tables", cwd=tmp_path)
    assert b"L2-5" in shown.stdout
    asked = run_here("ask", "What was the revenue in 2018?", cwd=tmp_path)
    assert b"$10 million" in asked.stdout, asked.stdout


SPANNING = """\
======  =====  =====
Timings for one run
--------------------
Action  Count  Total
======  =====  =====
get        89  1.8 s
set         8  1.2 s
both of them
-------------  -----
trim        1  0.1 s
======  =====  =====
"""


def test_dashes_under_a_row_of_a_simple_table_say_what_its_texts_span() -> None:
    (table,) = tables_in(SPANNING)
    assert (table.grid.n_rows, table.grid.n_columns) == (6, 3)
    spans = {cell.text: cell.column_span for cell in table.grid.cells}
    assert (spans["Timings for one run"], spans["both of them"], spans["1.8 s"]) == (3, 2, 1)
    assert {cell.text for cell in table.grid.cells if cell.is_header} == {
        "Timings for one run",
        "Action",
        "Count",
        "Total",
    }
    assert [(cell.row, cell.column, cell.line) for cell in table.grid.cells if cell.text == "0.1 s"] == [(5, 2, 10)]


def test_a_tabular_of_tex_is_a_table_with_the_caption_of_its_float() -> None:
    (found,) = tables_in(TABULAR)
    assert (found.first, found.last) == (3, 13)
    assert found.grid.caption == "Ships by port in 2023 (in thousands)"
    assert [(cell.row, cell.column, cell.column_span, cell.text) for cell in found.grid.cells] == [
        (0, 0, 1, ""),
        (0, 1, 2, "Ships"),
        (1, 0, 1, "Port"),
        (1, 1, 1, "Large"),
        (1, 2, 1, "Small"),
        (2, 0, 1, "Brook & Sons"),
        (2, 1, 1, "1,200"),
        (2, 2, 1, "45 %"),
        (3, 0, 1, "Hull"),
        (3, 1, 1, "7"),
        (3, 2, 1, "12"),
    ]
    assert [cell.line for cell in found.grid.cells if cell.row > 1] == [9, 9, 9, 10, 10, 10]
    assert {cell.row for cell in found.grid.cells if cell.is_header} == {0, 1}


@pytest.mark.parametrize(
    "text", [r"\begin{tabular}{ll}", "\\begin{tabular}{ll}\na & b\n", r"\begin{tabular}{l} a \\ b \\ \end{tabular}", ""]
)
def test_a_tabular_that_never_ends_or_has_one_column_is_none(text: str) -> None:
    assert tables_in(text) == []


def test_lines_of_tabs_among_settings_are_a_table_and_its_settings_are_none() -> None:
    (table,) = tables_in(f"Plate Number\tPlate 1\nTime\t3:13 PM\n\nResults\n{PLATE}\nEnd\n")
    assert (table.first, table.last) == (4, 7)
    read = grid_to_table(table.grid, document="d", title="plate")
    assert read is not None and [column.path for column in read.columns][:4] == [("1",), ("2",), ("3",), ("4",)]
    assert (read.rows[0].path, next(cell.text for cell in read.cells if cell.column == 2)) == (("A",), ".052")


FIGURED = """- - - - - - - - - - - - - - - - - -
Row        Years       Coefficients
  i      K_i    K_{i+1}        a_0
- - - - - - - - - - - - - - - - - -
  1    -720.0    -100.0   20371.848
  2    -100.0     400.0   11557.668
  3     400.0    1000.0    6535.116
- - - - - - - - - - - - - - - - - -
and a last word
"""


def test_names_above_columns_of_figures_are_a_table_without_a_rule_between_columns() -> None:
    (table,) = tables_in(FIGURED)
    assert (table.first, table.last) == (2, 7)
    assert texts_of(table)[:2] == [["i", "K_i", "K_{i+1}", "a_0"], ["1", "-720.0", "-100.0", "20371.848"]]


@pytest.mark.parametrize(
    "text",
    [
        "of these years we\n1 22 333 4444\n22 3 4444 55\n333 4 5 66",  # figures that stand below no other
        "a b c\n1.0 2.0 3.0\n1.5 2.5 3.5",  # two lines of them
        "1 2 3\n4 5 6\n7 8 9\n1 2 3",  # no names
        "the names are far away          from it\n" + "1 2 3 4 5 6 7\n" * 4,
    ],
)
def test_figures_without_names_or_columns_stay_text(text: str) -> None:
    assert not tables_in(text)


FRAME = """\
before
                     comp  bonus \\
sales rep
Ansley Cummings   2169.76    250
Beth O Skiles     3028.60      0
...                   ...    ...
Trish Deckow      5807.74    NaN

                  mpg cyl
Mazda RX4        21.0   6
Datsun 710       22.8   4
after
"""
SERIES = """\
sales rep
Ansley Cummings     2169.76
Beth Skiles       -3,028.60
Name: comp, dtype: float64
Cabin    77.1
Age      19.9
dtype: float64
"""


def test_frames_and_series_that_programs_print_are_tables() -> None:
    frames = [[cell.text for cell in table.grid.cells] for table in tables_in(FRAME)]
    assert ["|".join(frame) for frame in frames] == [
        "sales rep|comp|bonus|Ansley Cummings|2169.76|250|Beth O Skiles|3028.60|0|Trish Deckow|5807.74|NaN",
        "|mpg|cyl|Mazda RX4|21.0|6|Datsun 710|22.8|4",
    ]
    named, plain = tables_in(SERIES)
    assert (named.first, named.last) == (0, 4)
    assert [cell.text for cell in named.grid.cells][:4] == ["sales rep", "comp", "Ansley Cummings", "2169.76"]
    assert [cell.text for cell in plain.grid.cells] == ["Cabin", "77.1", "Age", "19.9"]
    assert not any(cell.is_header for cell in plain.grid.cells)


@pytest.mark.parametrize(
    "text",
    [
        "  some words here\n  another line 12\n  other figure 13\n",
        "first  12\nsecond  13\nName: x\n",
        "    if a:  b\n    x = call(a, 1)\n    y = call(b, 2)\n",
    ],
)
def test_indented_text_is_no_printed_frame(text: str) -> None:
    assert tables_in(text) == []


@pytest.mark.parametrize("line", ["name  a value\n", "    return one  # more\n"])
def test_lines_that_may_be_rows_are_looked_through_once(line: str) -> None:
    assert_in_line(tables_in, line * 4_000)


PARTS = """\
Partlist exported from board.sch

Part Value    Device         Package   PROD_ID
C1   100nF    C_0603         C0603
C10  4.7uF    CAP0805        0805
R1   10k      RES (0603)     R0603     301
U1   LT1763   Low noise LDO  SOT23-5
U2   SPX3819  V_REG_LDO      SOT23-5   302
"""
SUMS = """\
CATEGORY            asked      given  status
CHILDREN        5,200,000  5,200,000  OK
PARKS AND FUN     640,000    640,000  OK
EDUCATION      44,610,000    610,000  LESS
HOUSING               150        150  OK
YOUTH          22,675,000      1,000  LESS BY HALF
"""
FOLDS = """\
Round         Training set observations      Test set
    1     [ 5  6  7  8  9 10 11 12 13 14]    [0 1 2]
    2     [ 0  1  2  3  4 10 11 12 13 14]    [5 6 7]
    3     [ 0  1  2  3  4  5  6  7  8  9]    [1 2 3]
    4     [ 0  1  2  3  4  5  6  7  8  9]    [1 5 6]
    5     [ 0  1  2  3  4  5  6  7  8  9]    [2 0 1]
"""


def named(text: str) -> list[list[str]]:
    """The rows of the one table in a text; [] without one."""
    lines = text.split("\n")
    grids = [table.grid for table in find_text_tables(lines, 0, len(lines))]
    return [[cell.text for cell in grid.cells if cell.row == row] for grid in grids for row in range(grid.n_rows)]


def test_texts_below_names_are_a_table_where_blanks_part_its_columns() -> None:
    parts = named(PARTS)
    assert parts[:2] == [["Part", "Value", "Device", "Package", "PROD_ID"], ["C1", "100nF", "C_0603", "C0603", ""]]
    assert parts[4] == ["U1", "LT1763", "Low noise LDO", "SOT23-5", ""]
    sums = named(SUMS)
    assert sums[0] == ["CATEGORY", "asked", "given", "status"]
    assert sums[2] == ["PARKS AND FUN", "640,000", "640,000", "OK"]


def test_lines_whose_names_do_not_stand_above_them_are_text() -> None:
    assert not named(FOLDS)
    assert not named("to be or not to be\n" * 9)
    assert not named(PARTS.replace("C10  4.7uF    CAP0805        0805", "C10 is the one of a large capacity"))
