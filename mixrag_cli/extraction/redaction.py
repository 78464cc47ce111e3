"""Secrets taken out of what a reader found, before a table, a chunk or the store sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from mixrag_cli.cleaning import REDACTED
from mixrag_cli.line_marks import marks_within
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.lined_text import LinedText
from mixrag_cli.records.documents import Block, Document, Fact, Grid, GridCell
from mixrag_cli.records.places import LineMarks
from mixrag_cli.walking.secrets import MIN_DRAWN, find_secrets, is_named_secret, redact_secrets


def redact_text(text: str) -> str:
    """The text with "[secret removed]" for every known kind of secret; as many lines as before."""
    return redact_secrets(text)[0]


def redact_document(document: Document) -> Document:
    """The document without secrets, with its places moved accordingly; the same object where there are none."""
    text = document.text
    found = find_secrets(text)
    cells = {secret for grid in document.grids for secret in _secrets_of_grid(grid)}
    if not found and not cells:
        return document
    known = cells | {text[start:end] for start, end in found if end - start >= MIN_DRAWN}

    def redact(text: str) -> str:
        """Away from the name beside it a secret looks like any other text."""
        for secret in known:
            text = text.replace(secret, REDACTED + "\n" * secret.count("\n"))
        return redact_text(text)

    builder = DocumentBuilder(document.modality, redact(document.title), document.language)
    builder.warnings += [*document.warnings, f"{max(len(found), len(known))} likely secrets removed from the text"]
    for block in document.blocks:
        _add_redacted(builder, block, document, redact)
    return replace(builder.build(), facts=tuple(_redact_fact(fact, redact) for fact in document.facts))


def _secrets_of_grid(grid: Grid) -> Iterator[str]:
    """Cells that look like secrets and whose name is the cell before them or at the head of their column."""
    heads: dict[int, str] = {}
    before = GridCell(-1, -1, "")
    for cell in grid.cells:
        text = cell.text.strip()
        names = (heads.setdefault(cell.column, text), before.text if before.row == cell.row else "")
        if any(is_named_secret(name, text) for name in names):
            yield text
        before = cell


def _redact_fact(fact: Fact, redact: Callable[[str], str]) -> Fact:
    values = tuple(replace(value, text=redact(value.text)) for value in fact.values)
    return replace(fact, path=tuple(map(redact, fact.path)), values=values)


def _add_redacted(builder: DocumentBuilder, block: Block, document: Document, redact: Callable[[str], str]) -> None:
    place = block.locator
    text = redact(block.text)
    marks = marks_within(document.marks, *place.chars) if text == block.text else LineMarks()
    builder.cell = place.cell
    builder.add(
        LinedText(text, tuple(zip(marks.chars, marks.lines, strict=True))) if marks.chars else text,
        block.kind,
        heading_path=tuple(map(redact, block.heading_path)),
        level=block.level,
        grid=None if block.grid is None else _redact_grid(document.grids[block.grid], redact),
        name=block.name,
        page=place.page,
        last_page=place.last_page,
        bbox=place.bbox,
        lines=place.lines,
        sheet=place.sheet,
        cells=place.cells,
        section=redact(place.section) if place.section else None,
    )


def _redact_grid(grid: Grid, redact: Callable[[str], str]) -> Grid:
    cells = tuple(replace(cell, text=redact(cell.text)) for cell in grid.cells)
    lines = tuple(replace(line, text=redact(line.text)) for line in grid.row_lines)
    notes = tuple(map(redact, grid.notes))
    return replace(grid, cells=cells, caption=redact(grid.caption), notes=notes, row_lines=lines)
