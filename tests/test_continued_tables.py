"""PDF tables that go on over pages: joined when the header is repeated or the columns agree, else left apart."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import pytest
from reportlab.lib.pagesizes import LETTER
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from mixrag_cli.output.console import make_console
from mixrag_cli.output.table_view import table_layout
from mixrag_cli.plain import table_from_plain, table_to_plain
from mixrag_cli.readers.sheets.delimited import read_delimited
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Grid
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.tables.places import locate_cells
from tests.painted_pdf import read_pages, read_raw

TOWNS = ("Arden", "Bexley", "Corby", "Dunmore", "Elstow", "Fenwick", "Garford", "Hexham", "Ilford", "Jarrow")
HEADER = ("Town", "Visitors", "Beds")
LABELS_AT, FIGURES_END = 72, (300, 420)


def rows_of(n: int, start: int = 0) -> list[tuple[str, ...]]:
    return [(f"{TOWNS[i % 10]} {i // 10 + 1}", f"{1200 + 37 * i:,}", f"{90 + i}") for i in range(start, start + n)]


def draw_rows(
    canvas: Canvas, top: float, rows: Sequence[Sequence[str]], header: Sequence[str] = (), shift: float = 0
) -> None:
    """A table without rulings: a bold header over a line, labels left, figures right."""
    y = top
    if header:
        canvas.setFont("Helvetica-Bold", 9)
        draw_row(canvas, y, header, shift)
        canvas.line(LABELS_AT + shift, y - 3, FIGURES_END[-1] + shift, y - 3)
        y -= 14
    canvas.setFont("Helvetica", 9)
    for row in rows:
        draw_row(canvas, y, row, shift)
        y -= 13


def draw_row(canvas: Canvas, y: float, row: Sequence[str], shift: float) -> None:
    indent = 12 if row[0].startswith(" ") else 0
    canvas.drawString(LABELS_AT + indent + shift, y, row[0].strip())
    for right, text in zip(FIGURES_END, row[1:], strict=False):
        canvas.drawRightString(right + shift, y, text)


def draw_frame(canvas: Canvas, number: int) -> None:
    """A running header and a page number."""
    canvas.drawString(72, 770, "Survey of small towns")
    canvas.drawCentredString(306, 30, f"Page {number} of 3")


def texts(grid: Grid) -> list[list[str]]:
    rows = [[""] * grid.n_columns for _ in range(grid.n_rows)]
    for cell in grid.cells:
        rows[cell.row][cell.column] = cell.text
    return rows


def test_a_repeated_header_joins_the_parts_and_is_kept_once() -> None:
    def first(canvas: Canvas) -> None:
        draw_frame(canvas, 1)
        canvas.drawString(72, 740, "Table 1: Visitors by town:")
        draw_rows(canvas, 720, rows_of(20), HEADER)

    def second(canvas: Canvas) -> None:
        draw_frame(canvas, 2)
        canvas.drawString(72, 740, "Table 1: Visitors by town (continued):")
        draw_rows(canvas, 720, rows_of(10, 20), HEADER)
        canvas.drawString(72, 540, "The survey was made in the autumn, by post.")

    document = read_pages(first, second)
    (grid,) = document.grids
    assert texts(grid) == [list(HEADER), *map(list, rows_of(30))]
    assert grid.caption == "Table 1: Visitors by town:"
    assert (grid.locator.page, grid.locator.last_page) == (1, 2)
    assert {cell.page for cell in grid.cells if cell.row > 20} == {2}
    assert {cell.page for cell in grid.cells if cell.row <= 20} == {None}
    assert "(continued)" not in document.text and "by post" in document.text


def test_parts_whose_columns_agree_are_joined_without_a_header() -> None:
    def first(canvas: Canvas) -> None:
        draw_frame(canvas, 1)
        draw_rows(canvas, 720, rows_of(48), HEADER)

    def second(canvas: Canvas) -> None:
        draw_frame(canvas, 2)
        draw_rows(canvas, 740, rows_of(48, 48))

    def third(canvas: Canvas) -> None:
        draw_frame(canvas, 3)
        draw_rows(canvas, 740, rows_of(5, 96))

    (grid,) = read_pages(first, second, third).grids
    assert texts(grid) == [list(HEADER), *map(list, rows_of(101))]
    assert [page for page in (2, 3) if any(cell.page == page for cell in grid.cells)] == [2, 3]
    assert grid.locator.last_page == 3


def test_a_section_at_the_top_of_a_page_goes_on_with_the_table() -> None:
    def page(towns: Sequence[str], header: Sequence[str] = ()) -> Callable[[Canvas], None]:
        def paint(canvas: Canvas) -> None:
            y = 740.0
            draw_rows(canvas, y, [], header)
            for town in towns:
                canvas.setFont("Helvetica-Bold", 9)
                canvas.drawString(LABELS_AT, y - 14, town)
                canvas.setFont("Helvetica", 9)
                for number, name in enumerate(("Reds", "Blues", "Greens"), start=2):
                    draw_row(canvas, y - 14 * number, [f" {name}", f"{len(town)}{number}5", f"{number}.5%"], 0)
                y -= 56

        return paint

    (grid,) = read_pages(page(TOWNS[:10], ("Town", "Votes", "Percent")), page(TOWNS[3:6])).grids
    table = grid_to_table(grid, document="d", title="t")
    assert table is not None
    assert [row.path for row in table.rows][30:34] == [
        *[("Dunmore", name) for name in ("Reds", "Blues", "Greens")],
        ("Elstow", "Reds"),
    ]
    assert [header.path for header in table.columns] == [("Votes",), ("Percent",)]


WIDE_HEADER = ("Town", "Visitors", "Beds", "Inns", "Roads")
WIDE_ENDS = (200, 290, 380, 470)


def draw_wide(canvas: Canvas, top: float, start: int, blank: int | None, shift: float = 0) -> None:
    """Rows of a town and four figures down to the page's foot, without those of the blank column."""
    for number, town in enumerate((TOWNS * 5)[: int(top / 13) - 4]):
        canvas.drawString(LABELS_AT, top - 13 * number, town)
        for column, right in enumerate(WIDE_ENDS, start=1):
            if column != blank:
                canvas.drawRightString(right + shift, top - 13 * number, f"{start + 10 * column + number}.5")


