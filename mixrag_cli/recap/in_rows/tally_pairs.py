"""Extract and compute over a table of records whose rows a question parts in two: one tally beside another.

"how many more women than men …"          two texts of one column            count - count
"by how much does A's height exceed B's"  the same, of one row each          value - value
"what share of it came from hydro"        part of the rows, and all of them  sum / sum
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, cast

from mixrag_cli.quantities.facets import without_facets
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.in_rows.column_texts import is_key, is_record_table
from mixrag_cli.recap.in_rows.filters import RowFilter, find_filters
from mixrag_cli.recap.in_rows.tallies import ColumnMatch, match_records
from mixrag_cli.recap.in_rows.tally_question import Tally
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import AVERAGE, LESS, TOTAL, any_of
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.scan import Filter

PAIR = 2
_COUNTED = any_of("how many more, how many fewer, how many less")


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
    in_table = {"difference": _differences, "share": _shares}.get(restated.operation)
    if in_table is None:
        return None
    tables = ((hit, table) for hit, table in base.placed_tables() if is_record_table(table))
    pairs = (pair for hit, table in tables for pair in in_table(restated, hit, table, base))
    return max(
        (pair for pair in pairs if pair.first.column == pair.second.column),
        key=lambda pair: pair.coverage,
        default=None,
    )


def _differences(restated: Restated, hit: Hit, table: Table, base: EvidenceBase) -> Iterator[TallyPair]:
    """Of two texts of one column; two years are a change, not two parts of the rows."""
    filters = find_filters(restated.question, table)
    double = [each for each in filters if isinstance(each.filter.value, tuple) and len(each.filter.value) == PAIR]
    if len(double) != 1 or len(restated.whole.facets.years) > 1:
        return
    texts = cast("tuple[str, str]", double[0].filter.value)
    sides = [tuple(_with_text(each, text) if each is double[0] else each for each in filters) for text in texts]
    is_one_row = any(is_key(table, column) for column in table.columns if column.index == double[0].filter.column)
    tally = _compared(restated.question, is_one_row=is_one_row)
    one, other = (match_records(restated, tally, hit, table, base, side) for side in sides)
    if one is not None and other is not None:
        is_less = LESS.search(restated.question) is not None
        yield TallyPair("difference", one if is_less else other, other if is_less else one)


def _with_text(each: RowFilter, text: str) -> RowFilter:
    name = each.label.partition(" = ")[0]
    return replace(each, filter=Filter(each.filter.column, "=", text), label=f"{name} = {text}")


def _compared(question: str, *, is_one_row: bool) -> Tally:
    """What is compared: averages, totals, numbers of rows, or the values of one row each."""
    if is_one_row:
        return Tally("maximum", of_one_row=True)
    if AVERAGE.search(question):
        return Tally("average")
    if _COUNTED.search(question):
        return Tally("count")
    return Tally("sum") if TOTAL.search(question) else Tally("maximum", of_one_row=True)


def _shares(restated: Restated, hit: Hit, table: Table, base: EvidenceBase) -> Iterator[TallyPair]:
    """Of the column that is meant, the rows of the part in those of the whole; without a column, of the rows."""
    if len(restated.operands) != PAIR:
        return
    of_all = find_filters(restated.question, table)
    of_part = find_filters(without_facets(restated.operands[0].text), table)  # times hold for the whole as well
    of_whole = tuple(each for each in of_all if each.filter not in [part.filter for part in of_part])
    if not of_part or len(of_whole) + len(of_part) != len(of_all):
        return
    said = frozenset().union(*(each.said for each in of_part))
    of_kinds = not any(
        is_key(table, column) for column in table.columns if column.index in {p.filter.column for p in of_part}
    )
    for tally in (Tally("sum"), Tally("count")) if of_kinds else (Tally("sum"),):
        part, whole = (match_records(restated, tally, hit, table, base, rows, said) for rows in (of_all, of_whole))
        if part is not None and whole is not None and not part.is_distinct and 0 <= part.value <= whole.value:
            if whole.value:
                yield TallyPair("share", part, whole)
            return
