"""Extract from a table of records: which of its rows a question restricts itself to.

    "… from Spain"              a text that a column holds                     country = Spain
    "… of Larkham Mill"         a part of a text that no other text has        school = LARKHAM MILL ACADEMY
    "… of smokers", "non-…"     the name of a column that says yes or no       smoker = Yes, smoker = No
    "… with a tip above 5"      a comparison beside a column of numbers        tip > 5
    "… in 2019", "class 3"      a number behind its column's name, a year      year = 2019, class = 3
    "the third class", "Q2"     an ordinal before its column's name            class = 3, quarter = 2
    "women", "six-door"         a value in other words (other_words.py)        sex = Female, doors = 6

The words are the table's own; none is known beforehand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from mixrag_cli.quantities.facets import facets_of, ordinals_of
from mixrag_cli.quantities.prose_numbers import find_numbers
from mixrag_cli.recap.in_rows.column_texts import (
    YEAR,
    HeldTable,
    distinct_texts,
    is_date_column,
    is_numeric,
    is_year_column,
    known_texts,
)
from mixrag_cli.recap.in_rows.filter_tokens import Found, Token, leaf_stems, places_of, tokens_of
from mixrag_cli.recap.in_rows.other_words import values_in_other_words
from mixrag_cli.recap.wording import WHOLE_WORDS, measures_implied
from mixrag_cli.records.tables import Cell, Table
from mixrag_cli.tables.scan import Comparison, Filter
from mixrag_cli.tables.text import has_labels, key_columns
from mixrag_cli.words import COMMON_WORDS, stem, words_of

COMPARED_REACH = 4  # words between a column's name and the comparison that is about it
MAX_KEPT = 32  # conditions of a table that are kept for the next look
MAX_TRIED = 12  # stretches of the question around a name that are looked for in the file
NAMED_REACH = 2  # words between a column's name and its value ("class is 3")
MIN_PART = 2  # words of a name that are a part of it in small letters; one that is written as a name is enough
RANGE_ENDS = 2  # numbers side by side that are a text of the column ("80-89")
MAX_HOLDING = 5  # texts with a part in common, beyond which it is no name
YES = frozenset(("yes", "y", "true", "t", "1"))
NO = frozenset(("no", "n", "false", "f", "0"))
_NEGATION = frozenset(("non", "not", "no", "without", "never"))
_LETTERED = re.compile(r"q[1-4]")
_LETTERED_WORD = ("quarter",)
_COMPARISONS: tuple[tuple[Comparison, str], ...] = (
    (">=", r">=|\bat least|\bno (?:less|fewer) than|\bnot less than"),
    ("<=", r"<=|\bat most|\bup to|\b(?:no|not) more than"),
    (
        ">",
        r">|\babove|\bover|\b(?:more|greater|higher|larger|bigger|longer|older|taller|heavier) than"
        r"|\bexceed(?:s|ed|ing)?",
    ),
    ("<", r"<|\bbelow|\bunder|\b(?:less|lower|fewer|smaller|shorter|younger|lighter) than"),
)
COMPARED = re.compile(
    "|".join(f"(?P<c{n}>{words})" for n, (_, words) in enumerate(_COMPARISONS)) + r"|(?P<between>\bbetween)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RowFilter:
    """A condition on the rows. label: for people ("country = Spain"). said: stems of the question that it explains.

    is_comparison: whether its column is compared with a number, and so hardly what is to be measured.
    """

    filter: Filter
    label: str
    said: frozenset[str]
    is_comparison: bool = False

    def passes(self, cell: Cell | None) -> bool:
        """Whether a row with this cell in the column counts."""
        wanted = self.filter.value
        if isinstance(wanted, Decimal):
            return cell is not None and cell.value is not None and _compare(cell.value, self.filter.comparison, wanted)
        text = cell.text.strip().lower() if cell is not None else ""
        if self.filter.comparison == "contains":
            return isinstance(wanted, str) and wanted.lower() in text
        return text in (wanted if isinstance(wanted, tuple) else (wanted.lower(),))


def is_record_table(table: Table) -> bool:
    """Whether the rows are records of one kind under named columns, not labelled lines of a report."""
    return table.total_rows > len(table.rows) or bool(key_columns(table)) or not has_labels(table)


def find_filters(question: str, table: Table) -> tuple[RowFilter, ...]:
    """The conditions on the table's rows that the question says, none of them twice for one stretch of it."""
    return _find_filters(question, HeldTable(table))


