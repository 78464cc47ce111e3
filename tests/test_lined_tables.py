"""PDF tables that rulings part in some places only: between their rows alone, or not between headings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.records.documents import Document, Grid
from tests import painted_pdf

LEFT, MIDDLE, RIGHT = 72, 280, 520
CALLS = ("open", "close", "read", "write", "seek", "tell", "flush", "lock", "stat", "sync", "trim", "wait")
DOES = ("begins", "ends", "takes", "puts", "moves", "tells", "empties", "holds", "asks", "keeps", "cuts", "rests")


def read_pages(*paints: Callable[[Canvas], object]) -> Document:
    return painted_pdf.read_pages(*paints, size=10)


def rows_of(n: int, start: int = 0) -> list[tuple[str, str]]:
    return [(f"{CALLS[i % 12]}_{i // 12}()", f"{DOES[i % 12]} what is there") for i in range(start, start + n)]


def draw_rows(canvas: Canvas, top: float, rows: Sequence[tuple[str, str]]) -> float:
    """Rows of two texts with a ruling from edge to edge above and below each; the second text may have two lines."""
    y = top
    for left, right in rows:
        canvas.line(LEFT, y, RIGHT, y)
        canvas.drawString(LEFT + 6, y - 10, left)
        for line in right.split("\n"):
            y -= 12
            canvas.drawString(MIDDLE, y + 2, line)
    canvas.line(LEFT, y, RIGHT, y)
    return y


def texts(grid: Grid) -> list[list[str]]:
    rows = [[""] * grid.n_columns for _ in range(grid.n_rows)]
    for cell in grid.cells:
        rows[cell.row][cell.column] = cell.text
    return rows


def test_rulings_between_rows_and_a_free_gap_make_a_table() -> None:
    rows = [*rows_of(5), ("copy()", "takes from one\nand puts into the other"), ("next()", ""), ("last()", "ends it")]
    (grid,) = read_pages(lambda canvas: draw_rows(canvas, 700, rows)).grids
    assert texts(grid) == [[left, " ".join(right.split("\n"))] for left, right in rows]


def test_a_heading_between_two_tables_parts_them() -> None:
    def paint(canvas: Canvas) -> None:
        y = draw_rows(canvas, 700, rows_of(5))
        canvas.drawString(LEFT, y - 30, "Further calls")
        draw_rows(canvas, y - 45, rows_of(6, 5))

    document = read_pages(paint)
    assert [texts(grid) for grid in document.grids] == [
        [list(row) for row in rows_of(n, at)] for n, at in ((5, 0), (6, 5))
    ]
    assert "Further calls" in document.text


def test_prose_between_rulings_is_no_table() -> None:
    def paint(canvas: Canvas) -> None:
        for number in range(8):
            canvas.line(LEFT, 700 - 30 * number, RIGHT, 700 - 30 * number)
            words = " ".join(DOES[number % 12 :] + CALLS)[: 70 + number]
            canvas.drawString(LEFT + 6, 688 - 30 * number, words)

    assert read_pages(paint).grids == ()


def test_parts_that_say_where_they_go_on_are_joined() -> None:
    def paint(start: int, *, is_first: bool = False, is_last: bool = False) -> Callable[[Canvas], None]:
        def page(canvas: Canvas) -> None:
            if not is_first:
                canvas.drawCentredString(306, 735, "Table 4 - continued from previous page")
            y = draw_rows(canvas, 730, rows_of(40, start))
            if not is_last:
                canvas.drawRightString(RIGHT, y - 12, "continues on next page")

        return page

    (grid,) = read_pages(paint(0, is_first=True), paint(40), paint(80, is_last=True)).grids
    assert texts(grid) == [list(row) for row in rows_of(120)]
    assert (grid.locator.page, grid.locator.last_page) == (1, 3)


def test_headings_in_one_ruled_cell_over_pairs_of_columns_are_parted() -> None:
    edges = [72, 172, 232, 292, 352, 412]
    head = [("2019", 232), ("2020", 352)]
    rows = [
        ("", "sum", "share", "sum", "share"),
        ("Homes", "531", "12", "540", "13"),
        ("Shops", "274", "9", "281", "8"),
    ]

    def paint(canvas: Canvas) -> None:
        for number in range(5):
            canvas.line(edges[0], 700 - 16 * number, edges[-1], 700 - 16 * number)
        for number, x in enumerate(edges):
            canvas.line(x, 700 if number in (0, 1, 5) else 684, x, 636)
        for text, x in head:
            canvas.drawCentredString(x, 688, text)
        for number, row in enumerate(rows):
            for x, text in zip(edges, row, strict=False):
                canvas.drawString(x + 6, 672 - 16 * number, text)

    (grid,) = read_pages(paint).grids
    assert [(cell.column, cell.column_span, cell.text) for cell in grid.cells if cell.row == 0] == [
        (1, 2, "2019"),
        (3, 2, "2020"),
    ]


def test_rulings_around_groups_of_columns_leave_the_rows_and_columns_within() -> None:
    rows = [("Intercept", "1.02", "0.98", "1.20"), ("Age", "0.14", "0.17", "0.12"), ("Income", "0.25", "0.31", "0.32"),
            ("Visits", "-0.36", "-0.34", "-0.33"), ("Region", "0.20", "0.22", "0.10")]  # fmt: skip

    def paint(canvas: Canvas) -> None:
        for number, row in enumerate([("Method", "Poisson", "Normal", "Hurdle"), *rows]):
            y = 700 - 14 * number
            canvas.drawString(75, y, row[0])
            for x, text in zip((200, 280, 380), row[1:], strict=True):
                canvas.drawRightString(x, y, text)
        for y in (712, 696, 624):
            canvas.line(70, y, 400, y)
        for x in (70, 140, 310, 400):
            canvas.line(x, 712, x, 624)
        for number in range(4):  # a second block of rows
            y = 612 - 14 * number
            canvas.drawString(75, y, f"Block {number}")
            for x, text in zip((200, 280, 380), ("8", "9", "15"), strict=True):
                canvas.drawRightString(x, y, text)
        canvas.line(70, 564, 400, 564)
        for x in (70, 140, 310, 400):
            canvas.line(x, 624, x, 564)

    (grid,) = read_pages(paint).grids
    texts = {(cell.row, cell.column): cell.text for cell in grid.cells}
    assert [texts[2, column] for column in range(4)] == list(rows[1])
    assert [texts[0, column] for column in range(4)] == ["Method", "Poisson", "Normal", "Hurdle"]
    assert (grid.n_rows, grid.n_columns) == (10, 4)


def test_two_amounts_in_one_cell_of_a_record_are_of_one_row() -> None:
    records = [("Pumps", "ICB", "Aber", "902,418"), ("Cars and\nvans", "ICB", "Birk", "62,785\n11,200")]
    records += [("Buses", "NCB", "Carn", "214,885"), ("Tools", "NCB", "Dale", "198,770")]
    edges = (72, 172, 252, 332, 452)

    def paint(canvas: Canvas) -> None:
        for number, record in enumerate([("What", "How", "Who", "Amount"), *records]):
            top = 720 - 32 * number
            canvas.line(edges[0], top, edges[-1], top)
            for left, text in zip(edges, record, strict=False):
                for line, part in enumerate(text.split("\n")):
                    canvas.drawString(left + 4, top - 12 - 12 * line, part)
        canvas.line(edges[0], 560, edges[-1], 560)
        for edge in edges:
            canvas.line(edge, 560, edge, 720)

    (grid,) = read_pages(paint).grids
    assert texts(grid)[2] == ["Cars and vans", "ICB", "Birk", "62,785 11,200"]
    assert grid.n_rows == 5