@pytest.mark.parametrize(("shift", "n_tables"), [(0, 1), (30, 3)])
def test_a_column_may_be_blank_on_a_page_that_goes_on(shift: float, n_tables: int) -> None:
    def first(canvas: Canvas) -> None:
        for right, name in zip((LABELS_AT + 24, *WIDE_ENDS), WIDE_HEADER, strict=True):
            canvas.drawRightString(right, 226, name)
        draw_wide(canvas, 210, 0, None)

    def second(canvas: Canvas) -> None:
        draw_wide(canvas, 740, 100, 3, shift)

    def third(canvas: Canvas) -> None:
        draw_wide(canvas, 740, 200, None, shift)

    grids = read_pages(first, second, third).grids
    assert len(grids) == n_tables
    if n_tables == 1:
        rows = texts(grids[0])
        assert ["Arden", "110.5", "120.5", "", "140.5"] in rows
        assert ["Arden", "210.5", "220.5", "230.5", "240.5"] in rows


@pytest.mark.parametrize("shift", [0, 40])
def test_ruled_headings_at_a_pages_foot_head_the_next_page(shift: float) -> None:
    rows = [(town, *(f"{10 * column + number}.5" for column in range(4))) for number, town in enumerate(TOWNS)]

    def paint(top: float, rows: Sequence[Sequence[str]], shift: float = 0) -> Callable[[Canvas], None]:
        edges, bottom = [at + shift for at in (72, 150, 230, 310, 390, 470)], top - 14 * len(rows)

        def page(canvas: Canvas) -> None:
            for number, row in enumerate(rows):
                for left, text in zip(edges, row, strict=False):
                    canvas.drawString(left + 4, top - 10 - 14 * number, text)
                canvas.line(edges[0], top - 14 * number, edges[-1], top - 14 * number)
            canvas.line(edges[0], bottom, edges[-1], bottom)
            for edge in edges:
                canvas.line(edge, top, edge, bottom)

        return page

    grids = read_pages(paint(70, [WIDE_HEADER]), paint(750, rows, shift)).grids
    apart = [[list(WIDE_HEADER)], [list(row) for row in rows]]
    assert [texts(grid) for grid in grids] == (apart if shift else [[*apart[0], *apart[1]]])


def test_indents_are_counted_over_both_parts() -> None:
    rows = [("North", "9,100", "400"), *((f" {town}", f"{n},200", str(n)) for n, town in enumerate(TOWNS * 5, 1))]

    def first(canvas: Canvas) -> None:
        draw_rows(canvas, 720, rows[:46], HEADER)

    def second(canvas: Canvas) -> None:
        draw_rows(canvas, 740, rows[46:])

    (grid,) = read_pages(first, second).grids
    assert {cell.indent for cell in grid.cells if cell.column == 0 and cell.row > 1} == {1}
    table = grid_to_table(grid, document="d", title="t")
    assert table is not None
    assert table.rows[-1].path == ("North", "Jarrow")


