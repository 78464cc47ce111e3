"""Extract and compute over a table of records whose rows a question parts in two: one tally beside another.

"how many more women than men …"          two texts of one column            count - count
"by how much does A's height exceed B's"  the same, of one row each          value - value
"what share of it came from hydro"        part of the rows, and all of them  sum / sum
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.in_rows.filters import RowFilter, find_filters, is_record_table
from mixrag_cli.recap.in_rows.tallies import ColumnMatch, match_records
from mixrag_cli.recap.in_rows.tally_question import Tally
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import AVERAGE, COUNT, TOTAL
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.scan import Filter

PAIR = 2
Filters = tuple[RowFilter, ...]


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
        for pair in _in_table(restated, hit, table, base)
        if pair.first.column == pair.second.column
    ]
    return max(pairs, key=lambda pair: pair.coverage, default=None)


def _in_table(restated: Restated, hit: Hit, table: Table, base: EvidenceBase) -> Iterator[TallyPair]:
    filters = find_filters(restated.question, table)
    if restated.operation == "difference":
        for one, other in _two_texts(filters):
            found = _both(restated, _compared(restated), hit, table, base, (one, other))
            if found is not None:
                yield TallyPair("difference", found[1], found[0])  # what is taken away stands first
    elif restated.operation == "share":
        for part in filters:
            whole = tuple(each for each in filters if each is not part)
            for tally in (Tally("sum"), Tally("count")):
                found = _both(restated, tally, hit, table, base, (filters, whole), part.said)
                if found is not None and 0 <= found[0].value <= found[1].value and found[1].value:
                    yield TallyPair("share", *found)
                    break


def _both(
    restated: Restated,
    tally: Tally,
    hit: Hit,
    table: Table,
    base: EvidenceBase,
    sides: tuple[Filters, Filters],
    said: frozenset[str] = frozenset(),
) -> tuple[ColumnMatch, ColumnMatch] | None:
    one, other = (match_records(restated, tally, hit, table, base, side, said) for side in sides)
    if one is None or other is None or one.is_distinct or other.is_distinct:
        return None
    return one, other


def _two_texts(filters: Filters) -> Iterator[tuple[Filters, Filters]]:
    """The conditions with either of the two texts that one of them allows, as the question orders them."""
    for double in filters:
        texts = double.filter.value
        if isinstance(texts, tuple) and len(texts) == PAIR:
            first, second = (
                tuple(_with_text(each, text) if each is double else each for each in filters) for text in texts
            )
            yield first, second


def _with_text(each: RowFilter, text: str) -> RowFilter:
    name = each.label.partition(" = ")[0]
    return replace(each, filter=Filter(each.filter.column, "=", text), label=f"{name} = {text}")


def _compared(restated: Restated) -> Tally:
    """What is compared: averages, totals, numbers of rows, or the values of one row each."""
    question = restated.question
    if AVERAGE.search(question):
        return Tally("average")
    if TOTAL.search(question):
        return Tally("sum")
    return Tally("count") if COUNT.search(question) else Tally("maximum", of_one_row=True)
