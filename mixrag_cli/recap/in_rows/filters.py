"""Extract from a table of records: which of its rows a question restricts itself to.

    "… from Spain", "women"       a text that a column holds, or one of like meaning      country = Spain, sex = Female
    "… of Larkham Mill"           a part of a text that few others have                   school = LARKHAM MILL ACADEMY
    "class 3", "the third class"  a number beside its column's name, or an ordinal        class = 3
    "… of smokers", "non-…"       the name of a column that says yes or no                smoker = Yes, smoker = No
    "… with a tip above 5"        a comparison beside the name of a column of numbers     tip > 5
    "… in 2019"                   a year or a day of a column of dates                    ordered in 2019

The words are the table's own; none is known beforehand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import groupby
from operator import eq, ge, gt, le, lt, ne
from typing import cast

from mixrag_cli.quantities.facets import facets_of, ordinals_of
from mixrag_cli.quantities.prose_numbers import find_numbers
from mixrag_cli.recap.in_rows.column_texts import (
    HeldTable,
    columns_named,
    distinct_texts,
    is_date_column,
    is_numeric,
    is_year,
    is_year_column,
    known_texts,
    leaf_stems,
    stems_in,
)
from mixrag_cli.recap.wording import WHOLE_WORDS, comparisons_in, in_digits, measures_implied
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.scan import Comparison, Filter
from mixrag_cli.words import COMMON_WORDS, SYNONYM_MATCH, UNIT_WORDS, match_pair, stem, words_of

MAX_KEPT = 32  # conditions of a table that are kept for the next look
COMPARED_REACH = 4  # words between a column's name and the comparison that is about it
NAMED_REACH = 2  # words from a column's name to its value ("class is 3")
MIN_PART = 2  # words of a name that are a part of it in small letters; one that is written as a name is enough
MAX_HOLDING = 5  # texts with a part in common, beyond which it is no name
MAX_KINDS = 30  # different texts of a column that says of which kind its rows are
MAX_TRIED = 12  # stretches of the question around a name that are looked for in the file
YES = frozenset(("yes", "y", "true", "t", "1"))
NO = frozenset(("no", "n", "false", "f", "0"))
_NEGATION = frozenset(("non", "not", "no", "without", "never"))
_COMPARES = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_TOKEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a number of the question, by its stem and its place in the text."""

    stem: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Found:
    """A value of a column, said in the question. place: the first and last of its tokens.

    is_named: whether the question names the column beside it.
    """

    column: Header
    text: str
    place: tuple[int, int]
    is_named: bool = False


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
            return cell is not None and cell.value is not None and _COMPARES[self.filter.comparison](cell.value, wanted)
        text = cell.text.strip().lower() if cell is not None else ""
        if self.filter.comparison == "contains":
            return isinstance(wanted, str) and wanted.lower() in text
        return text in (wanted if isinstance(wanted, tuple) else (wanted.lower(),))


def find_filters(question: str, table: Table) -> tuple[RowFilter, ...]:
    """The conditions on the table's rows that the question says, none of them twice for one stretch of it."""
    return _find_filters(question, HeldTable(table))


@lru_cache(maxsize=MAX_KEPT)
def _find_filters(question: str, held: HeldTable) -> tuple[RowFilter, ...]:
    table, tokens = held.table, tokens_of(question)
    compared = tuple(_comparisons(question, tokens, table))
    settled = {each.filter.column for each in compared}
    found = (*_values(tokens, table), *_numbers(question, tokens, table))
    whole = _choose([each for each in found if each.column.index not in settled])
    named = [*whole, *_parts_of_names(question, tokens, table, whole)]
    chosen = [*named, *_yes_no(tokens, table, {each.column.index for each in named})]
    return (*compared, *_merged(chosen, tokens), *_dates(question, table, chosen))


def unexplained(question: str, table: Table, terms: Sequence[str], said: Collection[str]) -> tuple[str, ...]:
    """The question's words, as it writes them, that stand for some of its terms and that nothing said explains."""
    known = {part for header in table.columns for part in leaf_stems(header)} | set(said)
    texts = (question[token.start : token.end] for token in tokens_of(question) if token.stem not in said)
    return tuple(text for text in texts if set(stems_in(text)) & set(terms) and not set(stems_in(text)) <= known)


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


def tokens_of(text: str) -> list[Token]:
    """The words and numbers of a text in order."""
    return [Token(stem(found.group().lower()), found.start(), found.end()) for found in _TOKEN.finditer(text)]


