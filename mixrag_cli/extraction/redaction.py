"""Secrets taken out of what a reader found, before a table, a chunk or the store sees it."""

from __future__ import annotations

from dataclasses import replace

from mixrag_cli.line_marks import marks_within
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.lined_text import LinedText
from mixrag_cli.records.documents import Block, Document, Fact, Grid
from mixrag_cli.records.places import LineMarks
from mixrag_cli.walking.secrets import redact_secrets


def redact_text(text: str) -> str:
    """The text with "[secret removed]" for every known kind of secret; as many lines as before."""
    return redact_secrets(text)[0]


def redact_document(document: Document) -> Document:
    """The document without secrets, with its places moved accordingly; the same object where there are none."""
    _, found = redact_secrets(document.text)
    if not found:
        return document
    builder = DocumentBuilder(document.modality, redact_text(document.title), document.language)
    builder.warnings += [*document.warnings, f"{found} likely secrets removed from the text"]
    for block in document.blocks:
        _add_redacted(builder, block, document)
    return replace(builder.build(), facts=tuple(map(_redact_fact, document.facts)))


def _redact_fact(fact: Fact) -> Fact:
    values = tuple(replace(value, text=redact_text(value.text)) for value in fact.values)
    return replace(fact, path=tuple(map(redact_text, fact.path)), values=values)


def _add_redacted(builder: DocumentBuilder, block: Block, document: Document) -> None:
    place = block.locator
    text = redact_text(block.text)
    marks = marks_within(document.marks, *place.chars) if text == block.text else LineMarks()
    builder.cell = place.cell
    builder.add(
        LinedText(text, tuple(zip(marks.chars, marks.lines, strict=True))) if marks.chars else text,
        block.kind,
        heading_path=tuple(map(redact_text, block.heading_path)),
        level=block.level,
        grid=None if block.grid is None else _redact_grid(document.grids[block.grid]),
        name=block.name,
        page=place.page,
        last_page=place.last_page,
        bbox=place.bbox,
        lines=place.lines,
        sheet=place.sheet,
        cells=place.cells,
        section=redact_text(place.section) if place.section else None,
    )


def _redact_grid(grid: Grid) -> Grid:
    cells = tuple(replace(cell, text=redact_text(cell.text)) for cell in grid.cells)
    lines = tuple(replace(line, text=redact_text(line.text)) for line in grid.row_lines)
    notes = tuple(map(redact_text, grid.notes))
    return replace(grid, cells=cells, caption=redact_text(grid.caption), notes=notes, row_lines=lines)
