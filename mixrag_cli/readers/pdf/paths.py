"""What a PDF's page draws beside its text: straight rules, filled areas and images."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator

import numpy as np

from mixrag_cli.readers.pdf.limits import MAX_PAGE_OBJECTS
from mixrag_cli.readers.pdf.page import RULE_THICKNESS, Box, Frame, Matrix, Rule, Word, map_box, map_point, multiply
from mixrag_cli.readers.pdf.pdfium import (
    FORM,
    IMAGE,
    PATH,
    TEXT,
    get_bounds,
    get_draw_mode,
    get_type,
    is_white,
    matrix_of_object,
    objects_of_form,
    objects_of_page,
    strokes_of,
)

MAX_FORM_DEPTH = 6
STRAIGHT_POINTS = 0.7


class Paths:
    """The straight rules, filled areas and other shapes among a page's objects, forms included."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._n_left = MAX_PAGE_OBJECTS
        self.horizontal: list[Rule] = []
        self.vertical: list[Rule] = []
        self.filled: list[Box] = []
        self.shapes: list[Box] = []
        self.n_images = 0

    def collect(self, page: object) -> bool:
        """Walk the page's objects; False when there are too many."""
        boxes: list[Box] = []
        is_complete = self._walk(objects_of_page(page), None, 0, boxes)
        if boxes:
            self._sort_boxes(self._frame.turn(np.array(boxes)))
        return is_complete

    def is_filled(self, word: Word) -> bool:
        """Whether the word stands on a painted area or an image."""
        x, y = (word.x0 + word.x1) / 2, (word.top + word.bottom) / 2
        return any(x0 <= x <= x1 and top <= y <= bottom for x0, top, x1, bottom in self.filled)

    def _walk(self, objects: Iterator[int], matrix: Matrix | None, depth: int, boxes: list[Box]) -> bool:
        edges = (ctypes.c_float * 4)()
        address = ctypes.addressof(edges)
        for item in objects:
            kind = get_type(item)
            if kind == TEXT:
                continue
            if kind == FORM and depth < MAX_FORM_DEPTH:
                if not self._walk_form(item, matrix, depth, boxes):
                    return False
                continue
            self.n_images += kind == IMAGE
            if kind not in (PATH, IMAGE):
                continue
            self._n_left -= 1
            if self._n_left < 0:
                return False
            if not get_bounds(item, address, address + 4, address + 8, address + 12):
                continue
            box = map_box(matrix, (edges[0], edges[1], edges[2], edges[3]))
            if not all(map(math.isfinite, box)):
                continue
            if kind == IMAGE:
                self.filled.append(tuple(self._frame.turn(np.array([box]))[0].tolist()))
            elif min(box[2] - box[0], box[3] - box[1]) <= RULE_THICKNESS:
                boxes.append(box)
            else:
                self._add_shape(item, matrix, box, boxes)
        return True

    def _walk_form(self, item: int, matrix: Matrix | None, depth: int, boxes: list[Box]) -> bool:
        own = matrix_of_object(item)
        return own is None or self._walk(objects_of_form(item), multiply(own, matrix), depth + 1, boxes)

    def _add_shape(
        self,
        item: int,
        matrix: Matrix | None,
        box: Box,
        boxes: list[Box],
    ) -> None:
        """Split a path that is wide and high into straight strokes, or note the area that it fills."""
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        get_draw_mode(item, ctypes.addressof(fill), ctypes.addressof(stroke))
        shown = tuple(self._frame.turn(np.array([box]))[0].tolist())
        if fill.value and not is_white(item):
            self.filled.append(shown)
            self.shapes.append(shown)
        own = matrix_of_object(item)
        if not stroke.value or own is None:
            return
        place = multiply(own, matrix)
        for x0, y0, x1, y1 in strokes_of(item):
            (ax, ay), (bx, by) = map_point(place, x0, y0), map_point(place, x1, y1)
            if min(abs(ax - bx), abs(ay - by)) <= STRAIGHT_POINTS:
                boxes.append((min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)))
            elif not self.shapes or self.shapes[-1] is not shown:
                self.shapes.append(shown)

    def _sort_boxes(self, boxes: np.ndarray) -> None:
        for x0, top, x1, bottom in boxes.tolist():
            is_dot = max(x1 - x0, bottom - top) <= RULE_THICKNESS
            if is_dot or x1 - x0 >= bottom - top:
                self.horizontal.append(Rule((top + bottom) / 2, x0, x1))
            if is_dot or x1 - x0 < bottom - top:
                self.vertical.append(Rule((x0 + x1) / 2, top, bottom))