def other_header(canvas: Canvas) -> None:
    draw_rows(canvas, 740, rows_of(10, 50), ("Town", "Rainfall", "Frost days"))


def other_title(canvas: Canvas) -> None:
    canvas.drawString(72, 750, "Table 2: Rainfall by town:")
    draw_rows(canvas, 735, rows_of(10, 50))


def other_title_same_header(canvas: Canvas) -> None:
    canvas.drawString(72, 750, "Table 2: Visitors by town in the year before:")
    draw_rows(canvas, 735, rows_of(10, 50), HEADER)


def other_columns(canvas: Canvas) -> None:
    draw_rows(canvas, 740, rows_of(10, 50), shift=60)


def fewer_columns(canvas: Canvas) -> None:
    draw_rows(canvas, 740, [row[:2] for row in rows_of(10, 50)])


def lower_on_the_page(canvas: Canvas) -> None:
    draw_rows(canvas, 300, rows_of(10, 50))


def prose_between(canvas: Canvas) -> None:
    canvas.drawString(72, 750, "The beds of the towns on the coast were counted in another year, in another way.")
    draw_rows(canvas, 725, rows_of(10, 50))


@pytest.mark.parametrize(
    "second",
    [
        other_header, other_title, other_title_same_header, other_columns, fewer_columns, lower_on_the_page,
        prose_between,
    ],
)  # fmt: skip
def test_two_tables_stay_two(second: Callable[[Canvas], None]) -> None:
    def first(canvas: Canvas) -> None:
        canvas.drawString(72, 745, "Table 1: Visitors by town:")
        draw_rows(canvas, 730, rows_of(48), HEADER)

    grids = read_pages(first, second).grids
    assert [len(grid.cells) for grid in grids][:1] == [49 * 3]
    assert len(grids) == 2
    assert all(grid.locator.last_page is None for grid in grids)


def test_notes_between_are_passed_over_where_the_next_page_says_the_title_again() -> None:
    def paint(start: int, title: str) -> Callable[[Canvas], None]:
        def page(canvas: Canvas) -> None:
            canvas.drawString(72, 745, title)
            draw_rows(canvas, 730, rows_of(20, start), HEADER)
            canvas.setFont("Helvetica", 7)
            canvas.drawString(72, 430, "See notes at end of table.")

        return page

    again = read_pages(paint(0, "Table 3. Visitors by town"), paint(20, "Table 3. Continued. Visitors by town"))
    assert [grid.n_rows for grid in again.grids] == [41]
    other = read_pages(paint(0, "Table 3. Visitors by town"), paint(20, "Table 4. Visitors by town"))
    assert [grid.n_rows for grid in other.grids] == [21, 21]


def test_footnotes_of_the_page_are_passed_over_where_the_header_is_repeated() -> None:
    def paint(start: int, note: str, header: Sequence[str] = HEADER) -> Callable[[Canvas], None]:
        def page(canvas: Canvas) -> None:
            for line in range(6):
                canvas.drawString(
                    72, 200 - 12 * line, "The towns were visited in the autumn, and every bed was counted."
                )
            draw_rows(canvas, 730, rows_of(20, start), header)
            canvas.setFont("Helvetica", 7)
            canvas.drawString(72, 100, note)

        return page

    def first(note: str) -> Callable[[Canvas], None]:
        def page(canvas: Canvas) -> None:
            canvas.drawString(72, 745, "The towns were visited in the autumn, and every bed in them was counted twice.")
            draw_rows(canvas, 730, rows_of(20), HEADER)
            canvas.setFont("Helvetica", 7)
            canvas.drawString(72, 430, note)

        return page

    mark, next_mark = "12 In one town the beds of the hospital were counted, too.", "13 Doubled in the year after."
    assert [grid.n_rows for grid in read_pages(first(mark), paint(20, next_mark)).grids] == [41]
    other = ("Region", "Visitors", "Beds")
    assert [grid.n_rows for grid in read_pages(first(mark), paint(20, next_mark, other)).grids] == [21, 21]
    assert [grid.n_rows for grid in read_pages(first("Source: the towns."), paint(20, next_mark)).grids] == [21, 21]


@pytest.mark.parametrize(("shift", "n_rows"), [(0, [57]), (12, [37, 20])])
def test_footnotes_of_the_page_are_passed_over_where_the_table_is_as_wide(shift: float, n_rows: list[int]) -> None:
    def first(canvas: Canvas) -> None:
        for line in range(6):
            canvas.drawString(72, 770 - 12 * line, "Every town was visited, and every bed in it was counted twice.")
        draw_rows(canvas, 690, rows_of(36), HEADER)
        canvas.setFont("Helvetica", 7)
        canvas.drawString(72, 60, "6 In one town the beds of the hospital were counted, too.")

    def second(canvas: Canvas) -> None:
        draw_rows(canvas, 740, [(*row[:2], f"{row[2]}0") for row in rows_of(20, 36)], shift=shift)
        canvas.drawString(72, 100, "The survey was made in the autumn, by post, and in two towns by telephone.")

    assert [grid.n_rows for grid in read_pages(first, second).grids] == n_rows


