"""Which candidates a person sees at once: those of one passage, a cell and its table, but not two rows of a table."""

from __future__ import annotations

import pytest

from mixrag_cli.records.answers import Spot
from mixrag_cli.records.places import Locator


def spot(kind: str, chunk: str, table: str = "", said: str = "", **place: object) -> Spot:
    return Spot(kind, chunk, table, "d", Locator((0, 1), **place), said)  # type: ignore[arg-type]


def test_what_stands_in_one_passage_is_seen_at_once() -> None:
    assert spot("passage", "a").is_beside(spot("span", "a"))
    assert not spot("passage", "a").is_beside(spot("passage", "b"))


def test_a_cell_is_seen_with_its_row_and_with_its_whole_table() -> None:
    cell = spot("cell", "row 2", "t", lines=(4, 4))
    assert cell.is_beside(spot("passage", "row 2", "t", lines=(4, 4)))
    assert cell.is_beside(spot("passage", "whole", "t", lines=(1, 9)))


@pytest.mark.parametrize(
    ("one", "other"), [({"lines": (4, 4)}, {"lines": (5, 5)}), ({"cells": "A4:F4"}, {"cells": "A10:F10"})]
)
def test_two_rows_of_a_table_are_two_places(one: dict[str, object], other: dict[str, object]) -> None:
    assert not spot("passage", "r1", "t", **one).is_beside(spot("passage", "r2", "t", **other))
    assert not spot("cell", "r1", "t", **one).is_beside(spot("passage", "r2", "t", **other))


def test_rows_whose_places_are_not_known_apart_are_seen_at_once() -> None:
    assert spot("passage", "r1", "t", page=3).is_beside(spot("passage", "r2", "t", page=3))


def test_two_cells_are_seen_at_once_where_they_are_one() -> None:
    cell = spot("cell", "r1", "t", cells="B4")
    assert cell.is_beside(spot("fact", "r1", "t", cells="B4"))
    assert not cell.is_beside(spot("cell", "r1", "t", cells="C4"))


@pytest.mark.parametrize("kind", ["computed", "column"])
def test_what_is_derived_is_seen_in_no_passage(kind: str) -> None:
    value = spot(kind, "r1", "t", "80.1", cells="B4")
    assert not value.is_beside(spot("passage", "r1", "t", cells="A4:F4"))
    assert not spot("cell", "r1", "t", "14514", cells="B4").is_beside(value)
    assert not value.is_beside(spot(kind, "r1", "t", "80.4", cells="B4"))


def test_the_same_answer_is_shown_once() -> None:
    assert spot("cell", "r1", "t", "35357").is_beside(spot("computed", "r2", "u", "35357"))
    assert not spot("passage", "r1", "t").is_beside(spot("passage", "r2", "u"))
