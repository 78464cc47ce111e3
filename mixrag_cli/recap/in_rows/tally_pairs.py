"""Extract and compute over a table of records whose rows a question parts in two: one tally beside another.

"how many more women than men …"          two texts of one column            count - count
"by how much does A's height exceed B's"  the same, of one row each          value - value
"what share of it came from hydro"        part of the rows, and all of them  sum / sum
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from mixrag_cli.quantities.facets import without_facets
from mixrag_cli.recap.evidence import EvidenceBase, surroundings_of
from mixrag_cli.recap.in_rows.filters import RowFilter, find_filters, is_record_table
from mixrag_cli.recap.in_rows.row_words import EVENT_WORDS, row_words, says_joined
from mixrag_cli.recap.in_rows.tallies import ColumnMatch, match_records
from mixrag_cli.recap.in_rows.tally_question import Tally
from mixrag_cli.recap.in_rows.tally_rows import TallyRows
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import AVERAGE, TOTAL
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.scan import Filter

PAIR = 2
_COUNTED = re.compile(r"\bhow many (?:more|fewer|less)\b", re.IGNORECASE)
_COMPARES = re.compile(r"\bthan\b|\bexceed|\bdiffer|\bgap\b", re.IGNORECASE)
_LESS = re.compile(r"\b(?:fewer|less|lower|smaller|shorter|younger|lighter|cheaper)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TallyPair:
    """Two tallies of one column, in the order of the operation's formula."""

    operation: Literal["difference", "share"]
    first: ColumnMatch
    second: ColumnMatch

    @property
    def coverage(self) -> float:
        """The part of the question that both say."""
        return min(self.first.coverage, self.second.coverage)


def match_tally_pair(restated: Restated, base: EvidenceBase) -> TallyPair | None:
    """The best pair over the tables of records, None where the question parts no table's rows in two."""
    pairs = [
        pair
        for hit, table in base.placed_tables()
        if is_record_table(table)
        and (pair := _in_table(restated, hit, table, base)) is not None
        and pair.first.column == pair.second.column
    ]
    return max(pairs, key=lambda pair: pair.coverage, default=None)


def _in_table(restated: Restated, hit: Hit, table: Table, base: EvidenceBase) -> TallyPair | None:
    if restated.operation == "difference":
        filters = find_filters(restated.question, table)
        sides = _two_texts(filters) if _COMPARES.search(restated.question) else None
        if sides is None or len(restated.whole.facets.years) > 1:  # two years are a change, not two parts of the rows
            return None
        tally = _compared(restated, is_one_row=any(_is_key(each.filter.column, hit, table, base) for each in filters))
        one, other = (match_records(restated, tally, hit, table, base, side) for side in sides)
        if one is None or other is None:
            return None
        is_less = _LESS.search(restated.question) is not None
        return TallyPair("difference", one if is_less else other, other if is_less else one)
    if restated.operation != "share" or len(restated.operands) != PAIR:
        return None
    of_all = find_filters(restated.question, table)
    of_part = find_filters(without_facets(restated.operands[0].text), table)  # times hold for the whole as well
    of_whole = tuple(each for each in of_all if each.filter not in [part.filter for part in of_part])
    if not of_part or len(of_whole) + len(of_part) != len(of_all):
        return None
    return _share(restated, hit, table, base, of_all, of_whole)


def _two_texts(filters: Sequence[RowFilter]) -> tuple[tuple[RowFilter, ...], tuple[RowFilter, ...]] | None:
    """The conditions with either of the two texts that one of them allows, as the question orders them."""
    double = [each for each in filters if isinstance(each.filter.value, tuple)]
    if len(double) != 1 or not isinstance(texts := double[0].filter.value, tuple) or len(texts) != PAIR:
        return None
    first, second = (tuple(_with_text(each, text) if each is double[0] else each for each in filters) for text in texts)
    return first, second


def _with_text(each: RowFilter, text: str) -> RowFilter:
    name = each.label.partition(" = ")[0]
    return replace(each, filter=Filter(each.filter.column, "=", text), label=f"{name} = {text}")


def _compared(restated: Restated, *, is_one_row: bool) -> Tally:
    """What is compared: averages, totals, numbers of rows, or the values of one row each."""
    question = restated.question
    if is_one_row:
        return Tally("maximum", of_one_row=True)
    if AVERAGE.search(question):
        return Tally("average")
    if _COUNTED.search(question):
        return Tally("count")
    return Tally("sum") if TOTAL.search(question) else Tally("maximum", of_one_row=True)


def _share(
    restated: Restated,
    hit: Hit,
    table: Table,
    base: EvidenceBase,
    of_part: tuple[RowFilter, ...],
    of_whole: tuple[RowFilter, ...],
) -> TallyPair | None:
    """Of a column's amounts where one is meant, of the rows themselves where these are asked for."""
    said = frozenset().union(*(each.said for each in of_part))
    are_kinds = not any(_is_key(each.filter.column, hit, table, base) for each in of_part)
    tallies = (Tally("sum"), Tally("count")) if are_kinds and _asks_rows(restated, hit, table) else (Tally("sum"),)
    for tally in tallies:
        part, whole = (match_records(restated, tally, hit, table, base, rows, said) for rows in (of_part, of_whole))
        if part is not None and whole is not None and not part.is_distinct and 0 <= part.value <= whole.value:
            return TallyPair("share", part, whole) if whole.value else None
    return None


def _is_key(column: int, hit: Hit, table: Table, base: EvidenceBase) -> bool:
    """Whether each row has a text of its own in the column, so that a condition on it leaves one row and no kind."""
    header = next(each for each in table.columns if each.index == column)
    return TallyRows(hit, table, (), base).is_key(header)


def _asks_rows(restated: Restated, hit: Hit, table: Table) -> bool:
    """Whether the whole is what the rows are: by the title or the file's name, or people where each has an age."""
    around, _ = surroundings_of(hit, table)
    terms = restated.operands[-1].terms
    rows = row_words(restated.question, terms, table, around) - EVENT_WORDS
    return bool(terms) and (says_joined(around, terms[-1]) or terms[-1] in rows)