def test_numbered_headings_at_the_pages_tops_are_no_running_headers() -> None:
    def paint(number: int) -> Callable[[Canvas], None]:
        def page(canvas: Canvas) -> None:
            canvas.drawString(72, 770, f"{number} A SURVEY")
            canvas.setFont("Helvetica-Bold", 9)
            canvas.drawString(72, 750, f"3.1.{number} Town{number}")
            draw_rows(canvas, 730, rows_of(40, 20 * number), HEADER)

        return page

    document = read_pages(*(paint(number) for number in range(1, 4)))
    assert [grid.n_rows for grid in document.grids] == [41, 41, 41]
    assert all(f"3.1.{number} Town{number}" in document.text for number in range(1, 4))


def test_table_numbers_at_the_pages_tops_are_no_running_headers() -> None:
    def paint(number: int) -> Callable[[Canvas], None]:
        def page(canvas: Canvas) -> None:
            canvas.drawString(72, 745, f"Table {number}")
            draw_rows(canvas, 730, rows_of(20, 20 * number), HEADER)

        return page

    document = read_pages(*(paint(number) for number in range(1, 6)))
    assert len(document.grids) == 5
    assert all(f"Table {number}" in document.text for number in range(1, 6))


@pytest.mark.parametrize("repeat", [0, 1])
def test_a_ruled_table_that_a_typesetter_split_is_one(repeat: int) -> None:
    target = io.BytesIO()
    table = Table([HEADER, *rows_of(90)], colWidths=(150, 90, 90), repeatRows=repeat)
    table.setStyle([("GRID", (0, 0), (-1, -1), 0.5, "black"), ("ALIGN", (1, 0), (-1, -1), "RIGHT")])
    style = getSampleStyleSheet()["BodyText"]
    SimpleDocTemplate(target, pagesize=LETTER).build([Paragraph("Visitors were counted by hand.", style), table])
    (grid,) = read_raw(target.getvalue()).grids
    assert texts(grid) == [list(HEADER), *map(list, rows_of(90))]
    assert grid.locator.last_page == 3


@pytest.mark.parametrize("width", ["30", "60", "100"])
def test_the_part_on_the_page_asked_for_is_shown_and_marked(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    (grid,) = read_pages(
        lambda canvas: draw_rows(canvas, 720, rows_of(48), HEADER),
        lambda canvas: draw_rows(canvas, 740, rows_of(9, 48)),
    ).grids
    table = grid_to_table(grid, document="d", title="t")
    assert table is not None
    stream = io.StringIO()
    console = make_console(stream, "never")
    console.print(table_layout(console, table, ("page=2",))[0])
    shown = stream.getvalue()
    assert f"[{rows_of(1, 48)[0][1]}]" in shown and f"[{rows_of(1, 56)[0][1]}]" in shown
    assert f"[{rows_of(1, 47)[0][1]}]" not in shown


def test_the_lines_asked_for_are_marked_in_a_table_of_a_text_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    raw = b"town,beds\nArden,12\nBexley,34\nCorby,56\n"
    table = grid_to_table(
        read_delimited(ReadSource("t.csv", len(raw), io.BytesIO(raw))).grids[0], document="d", title="t"
    )
    assert table is not None
    stream = io.StringIO()
    console = make_console(stream, "never")
    console.print(table_layout(console, table, ("L3-3",))[0])
    assert "[34]" in stream.getvalue() and "[12]" not in stream.getvalue() and "[56]" not in stream.getvalue()


def test_a_cell_is_cited_on_its_own_page_with_its_own_box() -> None:
    (grid,) = read_pages(
        lambda canvas: draw_rows(canvas, 720, rows_of(48), HEADER),
        lambda canvas: draw_rows(canvas, 740, rows_of(9, 48)),
    ).grids
    table = grid_to_table(grid, document="d", title="t")
    assert table is not None
    table = table_from_plain(table_to_plain(table))
    late = next(cell for cell in table.cells if cell.text == rows_of(1, 50)[0][1])
    place = locate_cells(table.locator, [late])
    assert (place.page, place.last_page, place.bbox) == (2, None, late.bbox)
    across = locate_cells(table.locator, [table.cells[0], late])
    assert (across.page, across.last_page, across.bbox) == (1, 2, table.cells[0].bbox)
