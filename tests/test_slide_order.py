"""Texts of a slide in the order in which they are read: columns one after the other, names beside their values."""

from __future__ import annotations

import base64
import io

import pptx
from pptx.enum.shapes import MSO_SHAPE
from pptx.oxml.ns import qn
from pptx.util import Pt

from tests.cited_lines import read_document

PIXEL = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
Box = tuple[int, int, int, int, str]  # left, top, width, height in points, and the text
OFFERS: list[Box] = [
    (45, 95, 218, 24, "Title Sponsor"),
    (45, 125, 300, 42, "$8,000 for 1 year"),
    (45, 175, 294, 171, "ten entries"),
    (381, 95, 175, 24, "Presenting Sponsor"),
    (381, 125, 300, 42, "$5,000 for 1 year"),
    (381, 173, 294, 171, "eight entries"),
]
ABOVE: Box = (30, 15, 642, 30, "Partnership")
BELOW: Box = (39, 345, 643, 18, "Thousands of visitors")


def slide_bytes(boxes: list[Box]) -> bytes:
    """A slide with these boxes, in a frame that lies behind all of them."""
    deck = pptx.Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
    shapes.add_shape(MSO_SHAPE.RECTANGLE, Pt(0), Pt(0), Pt(720), Pt(400))
    for left, top, width, height, text in boxes:
        shapes.add_textbox(Pt(left), Pt(top), Pt(width), Pt(height)).text_frame.text = text
    target = io.BytesIO()
    deck.save(target)
    return target.getvalue()


def read_slide(boxes: list[Box]) -> list[str]:
    """The texts of the slide, without what it is called where none of them heads it."""
    texts = read_document("deck.pptx", slide_bytes(boxes)).text.split("\n\n")
    return texts[1:] if texts[0] == "Slide 1" else texts


def test_columns_are_read_one_after_the_other() -> None:
    assert read_slide([ABOVE, *OFFERS, BELOW]) == [box[-1] for box in (ABOVE, *OFFERS, BELOW)]


def test_cards_in_rows_are_read_card_by_card() -> None:
    lower: list[Box] = [(left, top + 400, width, height, f"{text} again") for left, top, width, height, text in OFFERS]
    assert read_slide([*lower, ABOVE, *OFFERS]) == [box[-1] for box in (ABOVE, *OFFERS, *lower)]


def test_what_the_file_says_side_by_side_is_read_side_by_side() -> None:
    names, values = ("Date", "Place", "Start"), ("21 June", "Harbour Park", "8:00")
    boxes: list[Box] = []
    for row, (name, value) in enumerate(zip(names, values, strict=True)):
        boxes += [(45, 95 + 30 * row, 100, 20, name), (200, 95 + 30 * row, 100, 20, value)]
    assert read_slide(boxes) == ["Date", "21 June", "Place", "Harbour Park", "Start", "8:00"]


def headings_of(boxes: list[Box]) -> list[str]:
    document = read_document("deck.pptx", slide_bytes(boxes))
    return [document.text[slice(*block.locator.chars)] for block in document.blocks if block.kind == "heading"]


def test_a_line_above_all_others_heads_a_slide_without_a_title() -> None:
    assert headings_of([*OFFERS, ABOVE]) == ["Partnership"]
    assert headings_of([(45, 40, 300, 42, "Plans for 2026"), (45, 95, 600, 200, "Lift in use by March")]) == [
        "Plans for 2026"
    ]


def test_a_slide_without_a_line_above_all_others_is_called_by_its_number() -> None:
    assert headings_of(OFFERS) == ["Slide 1"]
    assert headings_of([(45, 40, 300, 42, "Alone")]) == ["Slide 1"]
    assert headings_of([(45, 40, 300, 42, "1,534"), (45, 95, 300, 42, "visitors")]) == ["Slide 1"]


def test_a_picture_in_the_place_of_the_title_leaves_the_slide_its_texts() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    picture = slide.shapes.add_picture(io.BytesIO(PIXEL), Pt(30), Pt(15))
    slide.shapes.add_textbox(Pt(45), Pt(95), Pt(218), Pt(24)).text_frame.text = "Not a silver bullet"
    title = slide.shapes.title._element
    picture._element.nvPicPr.nvPr.append(title.nvSpPr.nvPr[0])
    title.getparent().remove(title)
    target = io.BytesIO()
    deck.save(target)
    assert "Not a silver bullet" in read_document("deck.pptx", target.getvalue()).text


def test_the_number_of_a_slide_is_none_of_its_texts() -> None:
    deck = pptx.Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
    for top, text in ((40, "Work of the year 2008\n(in per cent)"), (95, "Lift in use by March"), (400, "7")):
        shapes.add_textbox(Pt(45), Pt(top), Pt(600), Pt(30)).text_frame.text = text
    number = shapes[2]._element.nvSpPr.find(qn("p:nvPr"))
    number.append(number.makeelement(qn("p:ph"), {"type": "sldNum", "idx": "12"}))
    target = io.BytesIO()
    deck.save(target)
    texts = read_document("deck.pptx", target.getvalue()).text.split("\n\n")
    assert texts == ["Work of the year 2008 (in per cent)", "Lift in use by March"]


def test_flat_boxes_at_one_height_leave_no_empty_part() -> None:
    flat: list[Box] = [(45, 60, 100, 0, "left"), (200, 60, 100, 0, "right")]
    assert set(read_slide([ABOVE, *flat, *OFFERS])) >= {"Partnership", "left", "right", "ten entries"}
