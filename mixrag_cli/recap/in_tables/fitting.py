"""The cells that a question can mean: those that contradict nothing it says, and the one that its conditions choose.

The pairs' scores weigh what a cell's paths say. Some things outweigh any score: a record that is another than the one
named, another place in an order, a text that only repeats the question.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from mixrag_cli.quantities.facets import ordinal_conflict
from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import RIGHT_TIME, EvidenceBase, stems_of, surroundings_of
from mixrag_cli.recap.in_rows.columns import match_column
from mixrag_cli.recap.in_rows.days import is_of_other_day
from mixrag_cli.recap.in_rows.filters import failed_filters, find_filters, is_record_table
from mixrag_cli.recap.in_rows.tally_question import Tally
from mixrag_cli.recap.in_tables.cells import CellMatch, match_cells
from mixrag_cli.recap.in_tables.rivals import has_plainer, is_of_other_number, says_other_currency
from mixrag_cli.recap.restate import Expects, Restated
from mixrag_cli.recap.wording import COMPARATIVES, COUNT, MONEY, PERCENT, PERCENT_UNITS
from mixrag_cli.words import COMMON_WORDS, UNIT_WORDS, match_heading, says_nothing_new, stem, words_of

CHOSEN = 1.0  # of a score: the one record that meets all conditions goes before any cell that is only likely
# Counted in any table of people, of money, of parts or of time, whatever its headers call them.
_MEASURED = """
    people person individual inhabitant resident percent percentage point dollar euro pound cent thousand
    million billion time second minute hour day week month year metre meter kilometre kilometer mile gram kilogram
    tonne litre liter
"""
MEASURED = UNIT_WORDS | {stem(word) for word in _MEASURED.split()}
SPENT = re.compile(
    r"\bhow much (?:money )?(?:is|was|are|were|do|does|did|has|have|had)\b[^?]*\b(?:spen[dt]|paid|pay|cost)\b",
    re.IGNORECASE,
)
# Of many rows, or of a line that says the limit ("65 and older"); never of one row that says nothing of it.
_COMPARED = re.compile(rf"\b(?:{'|'.join(COMPARATIVES)}) than (\d+(?:\.\d+)?)", re.IGNORECASE)
_ALONE = re.compile(
    r"\b(\w+) (?:alone|only)\b|\b(?:only|solely|exclusively) (?:from|by|in|for|of) (\w+)", re.IGNORECASE
)
_PRICE = re.compile(r"\bprices?\b", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\bhow many ((?:[\w-]+ ){0,3}?[\w-]+)"
    r"(?= (?:are|is|was|were|do|does|did|has|have|had|can|may|must|will|would|in|of|on)\b|\W*$)",
    re.IGNORECASE,
)
BESIDE = 6  # more cells than asked for are looked at, in the place of those that contradict the question


def fitting_cells(
    operand: Operand, restated: Restated, base: EvidenceBase, expects: Expects, limit: int = 5
) -> list[CellMatch]:
    """The best cells for the operand that contradict nothing it says, best first."""
    names = restated.names & set(operand.terms)
    fits = partial(_fits, question=operand.text)
    found = match_cells(operand, base, names, expects, limit + BESIDE, fits)
    fitting = [match for match in found if fits(match) and knows_alone(match, operand.text, base)]
    fitting = [
        match for match in fitting if not is_of_other_day(restated.question, match.hit, match.table, base, match.label)
    ]
    return [match for match in fitting if knows_counted(match, operand.text, base)][:limit]


def _fits(match: CellMatch, question: str) -> bool:
    return not contradicts(match, question)


def knows_counted(match: CellMatch, question: str, base: EvidenceBase) -> bool:
    """Whether what "how many" counts is said by the cell's headers, around its table or anywhere in its file."""
    counted = [word for word in counted_words(question) if word not in COMMON_WORDS]
    known = base.knows.get(match.hit.chunk.document, frozenset())
    if not counted or set(counted) & (MEASURED | known):
        return True
    around, _ = surroundings_of(match.hit, match.table)
    near = (*stems_of(match.label), *around)
    return any(match_heading(word, near) > 0 for word in counted)


def knows_alone(match: CellMatch, question: str, base: EvidenceBase) -> bool:
    """Whether what is asked for alone ("from hydro alone") is said by the headers, around them or in the file at all.

    A whole of which it may be a part is no answer.
    """
    alone = _ALONE.search(question)
    if alone is None:
        return True
    word = stem((alone[1] or alone[2]).lower())
    known = base.knows.get(match.hit.chunk.document, frozenset())
    around, _ = surroundings_of(match.hit, match.table)
    near = (*stems_of(match.label), *around, *known)
    return word in COMMON_WORDS or word.isdigit() or match_heading(word, near) > 0


def contradicts(match: CellMatch, question: str) -> bool:
    """Whether the question speaks of another record, of another place in an order, of money where the cell is a
    percentage, or says the cell's text itself."""
    if ordinal_conflict(question, match.label) or says_nothing_new(match.cell.text, question):
        return True
    if match.cell.unit in PERCENT_UNITS and SPENT.search(question) and not PERCENT.search(question):
        return True
    if (
        COUNT.search(question)
        and not MONEY.search(question)
        and _PRICE.search(match.label)
        and not _PRICE.search(question)
    ):
        return True
    if is_of_other_number(match, question) or says_other_currency(match, question) or has_plainer(match, question):
        return True
    limit = _COMPARED.search(question)
    if limit is not None and limit[1] not in words_of(match.label):
        return True
    table = match.table
    if table.total_rows > len(table.rows) or not is_record_table(table):
        return False
    return bool(failed_filters(find_filters(question, table), table, match.row.index))


def counted_words(question: str) -> tuple[str, ...]:
    """The stems of all words that say what "how many" counts, in order; the thing itself is the last of them."""
    asked = _HOW_MANY.search(question)
    return tuple(stem(word) for word in words_of(asked.group(1))) if asked else ()


def chosen_cell(operand: Operand, restated: Restated, base: EvidenceBase) -> CellMatch | None:
    """The cell of the one record that the operand's conditions leave, None where they leave none or several."""
    asked = replace(restated, question=operand.text, operation="lookup", expects="number", whole=operand)
    match = match_column(asked, base, Tally("maximum", is_sure=False, of_one_row=True))
    if match is None or not match.best:
        return None
    row, cell = match.best[0]
    time = RIGHT_TIME if operand.facets else 0.0
    return CellMatch(
        match.hit, match.table, cell, row, match.column, match.coverage + CHOSEN, match.coverage, time, match.coverage
    )
