"""A table as JSON values and back: the one form in which reader processes send tables and the store keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from mixrag_cli.records.documents import ColumnProfile
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table


def table_to_plain(table: Table) -> dict[str, Any]:
    """The table as a JSON object; decimals as text, so that no digit is lost."""
    return {
        "id": table.id,
        "title": table.title,
        "columns": [[header.index, header.path, header.is_total] for header in table.columns],
        "rows": [[header.index, header.path, header.is_total] for header in table.rows],
        "cells": [_cell_to_plain(cell) for cell in table.cells],
        "locator": table.locator.to_plain(),
        "unit": table.unit,
        "scale": table.scale,
        "notes": table.notes,
        "confidence": table.confidence,
        "total_rows": table.total_rows,
        "profiles": [_profile_to_plain(profile) for profile in table.profiles],
        "kind": table.kind,
    }


def table_from_plain(plain: Mapping[str, Any]) -> Table:
    """The inverse of table_to_plain."""
    return Table(
        id=plain["id"],
        title=plain["title"],
        columns=tuple(Header(index, tuple(path), is_total) for index, path, is_total in plain["columns"]),
        rows=tuple(Header(index, tuple(path), is_total) for index, path, is_total in plain["rows"]),
        cells=tuple(_cell_from_plain(cell) for cell in plain["cells"]),
        locator=Locator.from_json(plain["locator"]),
        unit=plain["unit"],
        scale=plain["scale"],
        notes=tuple(plain["notes"]),
        confidence=plain["confidence"],
        total_rows=plain["total_rows"],
        profiles=tuple(_profile_from_plain(profile) for profile in plain["profiles"]),
        kind=plain["kind"],
    )


def _cell_to_plain(cell: Cell) -> list[Any]:
    place = (cell.address, cell.bbox, cell.line)
    value = _decimal_to_plain(cell.value)
    spans = (cell.row_span, cell.column_span)
    added = (cell.page,) if cell.last_line is None else (cell.page, cell.last_line)
    return [cell.row, cell.column, cell.text, value, cell.unit, cell.scale, *place, *spans, *added]


def _cell_from_plain(plain: Sequence[Any]) -> Cell:
    row, column, text, value, unit, scale, address, bbox, line, row_span, column_span, *added = plain
    number = _decimal_from_plain(value)
    box = tuple(bbox) if bbox else None
    return Cell(row, column, text, number, unit, scale, address, box, line, row_span, column_span, *added)


def _profile_to_plain(profile: ColumnProfile) -> list[Any]:
    numbers = [_decimal_to_plain(value) for value in (profile.total, profile.low, profile.high)]
    rows = (profile.low_row, profile.high_row)
    return [profile.index, profile.count, profile.numbers, *numbers, *rows, profile.distinct]


def _profile_from_plain(plain: Sequence[Any]) -> ColumnProfile:
    index, count, numbers, total, low, high, low_row, high_row, distinct = plain
    total, low, high = (_decimal_from_plain(value) for value in (total, low, high))
    return ColumnProfile(index, count, numbers, total, low, high, low_row, high_row, tuple(distinct))


def _decimal_to_plain(value: Decimal | None) -> str | None:
    return None if value is None else str(value)


def _decimal_from_plain(plain: str | None) -> Decimal | None:
    return None if plain is None else Decimal(plain)
