"""Each claim of a draft against the passage it names: the quote, the number in it, its unit and its place.

    claim ─► its passage was given? ─► the quote stands in it? ─► the value is a number of the quote? ─► evidence

What is kept of a claim is the document's: the number as the table or the text has it, with the unit and the scale that
its headers give. The model's own value only has to agree with it, in one of the ways in which people write it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from mixrag_cli.line_marks import narrow_to
from mixrag_cli.quantities.prose_numbers import find_numbers
from mixrag_cli.quantities.unit_words import find_unit_and_scale
from mixrag_cli.quantities.values import parse_value
from mixrag_cli.recap.generated.drafts import Claim
from mixrag_cli.recap.generated.packing import Passage
from mixrag_cli.recap.support import find_quote, is_rounding_of
from mixrag_cli.records.answers import Evidence
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header
from mixrag_cli.tables.text import cell_label, key_columns

MAX_QUOTE_CHARS = 500


@dataclass(frozen=True, slots=True)
class Verified:
    """The claims that hold, by the model's own ids, and why the others do not. Evidence.source is 0: not yet cited."""

    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    passages: Mapping[str, Passage] = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Number:
    """A number of a passage with what the document says of it."""

    value: Decimal
    unit: str
    scale: int
    quote: str
    label: str
    locator: Locator


def verify_claims(claims: Sequence[Claim], passages: Sequence[Passage]) -> Verified:
    """What of the claims stands in the passages."""
    by_id = {passage.id: passage for passage in passages}
    evidence: dict[str, Evidence] = {}
    cited: dict[str, Passage] = {}
    faults: dict[str, str] = {}
    for claim in claims:
        passage = by_id.get(claim.source)
        if passage is None:
            faults[claim.id] = f"{told(claim.id)} cites {told(claim.source)}, which was not given"
            continue
        found = verify_claim(claim, passage)
        if isinstance(found, str):
            faults[claim.id] = found
        else:
            evidence[claim.id] = found
            cited[claim.id] = passage
    return Verified(evidence, cited, faults)


def told(name: str) -> str:
    """A model's own name for something, where it is no more than a name: reasons go back into the prompt."""
    return name if re.fullmatch(r"\w{1,12}", name, re.ASCII) else "a piece"


def verify_claim(claim: Claim, passage: Passage) -> Evidence | str:
    """The claim as evidence, or why it is none."""
    span = find_quote(claim.quote, passage.text)
    if span is None:
        return f"the quote of {told(claim.id)} does not stand in {passage.id} letter by letter"
    quote = passage.text[span[0] : span[1]][:MAX_QUOTE_CHARS]
    numbers = _numbers_in_quote(passage, span)
    said = claim.value or ""
    if not numbers or not any(sign.isdigit() for sign in said):
        if any(sign.isdigit() for sign in said):
            return f"the value of {told(claim.id)} is no number of its quote"
        where, label = _place(passage, span)
        return _evidence(claim.id, quote, label, where, numbers[0] if len(numbers) == 1 else None)
    agreeing = [number for number in numbers if _agrees(said, claim.unit, number)]
    if not agreeing:
        return f"the value of {told(claim.id)} is not the number that its quote says"
    if len({(number.value, number.unit, number.scale) for number in agreeing}) > 1:
        return f"the quote of {told(claim.id)} does not tell which number is meant"
    number = agreeing[0]
    quote = number.quote if passage.table is not None else quote
    return _evidence(claim.id, quote, number.label, number.locator, number)


def _evidence(name: str, quote: str, label: str, where: Locator, number: _Number | None) -> Evidence:
    if number is None:
        return Evidence(name, 0, quote, label, locator=where)
    return Evidence(name, 0, quote, label, number.value, number.unit, number.scale, where)


def _agrees(said: str, unit: str, number: _Number) -> bool:
    """Whether the model's value is the document's: as written, in base units, as a fraction, or at its own scale."""
    value = parse_value(f"{said}").value
    if value is None:
        found = [each for _, _, each in find_numbers(said) if each.value is not None]
        if len(found) != 1 or found[0].value is None:
            return False
        value = found[0].value
    own_scale = parse_value(said).scale * (find_unit_and_scale(unit)[1] if unit else 1)
    forms = {number.value, number.value * number.scale}
    if number.unit == "%":
        forms.add(number.value / 100)
    return value in forms or (own_scale > 1 and value * own_scale == number.value * number.scale)