def places_of(needle: Sequence[str], tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Where the stems stand one behind the other, as the first and last token."""
    stems, n = [token.stem for token in tokens], len(needle)
    return [(at, at + n - 1) for at in range(len(stems) - n + 1) if n and stems[at : at + n] == list(needle)]


# --- comparisons ------------------------------------------------------------------------------------------------------


def _comparisons(question: str, tokens: Sequence[Token], table: Table) -> Iterator[RowFilter]:
    """Columns of numbers that the question compares with a number beside their name."""
    numeric = [header for header in table.columns if is_numeric(table, header)]
    for comparison, start, end in comparisons_in(question):
        signs = (">=", "<=") if comparison == "between" else (comparison,)
        limits = [one for one in find_numbers(question[end:]) if one[2].value is not None]
        if not limits or len(question[end : end + limits[0][0]].split()) > 1 or len(limits) < len(signs):
            continue
        header = _compared_column(question[start:end], sum(token.end <= start for token in tokens), tokens, numeric)
        if header is None:
            continue
        passage = question[start : end + limits[0][1]]
        for sign, (_, _, number) in zip(cast("tuple[Comparison, ...]", signs), limits, strict=False):
            limit = (number.value or Decimal(0)) * number.scale
            said = frozenset((*leaf_stems(header), *(token.stem for token in tokens_of(passage)), f"{limit:f}"))
            label = f"{header.leaf} {sign} {limit:,f}"
            yield RowFilter(Filter(header.index, sign, limit), label, said, is_comparison=True)


def _compared_column(words: str, at: int, tokens: Sequence[Token], numeric: Sequence[Header]) -> Header | None:
    """The column that is compared: what the words imply ("older", an age), else the one named nearest to them.

    at: the token of the comparison. A name behind it ("more than 30 units") is one word farther.
    """
    implied = measures_implied(words)
    near = []
    for header in numeric:
        leaf = leaf_stems(header)
        if implied.intersection(leaf):
            return header
        for first in range(len(tokens) - len(leaf) + 1):
            last = first + len(leaf) - 1
            if leaf and sorted(token.stem for token in tokens[first : last + 1]) == sorted(leaf):  # "total cost", too
                near.append((at - last - 1 if last < at else first - at + 1, header.index, header))
    reach, _, nearest = min(near, default=(COMPARED_REACH + 1, 0, None), key=lambda one: one[:2])
    return nearest if reach <= COMPARED_REACH and not implied else None


# --- values -----------------------------------------------------------------------------------------------------------


def _values(tokens: Sequence[Token], table: Table) -> Iterator[Found]:
    """Every text of a column that stands in the question, or in whose place a word of like meaning does."""
    names = {place for header in table.columns for place in places_of(leaf_stems(header), tokens)}
    asked = frozenset(token.stem for token in tokens)
    for header in table.columns:
        own = places_of(leaf_stems(header), tokens)
        texts = known_texts(table, header)
        is_of_years = all(map(is_year, texts))
        for text in texts:
            stems = stems_in(text)
            for place in places_of(stems, tokens) if asked.issuperset(stems) else ():
                is_named = any(0 < place[0] - last <= NAMED_REACH for _, last in own)
                is_telling = _tells(stems) or (len(stems) > 1 and all(map(str.isdigit, stems)))  # "80-89"
                if is_named or is_of_years or (is_telling and place not in names):
                    yield Found(header, text, place, is_named)
            if len(stems) == 1 and len(texts) <= MAX_KINDS and _tells(stems):
                for n, token in enumerate(tokens):
                    if token.stem != stems[0] and match_pair(token.stem, stems[0]) == SYNONYM_MATCH:
                        yield Found(header, text, (n, n))


def _tells(stems: Sequence[str]) -> bool:
    """Whether the words name something: no number, no total, no yes or no."""
    said = set(stems)
    return not said & (YES | NO) and any(
        len(part) > 1 and not part.isdigit() and part not in COMMON_WORDS | WHOLE_WORDS for part in stems
    )


def _numbers(question: str, tokens: Sequence[Token], table: Table) -> Iterator[Found]:
    """A number or an ordinal beside the name of a column that holds it ("the second round", "six doors"), or beside a
    word that implies the column ("a 40-year-old", of an age)."""
    for header in table.columns:
        texts, leaf = {text.strip() for text in distinct_texts(table, header)}, leaf_stems(header)
        if not texts or not is_numeric(table, header) or is_year_column(table, header):
            continue
        implied = [(n, n) for n, token in enumerate(tokens) if measures_implied(token.stem).intersection(leaf)]
        for first, last in (*places_of(leaf, tokens), *implied):
            before = first - 2 if first > 1 and tokens[first - 1].stem in UNIT_WORDS else first - 1
            for at in (before, last + 1):
                word = question[tokens[at].start : tokens[at].end] if 0 <= at < len(tokens) else ""
                ordinals = ordinals_of(f"{word} place")
                is_kind = bool(ordinals or implied) or len(texts) <= MAX_KINDS
                number = str(ordinals[0]) if ordinals else in_digits(word)
                if is_kind and number in texts:
                    yield Found(header, number, (min(at, first), max(at, last)), is_named=True)


def _parts_of_names(question: str, tokens: Sequence[Token], table: Table, chosen: Sequence[Found]) -> Iterator[Found]:
    """Texts of which the question says a part that stands in few others: names as people shorten them.

    Example: "the Larkham Mill school" -> the one text that says both words, "LARKHAM MILL ACADEMY".
    """
    taken = {n for each in chosen for n in range(each.place[0], each.place[1] + 1)}
    settled = {each.column.index for each in chosen}
    heads = {part for header in table.columns for part in leaf_stems(header)}
    free = [n for n, token in enumerate(tokens) if n not in taken and token.stem not in heads and _tells((token.stem,))]
    for _, run in groupby(enumerate(free), key=lambda pair: pair[1] - pair[0]):
        places = [n for _, n in run]
        part = [tokens[n].stem for n in places]
        if len(part) < MIN_PART and not question[tokens[places[0]].start].isupper():
            continue
        for header in table.columns:
            if header.index in settled or is_numeric(table, header):
                continue
            holding = [text for text in known_texts(table, header) if _holds(stems_in(text), part)]
            if 0 < len(holding) <= MAX_HOLDING:
                shortest = min(len(stems_in(text)) for text in holding)
                texts = (text for text in holding if len(stems_in(text)) == shortest)
                yield from (Found(header, text, (places[0], places[-1])) for text in texts)
                break


def _holds(stems: Sequence[str], part: Sequence[str]) -> bool:
    n = len(part)
    return n < len(stems) and any(list(stems[at : at + n]) == list(part) for at in range(len(stems) - n + 1))


def _choose(found: Sequence[Found]) -> list[Found]:
    """One value for each stretch of the question: the longest, and of a column that is named rather than not."""
    chosen: list[Found] = []
    for each in sorted(found, key=lambda each: (each.place[0] - each.place[1], not each.is_named)):
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


def _yes_no(tokens: Sequence[Token], table: Table, settled: Collection[int]) -> Iterator[Found]:
    """Columns of yes and no that the question names: their rows of yes, after a negation those of no."""
    for header in table.columns:
        texts = {text.strip().lower(): text for text in distinct_texts(table, header) if text.strip()}
        said_yes, said_no = (next((texts[word] for word in words if word in texts), None) for words in (YES, NO))
        if header.index in settled or said_yes is None or said_no is None or not texts.keys() <= YES | NO:
            continue
        name = tuple(part for part in leaf_stems(header) if part not in COMMON_WORDS) or leaf_stems(header)
        for first, last in places_of(name, tokens)[:1]:
            is_no = first > 0 and tokens[first - 1].stem in _NEGATION
            yield Found(header, said_no if is_no else said_yes, (first - is_no, last))


def _dates(question: str, table: Table, chosen: Sequence[Found]) -> Iterator[RowFilter]:
    """The year, month or day asked for, in a column of ISO dates: of several, the one that is named."""
    facets = facets_of(question)
    starts = {
        f"{year}-{month:02d}-{day:02d}" if day else f"{year}-{month:02d}" for year, month, day in facets.dates if year
    } or {f"{year}-" for year in facets.years}
    columns = [header for header in table.columns if is_date_column(table, header)]
    if len(starts) != 1 or not columns or any(is_year(each.text) for each in chosen):
        return
    named = columns_named(stems_in(question), table)
    header = next((one for one in columns if one in named), columns[0])
    start = starts.pop()
    said = frozenset((*map(str, facets.years), *leaf_stems(header)))
    yield RowFilter(Filter(header.index, "contains", start), f"{header.leaf} in {start.rstrip('-')}", said)
