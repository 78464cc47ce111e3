"""A merged cell below all columns of a group stands under the group's heading, and under none of the columns'."""

from __future__ import annotations

from mixrag_cli.tables.lines import row_lines
from tests.evidence_samples import read_bytes
from tests.table_samples import lefts, tops

PUPILS = """<table>
<tr><th rowspan=2></th><th rowspan=2>Asian</th><th colspan=3>Totals</th></tr>
<tr><th>Male</th><th>Female</th><th>All</th></tr>
<tr><td>First Grade</td><td>1,630</td><td>21,594</td><td>20,404</td><td>41,998</td></tr>
<tr><td>Second Grade</td><td>1,689</td><td>22,115</td><td>20,824</td><td>42,939</td></tr>
<tr><td colspan=5>Both grades 2017-18</td></tr>
<tr><td>Sum</td><td>3,324</td><td colspan=3>80,684</td></tr>
<tr><td>Men and women</td><td>1</td><td colspan=2>80,680</td><td>4</td></tr>
</table>"""


def test_a_cell_over_a_whole_group_is_named_by_the_group() -> None:
    (table,) = read_bytes("pupils.html", PUPILS.encode(), 256)[1].values()
    assert tops(table) == [
        ("Asian",),
        ("Totals", "Male"),
        ("Totals", "Female"),
        ("Totals", "All"),
        ("Totals",),
    ]
    paths = {column.index: column.path for column in table.columns}
    row = lefts(table).index(("Both grades 2017-18", "Sum"))
    cells = [cell for cell in table.cells if cell.row == table.rows[row].index]
    assert [(paths[cell.column], cell.text) for cell in cells] == [(("Asian",), "3,324"), (("Totals",), "80,684")]
    assert row_lines(table, table.columns)[table.rows[row].index].endswith("Sum | 3,324 |  |  |  | 80,684")
    part = next(cell for cell in table.cells if cell.text == "80,680")
    assert paths[part.column] == ("Totals", "Male")  # of two columns of three, which the group's heading does not name