@lru_cache(maxsize=MAX_KEPT)
def _find_filters(question: str, held: HeldTable) -> tuple[RowFilter, ...]:
    table = held.table
    tokens = tokens_of(question)
    compared = tuple(_comparisons(question, tokens, table))
    settled = {each.filter.column for each in compared}
    values = (
        *_values(tokens, table),
        *_ordinals(question, tokens, table),
        *values_in_other_words(question, tokens, table),
    )
    whole = _choose([each for each in values if each.column.index not in settled])
    chosen = [*whole, *_parts_of_names(question, tokens, table, whole)]
    return (*compared, *_merged(chosen, tokens), *_yes_no(tokens, table, chosen), *_dates(question, table, chosen))


def failed_filters(filters: Sequence[RowFilter], table: Table, row: int) -> tuple[RowFilter, ...]:
    """Those of the conditions that the row of a table that is held whole does not meet."""
    cells = {cell.column: cell for cell in table.cells if cell.row == row}
    return tuple(each for each in filters if not each.passes(cells.get(each.filter.column)))


def unexplained(question: str, table: Table, terms: Sequence[str], said: Collection[str]) -> tuple[str, ...]:
    """The question's words, as it writes them, that stand for some of its terms and that nothing said explains."""
    heads = _head_stems(table)
    left = []
    for token in tokens_of(question):
        text = question[token.start : token.end]
        own = {stem(word) for word in words_of(text)}
        if own & set(terms) and token.stem not in said and not own <= heads | set(said):
            left.append(text)
    return tuple(left)


def tried_filters(question: str, table: Table, words: Sequence[str]) -> tuple[RowFilter, ...]:
    """Conditions that only the file can confirm: these words of the question as a text of a column of many texts.

    The stretch of the question around the words counts as well, which may name the column ("customer 17").
    """
    tokens = tokens_of(question)
    at = [n for n, token in enumerate(tokens) if question[token.start : token.end] in words]
    if not at:
        return ()
    stretches = [(first, last) for first in range(at[0] + 1) for last in range(at[-1], len(tokens))]
    near = sorted(stretches, key=lambda ends: ends[1] - ends[0])[:MAX_TRIED]
    texts = tuple(question[tokens[first].start : tokens[last].end].lower() for first, last in near)
    columns = [h for h in table.columns if not is_numeric(table, h) and not distinct_texts(table, h)]
    said = frozenset(stem(word) for text in words for word in (*words_of(text), text.lower()))
    name = question[tokens[at[0]].start : tokens[at[-1]].end]
    return tuple(RowFilter(Filter(h.index, "in", texts), f"{h.leaf} = {name}", said) for h in columns)


def _head_stems(table: Table) -> set[str]:
    return {part for header in table.columns for part in leaf_stems(header)}


def _comparisons(question: str, tokens: Sequence[Token], table: Table) -> Iterator[RowFilter]:
    """Columns of numbers that the question compares with a number beside their name."""
    columns = [
        (header, place)
        for header in table.columns
        if is_numeric(table, header)
        for place in _places_in_any_order(leaf_stems(header), tokens)
    ]
    for found in COMPARED.finditer(question):
        limits = [
            (start, value.value * value.scale, end)
            for start, end, value in find_numbers(question[found.end() :])
            if value.value is not None
        ]
        if not limits or len(question[found.end() : found.end() + limits[0][0]].split()) > 1:
            continue
        at = sum(token.end <= found.start() for token in tokens)
        beside = [(_distance(place, at), header) for header, place in columns if _distance(place, at) <= COMPARED_REACH]
        implied = measures_implied(found.group())
        if implied:  # "older" is of an age and of nothing that stands beside it
            beside = [(0, h) for h in table.columns if is_numeric(table, h) and implied.intersection(leaf_stems(h))]
        if not beside:
            continue
        header = min(beside, key=lambda pair: pair[0])[1]
        if found["between"] is None:
            comparison = next(sign for n, (sign, _) in enumerate(_COMPARISONS) if found[f"c{n}"] is not None)
            bounds: list[tuple[Comparison, Decimal]] = [(comparison, limits[0][1])]
        else:
            bounds = [(">=", limits[0][1]), ("<=", limits[1][1])] if len(limits) > 1 else []
        said = frozenset((*leaf_stems(header), *_stems_between(question, found.start(), found.end() + limits[0][2])))
        numbers = frozenset(format(limit, "f") for _, limit in bounds)
        for sign, limit in bounds:
            label = f"{header.leaf} {sign} {limit:,f}"
            yield RowFilter(Filter(header.index, sign, limit), label, said | numbers, is_comparison=True)


