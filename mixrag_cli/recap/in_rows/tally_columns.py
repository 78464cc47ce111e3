"""Which column a question tallies, by which one it groups, and whether it counts rows or adds amounts up."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.quantities.facets import ordinal_conflict
from mixrag_cli.recap.evidence import stems_of
from mixrag_cli.recap.in_rows.column_texts import distinct_texts, is_numeric, is_year_column
from mixrag_cli.recap.in_rows.row_words import COUNTED_REACH, EVENT_WORDS, ROW_WORDS, row_words, says_joined
from mixrag_cli.recap.in_rows.tally_question import HOW_MANY, Tally, TallyOperation
from mixrag_cli.recap.in_rows.tally_rows import TallyRows
from mixrag_cli.recap.in_tables.sides import unasked_part
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import measures_implied
from mixrag_cli.records.tables import Header, Table
from mixrag_cli.tables.text import key_columns
from mixrag_cli.words import ABBREVIATION_MATCH, COMMON_WORDS, is_joined_in, is_skeleton, match_heading, stem, words_of

MAX_COLUMN_EXTRA = 0.5  # of a column's leaf label that the question need not say
EXTRA_WORDS = 0.3  # as in cells: a label that says more than was asked
_IN_UNIT = re.compile(
    r"\b(?:average|mean|highest|greatest|largest|lowest|least|smallest|maximum|minimum|total)"
    r" ((?:\w+ ){1,3})in (\w+)\b",
    re.IGNORECASE,
)


def find_measured(
    restated: Restated,
    tally: Tally,
    rows: TallyRows,
    terms: Sequence[str],
    around: Sequence[str],
    of_source: frozenset[str],
) -> tuple[Header, TallyOperation, float] | None:
    """The column to tally, the operation on it, and how well its label fits.

    of_source: stems of words that only name the file.
    """
    table = rows.table
    if tally.operation == "count" and not tally.by:
        return _counted(restated.question, rows, around, row_words(restated.question, terms, table, around))
    asked = {stem(word) for word in words_of(restated.question)} - of_source | measures_implied(restated.question)
    # A column's whole name counts, be it a word as common as "value".
    named = {stems[0] for header in table.columns if len(stems := stems_of(header.leaf)) == 1} & asked
    weights = {term: rows.base.weight(term) for term in (*terms, *sorted(named.difference(terms)))}
    compared = {each.filter.column for each in rows.filters}
    numeric = [
        header
        for header in table.columns
        if is_numeric(table, header) and not ordinal_conflict(restated.question, header.leaf)
    ]
    for candidates in ([header for header in numeric if header.index not in compared], numeric):
        fits = [(_fit(header, weights), -len(stems_of(header.leaf)), -n, header) for n, header in enumerate(candidates)]
        fit, _, _, header = max(fits, default=(0.0, 0, 0, None), key=lambda one: one[:3])
        if header is not None and fit > 0 and unasked_heading(header, tuple(weights)) <= MAX_COLUMN_EXTRA:
            return header, "sum" if tally.operation == "count" else tally.operation, fit
    if tally.operation == "sum" and (only := _only_amount(table)) is not None:
        return only, "sum", 0.0
    return (table.columns[0], "count", 1.0) if tally.operation == "count" else None


def _only_amount(table: Table) -> Header | None:
    """The one column of figures of a table in long form: beside it stand texts, years and dates that say of what."""
    keys = key_columns(table)
    amounts = [
        header
        for header in table.columns
        if is_numeric(table, header) and not is_year_column(table, header) and header.index not in keys
    ]
    return amounts[0] if len(amounts) == 1 and len(table.columns) > 1 and len(keys) > 1 else None


def _fit(header: Header, weights: dict[str, float]) -> float:
    leaf = stems_of(header.leaf)
    said = sum(weight * _match_measure(term, leaf) for term, weight in weights.items())
    return said / sum(weights.values()) - EXTRA_WORDS * unasked_heading(header, tuple(weights)) if weights else 0.0


def _match_measure(term: str, leaf: Sequence[str]) -> float:
    """As match_heading, less where the heading is the longer word: headings shorten words, questions seldom do."""
    found = match_heading(term, leaf)
    is_shorter = found == ABBREVIATION_MATCH and all(len(term) < len(word) for word in leaf)
    return found / 2 if is_shorter else found


def unasked_heading(header: Header, terms: Sequence[str]) -> float:
    """As unasked_part of the header's leaf, where a word is asked that begins or ends with an asked one, or has some of
    its consonants ("hp")."""
    leaf = stems_of(header.leaf)
    joined = (word for word in leaf if any(is_joined_in(term, word) or is_skeleton(word, term) for term in terms))
    return unasked_part(header.leaf, (*terms, *joined))


def words_in_unit(question: str, column: Header) -> frozenset[str]:
    """Stems of the words that a column named as a unit measures: "the mean fuel use in mpg", of a column "mpg"."""
    found = _IN_UNIT.search(question)
    if found is None or stems_of(column.leaf) != (stem(found[2].lower()),):
        return frozenset()
    return frozenset(stem(word) for word in words_of(found[1]))


def _counted(
    question: str, rows: TallyRows, around: Sequence[str], row_stems: frozenset[str]
) -> tuple[Header, TallyOperation, float] | None:
    """What "how many" counts: records, or the amounts in a column of numbers that it names."""
    asked = HOW_MANY.search(question)
    columns = rows.table.columns
    behind = words_of(question[asked.end() :]) if asked else words_of(question)
    keys = key_columns(rows.table)
    if (amount := _amount_named_in_full(behind, rows.table)) is not None:
        return amount, "sum", 1.0
    for word in [stem(word) for word in behind][: COUNTED_REACH if asked else None]:
        named = [header for header in columns if word in stems_of(header.leaf)]
        amounts = [header for header in named if is_numeric(rows.table, header) and header.index not in keys]
        if word in ROW_WORDS or word in row_stems - EVENT_WORDS or says_joined(around, word) or columns[0] in named:
            return columns[0], "count", 1.0
        if any(word in each.said and not each.is_comparison for each in rows.filters):
            amount = _amount_of_one(behind, rows)
            return (amount, "sum", 1.0) if amount is not None else (columns[0], "count", 1.0)
        if amounts:
            return amounts[0], "sum", 1.0
        if named:
            return named[0], "count", 1.0
    return None


def _amount_named_in_full(words: Sequence[str], table: Table) -> Header | None:
    """The column of numbers of which the words begin with the whole name, of several words: "how many days lost"."""
    stems, keys = [stem(word) for word in words], key_columns(table)
    for header in table.columns:
        leaf = stems_of(header.leaf)
        if len(leaf) > 1 and stems[: len(leaf)] == list(leaf) and header.index not in keys:
            return header if is_numeric(table, header) else None
    return None


def _amount_of_one(words: Sequence[str], rows: TallyRows) -> Header | None:
    """The column of numbers that the words name, where they name one row: "how many benches are in stock"."""
    if rows.is_sampled or len(rows.passing()) != 1:
        return None
    stems, keys = {stem(word) for word in words}, key_columns(rows.table)
    amounts = (header for header in rows.table.columns if header.index not in keys and is_numeric(rows.table, header))
    return next((header for header in amounts if stems & set(stems_of(header.leaf))), None)


def find_group_column(words: str, table: Table, measured: Header, of_source: frozenset[str]) -> Header | None:
    """The column of texts that is named first; words of the measured column name no groups ("days per patient").

    of_source: stems of words that only name the file.
    """
    own = {*stems_of(measured.leaf), *of_source}
    texts = [
        header
        for header in table.columns
        if header != measured and (not is_numeric(table, header) or distinct_texts(table, header))
    ]
    for word in words_of(words):
        if word in COMMON_WORDS or stem(word) in own:
            continue
        for header in texts:
            if stem(word) in stems_of(header.leaf):
                return header
    return None