# --- numbers and places -------------------------------------------------------------------------------------------


def _numbers_in_quote(passage: Passage, span: tuple[int, int]) -> list[_Number]:
    if passage.table is not None:
        return [
            _cell_number(passage, row, cell) for row, cell in _quoted_cells(passage, span) if cell.value is not None
        ]
    text = passage.text[span[0] : span[1]]
    # Units and scales may stand right behind a short quote ("412" of "412 million"), so the sentence is read whole.
    where, label = _place(passage, span)
    return [
        _Number(value.value, value.unit, value.scale, value.text, label, where)
        for start, end, value in find_numbers(passage.text)
        if value.value is not None and _covers(span, start, end, value.text, text)
    ]


def _covers(span: tuple[int, int], start: int, end: int, number: str, quote: str) -> bool:
    """Whether the quote holds the number's digits, though not its unit."""
    digits = "".join(sign for sign in number if sign.isdigit())
    return start < span[1] and end > span[0] and digits in "".join(sign for sign in quote if sign.isdigit())


def _quoted_cells(passage: Passage, span: tuple[int, int]) -> list[tuple[Header, Cell]]:
    """The cells of the rows that the quote touches: those whose own text it holds; with no such cell, none."""
    table = passage.table
    assert table is not None
    touched = _touched_rows(passage, span)
    rows = {row.index: row for row in table.rows if row.index in touched}
    keys = key_columns(table)
    quote = passage.text[span[0] : span[1]]
    return [
        (rows[row], cell)
        for cell in table.cells
        if cell.column not in keys
        for row in range(cell.row, cell.row + cell.row_span)
        if row in rows and cell.text.strip() and find_quote(cell.text, quote) is not None
    ]


def _touched_rows(passage: Passage, span: tuple[int, int]) -> frozenset[int]:
    first = passage.text[: span[0]].count("\n")
    last = passage.text[: span[1]].count("\n")
    return frozenset(passage.rows[line] for line in range(first, last + 1) if line in passage.rows)


def _cell_number(passage: Passage, row: Header, cell: Cell) -> _Number:
    table = passage.table
    assert table is not None and cell.value is not None
    column = next((header for header in table.columns if header.index == cell.column), Header(cell.column, ()))
    lines = (cell.line, cell.line) if cell.line is not None else table.locator.lines
    where = replace(
        table.locator, cells=cell.address or table.locator.cells, bbox=cell.bbox or table.locator.bbox, lines=lines
    )
    return _Number(cell.value, cell.unit, cell.scale, cell.text, cell_label(row, column), where)


def _place(passage: Passage, span: tuple[int, int]) -> tuple[Locator, str]:
    """Where a quote stands, narrowed to its lines where lines are counted, and what it stands under."""
    if passage.table is not None:
        return passage.table.locator, passage.table.title
    return narrow_to(passage.hit.chunk.locator, passage.text, *span), passage.hit.chunk.context


# --- numbers that stand in a formula as themselves ------------------------------------------------------------------


def operand_for(number: Decimal, evidence: Mapping[str, Evidence]) -> str | None:
    """The one piece of evidence that says this number, None where none or several different ones do."""
    found = [name for name, piece in evidence.items() if piece.value is not None and _says(number, piece)]
    return found[0] if found else None


def _says(number: Decimal, piece: Evidence) -> bool:
    value = abs(piece.value) if piece.value is not None else Decimal("NaN")
    return number in (value, value * piece.scale)


def number_said(text: str, values: Iterable[Decimal]) -> bool:
    """Whether the text's one number rounds one of the values, its sign apart."""
    found = [each.value for _, _, each in find_numbers(text) if each.value is not None]
    whole = parse_value(text).value
    number = whole if whole is not None else found[0] if len(found) == 1 else None
    return number is not None and any(is_rounding_of(abs(number), abs(value)) for value in values)