def _places_in_any_order(needle: Sequence[str], tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where the stems stand side by side, in any order: "total cost" names the column "Cost Total"."""
    n, wanted = len(needle), sorted(needle)
    for at in range(len(tokens) - n + 1 if n else 0):
        if sorted(token.stem for token in tokens[at : at + n]) == wanted:
            yield at, at + n - 1


def _distance(place: tuple[int, int], at: int) -> int:
    """Words between a column's name and a comparison; a name behind it ("more than 30 units") is one word farther."""
    return at - place[1] - 1 if place[1] < at else place[0] - at + 1


def _stems_between(question: str, start: int, end: int) -> list[str]:
    return [token.stem for token in tokens_of(question[start:end])]


def _values(tokens: Sequence[Token], table: Table) -> Iterator[Found]:
    """Every text of a column that stands in the question."""
    names = {place for header in table.columns for place in places_of(leaf_stems(header), tokens)}
    asked = frozenset(token.stem for token in tokens)
    for header in table.columns:
        own = list(places_of(leaf_stems(header), tokens))
        texts = known_texts(table, header)
        is_of_years = all(YEAR.match(text) for text in texts)
        for text in texts:
            stems = _stems(text)
            if not asked.issuperset(stems):
                continue
            for place in places_of(stems, tokens):
                named = any(0 < place[0] - last <= NAMED_REACH for _, last in own)
                is_year = len(stems) == 1 and is_of_years
                if named or is_year or ((_tells(stems) or _is_range(stems)) and place not in names):
                    yield Found(header, text, place, named)


def _tells(stems: Sequence[str]) -> bool:
    """Whether the words name something: no number, no total, no yes or no."""
    said = set(stems)
    return not said & (YES | NO) and any(
        len(part) > 1 and not part.isdigit() and part not in COMMON_WORDS | WHOLE_WORDS for part in stems
    )


def _is_range(stems: Sequence[str]) -> bool:
    """Whether a text is two numbers ("80-89"): side by side in a question, they are hardly anything else."""
    return len(stems) == RANGE_ENDS and all(part.isdigit() for part in stems)


@lru_cache(maxsize=65536)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(token.stem for token in tokens_of(text))


def _ordinals(question: str, tokens: Sequence[Token], table: Table) -> Iterator[Found]:
    """A column of whole numbers whose name stands behind an ordinal ("the second round") or its letter ("Q2")."""
    for header in table.columns:
        leaf = leaf_stems(header)
        if not leaf or not is_numeric(table, header) or is_year_column(table, header):
            continue
        for first, last in places_of(leaf, tokens):
            if first and (found := ordinals_of(f"{question[tokens[first - 1].start : tokens[first - 1].end]} place")):
                yield Found(header, str(found[0]), (first - 1, last), named=True)
        for n, token in enumerate(tokens):
            if _LETTERED.fullmatch(token.stem) and leaf == _LETTERED_WORD:
                yield Found(header, token.stem[1:], (n, n), named=True)


def _parts_of_names(question: str, tokens: Sequence[Token], table: Table, chosen: Sequence[Found]) -> Iterator[Found]:
    """Texts of which the question says a part that stands in few others: names as people shorten them.

    Example: "the Larkham Mill school" -> the one text that says both words, "LARKHAM MILL ACADEMY".
    """
    taken = {n for each in chosen for n in range(each.place[0], each.place[1] + 1)}
    settled = {each.column.index for each in chosen}
    heads = _head_stems(table)
    free = [n not in taken and token.stem not in heads and _tells((token.stem,)) for n, token in enumerate(tokens)]
    for first, last in _runs(free):
        stems = [token.stem for token in tokens[first : last + 1]]
        if len(stems) < MIN_PART and not question[tokens[first].start].isupper():
            continue
        for header in table.columns:
            if header.index in settled or is_numeric(table, header):
                continue
            holding = [text for text in known_texts(table, header) if _holds(_stems(text), stems)]
            if holding and len(holding) <= MAX_HOLDING:
                shortest = min(len(_stems(text)) for text in holding)
                yield from (
                    Found(header, text, (first, last), named=False) for text in holding if len(_stems(text)) == shortest
                )
                break


def _runs(free: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """The longest stretches that are free, as their first and last place."""
    first = None
    for n, is_free in enumerate((*free, False)):
        if is_free and first is None:
            first = n
        elif not is_free and first is not None:
            yield first, n - 1
            first = None


def _holds(stems: Sequence[str], part: Sequence[str]) -> bool:
    n = len(part)
    return n < len(stems) and any(list(stems[at : at + n]) == list(part) for at in range(len(stems) - n + 1))


def _choose(found: Sequence[Found]) -> list[Found]:
    """One value for each stretch of the question: the longest, and of a column that is named rather than not."""
    chosen: list[Found] = []
    order = sorted(found, key=lambda each: (each.place[0] - each.place[1], not each.named))
    for each in order:
        if not any(other.place[0] <= each.place[1] and each.place[0] <= other.place[1] for other in chosen):
            chosen.append(each)
    return sorted(chosen, key=lambda each: each.place)


def _merged(chosen: Sequence[Found], tokens: Sequence[Token]) -> Iterator[RowFilter]:
    """One condition a column, over all of its texts that the question says."""
    for column in dict.fromkeys(each.column for each in chosen):
        own = [each for each in chosen if each.column == column]
        stems = {token.stem for each in own for token in tokens[each.place[0] : each.place[1] + 1]}
        said = frozenset(stems | (set(leaf_stems(column)) & {token.stem for token in tokens}))
        texts = tuple(dict.fromkeys(each.text.strip().lower() for each in own))
        label = f"{column.leaf} = {' or '.join(dict.fromkeys(each.text.strip() for each in own))}"
        condition = Filter(column.index, "=", texts[0]) if len(texts) == 1 else Filter(column.index, "in", texts)
        yield RowFilter(condition, label, said)


def _yes_no(tokens: Sequence[Token], table: Table, chosen: Sequence[Found]) -> Iterator[RowFilter]:
    """Columns of yes and no that the question names: their rows of yes, after a negation those of no."""
    settled = {each.column.index for each in chosen}
    for header in table.columns:
        texts = distinct_texts(table, header)
        plain = {text.strip().lower() for text in texts if text.strip()}
        if header.index in settled or not plain or not plain <= YES | NO or not plain & YES or not plain & NO:
            continue
        name = tuple(part for part in leaf_stems(header) if part not in COMMON_WORDS) or leaf_stems(header)
        for first, last in places_of(name, tokens):
            is_no = first > 0 and tokens[first - 1].stem in _NEGATION
            wanted = next((text for text in texts if text.strip().lower() in (NO if is_no else YES)), "")
            said = frozenset(token.stem for token in tokens[max(first - is_no, 0) : last + 1])
            yield RowFilter(Filter(header.index, "=", wanted), f"{header.leaf} = {wanted.strip()}", said)
            break


def _dates(question: str, table: Table, chosen: Sequence[Found]) -> Iterator[RowFilter]:
    """The year, month or day asked for, in a column of ISO dates: of several, the one that is named."""
    facets = facets_of(question)
    starts = {_date_start(date) for date in facets.dates if date[0]} or {f"{year}-" for year in facets.years}
    if len(starts) != 1 or any(YEAR.match(each.text) for each in chosen):
        return
    tokens = tokens_of(question)
    columns = [header for header in table.columns if is_date_column(table, header)]
    named = [header for header in columns if any(True for _ in places_of(leaf_stems(header), tokens))]
    for header in (named or columns)[:1]:
        start = starts.pop()
        said = frozenset((*map(str, facets.years), *leaf_stems(header)))
        yield RowFilter(Filter(header.index, "contains", start), f"{header.leaf} in {start.rstrip('-')}", said)


def _date_start(date: tuple[int, int, int]) -> str:
    year, month, day = date
    return f"{year}-{month:02d}-{day:02d}" if day else f"{year}-{month:02d}"


def _compare(value: Decimal, comparison: Comparison, limit: Decimal) -> bool:
    return {
        "=": value == limit,
        "!=": value != limit,
        "<": value < limit,
        "<=": value <= limit,
        ">": value > limit,
        ">=": value >= limit,
    }[comparison]
