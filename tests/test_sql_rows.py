"""SQL scripts: what they fill tables with is rows of tables, with their lines; queries stay text."""

from __future__ import annotations

from cited_lines import read_document

from mixrag_cli.readers.sheets.sql_rows import find_fillings
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from tests.bounded import assert_in_line

SCRIPT = """CREATE TABLE shop.products (
    product_id smallint NOT NULL,
    "name" character varying(40),
    unit_price numeric(10, 2) DEFAULT 0,
    CONSTRAINT pk PRIMARY KEY (product_id)
);
INSERT INTO products VALUES (1, 'Chai', 18);
INSERT INTO products VALUES (2, 'Chef Anton''s Mix, hot', 21.35);
INSERT INTO `shippers` (`id`, `name`, `since`) VALUES
    (1, 'Speedy; Express', CAST(N'2009-01-01' AS DateTime)),
    (2, 'It\\'s UPS', NULL);
INSERT INTO audit (product_id, at) SELECT product_id, now() FROM products;
INSERT INTO settings (name, value) VALUES ('version', '7');
INSERT [dbo].[Order Details] ([Order Id], [Unit]) VALUES (7, N'kg')
GO
INSERT [dbo].[Order Details] ([Order Id], [Unit]) VALUES (8, N'm')
GO
COPY shop.regions (id, name) FROM stdin;
1\tEast
2\t\\N
\\.
SELECT name FROM products;
"""


def tables_of(text: str) -> dict[str, Table]:
    document = read_document("shop.sql", text.encode())
    tables = ((grid.caption, grid_to_table(grid, document="d", title="t")) for grid in document.grids)
    return {caption: table for caption, table in tables if table is not None}


def rows_of(table: Table) -> list[tuple[int | None, str, str]]:
    names = {header.index: header.path for header in table.columns}
    return [(cell.line, " ".join(names[cell.column]), cell.text) for cell in table.cells]


def test_values_are_cells_below_the_columns_of_their_table() -> None:
    tables = tables_of(SCRIPT)
    assert list(tables) == ["products", "shippers", "dbo.Order Details", "shop.regions"]
    assert (8, "unit_price", "21.35") in rows_of(tables["products"])
    assert (10, "since", "2009-01-01") in rows_of(tables["shippers"])
    said = [text for _, _, text in rows_of(tables["shippers"])]
    assert "Speedy; Express" in str(tables["shippers"]) and "It's UPS" in str(tables["shippers"]) and "NULL" not in said
    assert (14, "Order Id", "7") in rows_of(tables["dbo.Order Details"])
    assert "East" in str(tables["shop.regions"])


def test_what_is_no_row_stays_text_in_its_line() -> None:
    document = read_document("shop.sql", SCRIPT.encode())
    code = "\n".join(block.text for block in document.blocks if block.kind == "code")
    assert "SELECT product_id, now()" in code and "'version', '7'" in code and "SELECT name FROM" in code
    assert "Chai" not in code and "East" not in code
    (query,) = (block for block in document.blocks if "SELECT name FROM" in block.text)
    assert query.locator.lines is not None and query.locator.lines[1] == 22
    assert ("shop.products", "unit_price") in [fact.path for fact in document.facts]


def test_statements_without_columns_or_end_are_text() -> None:
    torn = "INSERT INTO a VALUES (1, 'x'), (2, 'y');\nINSERT INTO b (m, n) VALUES (1, 'x'), (2, 'y"
    assert tables_of(torn) == {}
    assert "(2, 'y');" in read_document("torn.sql", torn.encode()).text


def test_calls_that_never_end_are_passed_over_in_time() -> None:
    torn = "INSERT INTO a (m, n) VALUES (1, f(" + "'x'," * 20_000 + "\n"
    assert tables_of(torn + "INSERT INTO b (m, n) VALUES (1, '" * 2_000) == {}


def test_statements_that_nothing_ends_are_looked_through_once() -> None:
    assert_in_line(lambda text: list(find_fillings(text)), "COPY t (a, b) FROM stdin;\n1\t2\n" * 8_000)
