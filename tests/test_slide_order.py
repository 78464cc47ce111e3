"""Texts of a slide in the order in which they are read: columns one after the other, names beside their values."""

from __future__ import annotations

import io

import pptx
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Pt

from tests.cited_lines import read_document

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


def read_slide(boxes: list[Box]) -> list[str]:
    """The texts of a slide with these boxes, in a frame that lies behind all of them."""
    deck = pptx.Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
    shapes.add_shape(MSO_SHAPE.RECTANGLE, Pt(0), Pt(0), Pt(720), Pt(400))
    for left, top, width, height, text in boxes:
        shapes.add_textbox(Pt(left), Pt(top), Pt(width), Pt(height)).text_frame.text = text
    target = io.BytesIO()
    deck.save(target)
    return read_document("deck.pptx", target.getvalue()).text.split("\n\n")[1:]


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
