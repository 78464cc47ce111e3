"""Each claim of a draft against the passage it names: the quote, the number in it, its unit and its place.

    claim ─► its passage was given? ─► the quote stands in it? ─► the value is a number of the quote? ─► evidence

What is kept of a claim is the document's: the number as the table or the text has it, with the unit and the scale that
its headers give. The model's own value only has to agree with it, in one of the ways in which people write it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from mixrag_cli.line_marks import narrow_to
from mixrag_cli.quantities.prose_numbers import find_numbers
from mixrag_cli.quantities.said_numbers import only_number
from mixrag_cli.quantities.unit_words import find_unit_and_scale
from mixrag_cli.quotes import find_quote
from mixrag_cli.recap.generated.drafts import Claim
from mixrag_cli.recap.generated.packing import Passage
from mixrag_cli.records.answers import Evidence
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.text import cell_label, key_columns

MAX_QUOTE_CHARS = 500
MAX_NAME_CHARS = 12  # of a model's own name for something, as a reason repeats it

Span = tuple[int, int]  # [start, end) in a passage's text


@dataclass(frozen=True, slots=True)
class Verified:
    """The claims that hold, by the model's own ids, and why the others do not. Evidence.source is 0: not yet cited."""

    evidence: dict[str, Evidence] = field(default_factory=dict)
    passages: dict[str, Passage] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)


def verify_claims(claims: Sequence[Claim], passages: Sequence[Passage]) -> Verified:
    """What of the claims stands in the passages."""
    by_id = {passage.id: passage for passage in passages}
    verified = Verified()
    for claim in claims:
        passage = by_id.get(claim.source)
        if passage is None:
            verified.faults[claim.id] = f"{told(claim.id)} cites {told(claim.source)}, which was not given"
        elif isinstance(found := verify_claim(claim, passage), str):
            verified.faults[claim.id] = found
        else:
            verified.evidence[claim.id] = found
            verified.passages[claim.id] = passage
    return verified


def told(name: str) -> str:
    """A model's own name for something, where it is no more than a name: reasons go back into the prompt."""
    return name if name.isascii() and name.isidentifier() and len(name) <= MAX_NAME_CHARS else "a piece"


def verify_claim(claim: Claim, passage: Passage) -> Evidence | str:
    """The claim as evidence, or why it is none."""
    span = find_quote(claim.quote, passage.text)
    if span is None:
        return f"the quote of {told(claim.id)} does not stand in {passage.id} letter by letter"
    quoted = _quoted(claim, passage, span)
    numbers = _numbers_in_quote(quoted, passage, span)
    if not any(sign.isdigit() for sign in claim.value):
        only = numbers[0] if len(numbers) == 1 else quoted
        return replace(quoted, value=only.value, unit=only.unit, scale=only.scale)
    agreeing = [number for number in numbers if _agrees(claim, number)]
    if not agreeing:
        return f"the value of {told(claim.id)} is not the number that its quote says"
    if len({(number.value, number.unit, number.scale) for number in agreeing}) > 1:
        return f"the quote of {told(claim.id)} does not tell which number is meant"
    return agreeing[0]


def written_forms(piece: Evidence) -> tuple[Decimal, ...]:
    """The piece's number as the document writes it and in base units; () of one without a number."""
    return () if piece.value is None else (piece.value, piece.value * piece.scale)


def _agrees(claim: Claim, number: Evidence) -> bool:
    """Whether the model's value is the document's: as written, in base units, as a fraction, or at its own scale."""
    said = only_number(claim.value)
    if said is None or said.value is None or number.value is None:
        return False
    scale = said.scale * find_unit_and_scale(claim.unit)[1]
    as_fraction = number.unit == "%" and said.value == number.value / 100
    in_units = scale > 1 and said.value * scale == number.value * number.scale
    return said.value in written_forms(number) or as_fraction or in_units


# --- numbers and places -------------------------------------------------------------------------------------------


def _quoted(claim: Claim, passage: Passage, span: Span) -> Evidence:
    """The quote at its place: in prose narrowed to its lines where lines are counted."""
    chunk, quote = passage.hit.chunk, passage.text[slice(*span)][:MAX_QUOTE_CHARS]
    if passage.table is not None:
        return Evidence(claim.id, 0, quote, passage.table.title, locator=passage.table.locator)
    return Evidence(claim.id, 0, quote, chunk.context, locator=narrow_to(chunk.locator, passage.text, *span))


def _numbers_in_quote(quoted: Evidence, passage: Passage, span: Span) -> list[Evidence]:
    """The numbers that the quote holds, each with what the document says of it."""
    if passage.table is not None:
        return _cells_in_quote(quoted, passage, passage.table, span)
    # Units and scales may stand right behind a short quote ("412" of "412 million"), so the passage is read whole.
    digits = _digits(passage.text[slice(*span)])
    return [
        replace(quoted, value=number.value, unit=number.unit, scale=number.scale)
        for start, end, number in find_numbers(passage.text)
        if start < span[1] and end > span[0] and _digits(number.text) in digits
    ]


def _digits(text: str) -> str:
    return "".join(sign for sign in text if sign.isdigit())


def _cells_in_quote(quoted: Evidence, passage: Passage, table: Table, span: Span) -> list[Evidence]:
    """The numbers of the rows that the quote touches: the cells whose own text it holds."""
    first, last = (passage.text[:place].count("\n") for place in span)
    touched = {passage.rows[line] for line in range(first, last + 1) if line in passage.rows}
    rows = {row.index: row for row in table.rows if row.index in touched}
    keys, quote = key_columns(table), passage.text[slice(*span)]
    return [
        _cell_evidence(quoted, table, rows[row], cell)
        for cell in table.cells
        if cell.value is not None and cell.column not in keys
        for row in range(cell.row, cell.row + cell.row_span)
        if row in rows and find_quote(cell.text, quote) is not None
    ]


def _cell_evidence(quoted: Evidence, table: Table, row: Header, cell: Cell) -> Evidence:
    column = next((header for header in table.columns if header.index == cell.column), Header(cell.column, ()))
    place = table.locator
    lines = (cell.line, cell.line) if cell.line is not None else place.lines
    where = replace(place, cells=cell.address or place.cells, bbox=cell.bbox or place.bbox, lines=lines)
    return Evidence(quoted.id, 0, cell.text, cell_label(row, column), cell.value, cell.unit, cell.scale, where)
