"""The texts of a table by representation: which nodes there are, and what each says."""

from decimal import Decimal

import pytest

from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.tables.representations import flatten_headers, represent_table


def table_of(rows: dict[int, tuple[str, ...]], columns: dict[int, tuple[str, ...]], figures: list[list[str]]) -> Table:
    cells = tuple(
        Cell(row, column, text, Decimal(text), "%")
        for row, line in zip(rows, figures, strict=True)
        for column, text in zip(columns, line, strict=True)
        if text
    )
    headers = (tuple(Header(index, path) for index, path in axis.items()) for axis in (columns, rows))
    return Table("t", "Workers by region", *headers, cells, Locator((0, 1)))


@pytest.fixture
def table() -> Table:
    return table_of(
        {2: ("Both sexes",), 3: ("Sex", "Women"), 4: ("Sex", "Men")},
        {1: ("Region 1", "French"), 2: ("Region 1", "English"), 3: ("Region 2", "French")},
        [["35", "20", "7"], ["33", "", "8"], ["37", "21", "6"]],
    )


def test_rows_columns_and_inner_nodes_with_full_paths(table):
    nodes = represent_table(table, "h-rcl")
    assert [(node.kind, node.indices, node.is_inner) for node in nodes] == [
        *(("row", (row,), False) for row in (2, 3, 4)),
        *(("column", (column,), False) for column in (1, 2, 3)),
        ("row", (3, 4), True),
        ("column", (1, 2), True),
    ]
    texts = [node.text for node in nodes]
    assert texts[1] == "Sex > Women: Region 1 > French 33 %; Region 2 > French 8 %"
    assert texts[4] == "Region 1 > English: Both sexes 20 %; Sex > Men 21 %"
    assert texts[6] == (
        "Sex (Women, Men): Region 1 > French 33 to 37 %; Region 1 > English 21 %; Region 2 > French 6 to 8 %"
    )
    assert texts[7] == "Region 1 (French, English): Both sexes 20 to 35 %; Sex > Women 33 %; Sex > Men 21 to 37 %"


def test_flat_headers_keep_the_innermost_label_alone(table):
    texts = [node.text for node in represent_table(table, "rcl")]
    assert texts[1] == "Women: French 33 %; French 8 %"
    assert texts[4] == "English: Both sexes 20 %; Men 21 %"
    assert len(texts) == 6
    assert flatten_headers(table).cells is table.cells


def test_the_whole_table_is_one_text(table):
    (node,) = represent_table(table, "table")
    assert node.text.startswith("Workers by region\n3 rows, 3 columns: Region 1 > French; ")


def test_a_path_that_has_figures_of_its_own_is_no_inner_node():
    table = table_of({1: ("All",), 2: ("All", "Men"), 3: ("All", "Women")}, {1: ("n",)}, [["3"], ["1"], ["2"]])
    assert not any(node.is_inner for node in represent_table(table, "h-rcl"))


def test_the_column_that_names_the_rows_has_no_text_of_its_own():
    lines = [["town", "score"], ["Ash", "1200"], ["Elm", "900"], ["Oak", "15000"]]
    cells = tuple(GridCell(row, column, text) for row, line in enumerate(lines) for column, text in enumerate(line))
    table = grid_to_table(Grid(4, 2, cells, Locator((0, 1))), document="d", title="Towns")
    columns = [node.text for node in represent_table(table, "h-rcl") if node.kind == "column"]
    assert columns == ["score: Ash 1200; Elm 900; Oak 15000"]


def test_rows_alone_are_the_rows_of_the_full_representation(table):
    rows = represent_table(table, "h-rcl-rows")
    assert rows == represent_table(table, "h-rcl")[:3]


def test_a_unit_is_shown_with_its_scale_unless_a_heading_says_it():
    rows = [["", "Sales", "Assets ($m)", "Staff"], ["", "€bn", "$m", "number"]]
    rows += [["North", "1.2", "14", "5"], ["South", "0.4", "6", "4"]]
    cells = tuple(GridCell(r, c, text) for r, row in enumerate(rows) for c, text in enumerate(row) if text)
    table = grid_to_table(Grid(len(rows), 4, cells, Locator((0, 1))), document="d", title="t")
    assert table is not None
    north = next(node.text for node in represent_table(table, "h-rcl-rows") if node.text.startswith("North"))
    assert north == "North: Sales 1.2 EUR billion; Assets ($m) 14; Staff 5"
    column = next(node.text for node in represent_table(table, "h-rcl") if node.text.startswith("Sales"))
    assert "North 1.2 EUR billion" in column


def test_a_scale_that_the_cell_says_is_not_said_again():
    rows = [["", "Sales", "Share"], ["North", "1.2 million euros", "3"], ["South", "3 million euros", "4"]]
    cells = tuple(GridCell(r, c, text) for r, row in enumerate(rows) for c, text in enumerate(row) if text)
    table = grid_to_table(Grid(3, 3, cells, Locator((0, 1))), document="d", title="t")
    assert table is not None
    assert represent_table(table, "h-rcl-rows")[0].text.startswith("North: Sales 1.2 million euros; Share 3")
