"""Lines of a PDF that their author ended stay apart; lines that filling has broken are joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.records.documents import Document
from tests.painted_pdf import read_pages

RUNNING = (
    "The committee reviewed the plan for the coming year and found that most of the goals had been met in",
    "London and Paris. It asked the board to report on the remaining ones before the end of the season, with",
    "a note on cost, and thanked all of the members who had taken part in the work of the past two years and",
    "in the writing of the report on it",
)


def write(canvas: Canvas, lines: Sequence[str], top: float = 720, x: float = 72) -> float:
    for number, line in enumerate(lines):
        canvas.drawString(x, top - 12 * number, line)
    return top - 12 * len(lines)


def texts_of(document: Document, kind: str = "paragraph") -> list[str]:
    return [block.text for block in document.blocks if block.kind == kind]


def test_lines_of_labels_and_addresses_stay_apart_each_with_its_box() -> None:
    lines = ("Invoice date: 12 August 2024", "Due date: 11 September 2024", "Bill to: Ashgrove School", "9 High Road")
    document = read_pages(lambda canvas: write(canvas, lines))
    assert texts_of(document) == list(lines)
    boxes = [block.locator.bbox for block in document.blocks]
    assert all(box is not None for box in boxes)
    assert [round(box[1] - boxes[0][1]) for box in boxes if box and boxes[0]] == [0, 12, 24, 36]


def test_running_text_is_cut_where_a_paragraph_ends_alone() -> None:
    document = read_pages(lambda canvas: write(canvas, (*RUNNING, "Nobody spoke against it")))
    assert texts_of(document) == [" ".join(RUNNING), "Nobody spoke against it"]


def test_lines_set_far_apart_are_one_paragraph() -> None:
    """Drafts with double spacing, and web pages in print: some lines go on with a name, in upper case."""

    def paint(canvas: Canvas) -> None:
        for number, line in enumerate(RUNNING):
            canvas.drawString(72, 720 - 20 * number, line)
        canvas.drawString(72, 720 - 20 * len(RUNNING) - 8, "Nobody spoke against the report, which was then sent")

    texts = texts_of(read_pages(paint))
    assert texts == [" ".join(RUNNING), "Nobody spoke against the report, which was then sent"]


def test_a_lone_line_far_below_another_is_a_paragraph_of_its_own() -> None:
    def paint(canvas: Canvas) -> None:
        for number, line in enumerate((RUNNING[0], "London and Paris", RUNNING[2])):
            canvas.drawString(72, 720 - 20 * number, line)

    assert len(texts_of(read_pages(paint))) == 3


def test_a_plain_bullet_before_bold_words_is_no_paragraph_of_its_own() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.drawString(64, 720, "•")
        canvas.setFont("Helvetica-Bold", 9)
        write(canvas, RUNNING)
        canvas.setFont("Helvetica", 9)
        write(canvas, RUNNING[:2], top=600)

    assert texts_of(read_pages(paint), "list")[0] == "• " + " ".join(RUNNING)


def test_running_text_in_a_narrow_column_is_one_paragraph() -> None:
    lines = ("The members of the board are", "Paola Corrales, Mark Crowe and", "Michael Smith, who comes from", "Bath.")
    assert texts_of(read_pages(lambda canvas: write(canvas, lines))) == [" ".join(lines)]


def test_a_line_that_ends_openly_or_goes_on_in_lower_case_is_joined() -> None:
    for lines in (("Bill to: Ashgrove School,", "12 High Street"), ("Approved by the board", "of directors")):
        assert texts_of(read_pages(lambda canvas, lines=lines: write(canvas, lines))) == [" ".join(lines)]


def test_lines_farther_in_belong_to_the_item_above() -> None:
    def paint(canvas: Canvas) -> None:
        write(canvas, ("31.1* Certification of the officer named by the Securities",))
        write(canvas, ("Exchange Act of 1934",), 708, 100)
        write(canvas, ("31.2* Certification of the Treasurer",), 696)

    assert texts_of(read_pages(paint)) == [
        "31.1* Certification of the officer named by the Securities Exchange Act of 1934",
        "31.2* Certification of the Treasurer",
    ]


def test_a_figure_alone_belongs_to_the_label_above_it() -> None:
    assert texts_of(read_pages(lambda canvas: write(canvas, ("Total EU-15", "61%", "Total EU-12", "11%")))) == [
        "Total EU-15 61%",
        "Total EU-12 11%",
    ]


def test_a_title_of_two_lines_is_one_heading() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(72, 740, "Annual Report")
        canvas.drawString(72, 722, "National Bank")
        canvas.setFont("Helvetica", 9)
        write(canvas, RUNNING, 690)

    document = read_pages(paint)
    assert texts_of(document, "heading") == ["Annual Report National Bank"]
    assert texts_of(document) == [" ".join(RUNNING)]


def test_a_running_header_that_goes_takes_only_its_own_line() -> None:
    def paint(visit: str, guide: str) -> Callable[[Canvas], object]:
        return lambda canvas: write(canvas, ("Ashgrove School, account 7", f"Visit: {visit}", f"Guide: {guide}"), 760)

    pages = (paint("first", "Ann"), paint("second", "Ben"), paint("third", "Cy"), paint("fourth", "Di"))
    kept_once = "Ashgrove School, account 7"
    assert texts_of(read_pages(*pages))[:4] == [kept_once, "Visit: first", "Guide: Ann", "Visit: second"]


def test_a_bracket_is_closed_where_it_was_opened() -> None:
    lines = ("The mean age in the town is 49 years (US", "Census)", "Two of five have children")
    assert texts_of(read_pages(lambda canvas: write(canvas, lines))) == [" ".join(lines[:2]), lines[2]]
