"""What stands in brackets right above a table holds for its figures, whatever the format."""

from __future__ import annotations

import pytest

from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from tests.cited_lines import read_document

HEAD = "<tr><th></th><th>2024</th><th>2023</th></tr>"
ROWS = f"<table>{HEAD}<tr><td>Net sales</td><td>293,618</td><td>303,457</td></tr></table>"
MARKDOWN = "| | 2024 | 2023 |\n|---|---|---|\n| Net sales | 293,618 | 303,457 |\n"


def table_of(name: str, text: str) -> Table:
    (grid,) = read_document(name, text.encode()).grids
    table = grid_to_table(grid, document="d", title="t")
    assert table is not None
    return table


@pytest.mark.parametrize(
    "above",
    [
        "<p>Income</p><p>(Amounts in Thousands Except Per Share Amounts)</p>",
        "<p>(Dollars in thousands)</p><p>(Unaudited)</p>",
        "<div>[In thousands (314 represents 314,000)]</div>",
    ],
)
def test_a_scale_in_brackets_above_a_table_reaches_its_figures(above: str) -> None:
    assert {cell.scale for cell in table_of("a.html", above + ROWS).cells} == {1000}


def test_so_it_does_in_markdown() -> None:
    assert {cell.scale for cell in table_of("a.md", f"# Income\n\n(in thousands)\n\n{MARKDOWN}").cells} == {1000}


@pytest.mark.parametrize(
    "above",
    [
        "<p>(in thousands)</p><p>The guild sold more than in any year before.</p>",
        "<p>Sales (in thousands) rose, as the ledger of the guild shows.</p>",
    ],
)
def test_brackets_farther_above_or_within_a_sentence_do_not(above: str) -> None:
    assert {cell.scale for cell in table_of("a.html", above + ROWS).cells} == {1}
