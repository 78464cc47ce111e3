"""Extract from a table of records: which of its rows a question restricts itself to.

    "… from Spain", "women"       a text that a column holds, or one of like meaning      country = Spain, sex = Female
    "class 3", "the third class"  a number beside its column's name, or an ordinal        class = 3
    "… of smokers", "non-…"       the name of a column that says yes or no                smoker = Yes, smoker = No
    "… with a tip above 5"        a comparison beside the name of a column of numbers     tip > 5
    "… in 2019"                   a year or a day of a column of dates                    ordered in 2019

The words are the table's own; none is known beforehand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import cast

from mixrag_cli.quantities.facets import UNTIL, in_digits, period_spans, times_meant, years_between
from mixrag_cli.quantities.prose_numbers import limits_in
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.record_columns import Column, columns_of, is_year
from mixrag_cli.tables.scan import Comparison, Filter
from mixrag_cli.tables.tally import in_scale_of
from mixrag_cli.words import (
    COMMON_WORDS,
    SYNONYM_MATCH,
    WHOLE_WORDS,
    match_pair,
    places_in_any_order,
    places_of,
    stem,
    stems_in,
    words_of,
)

COMPARED_REACH = 4  # words between a column's name and the comparison that is about it
NAMED_REACH = 2  # words from a column's name to its value ("class is 3")
MAX_KINDS = 30  # different texts of a column that says of which kind its rows are
MAX_UNSURE = 2  # texts of a column of yes and no that are neither: "n/a", "partly"
MAX_TOLD = 8  # texts that a condition's label says
YES = frozenset(("yes", "y", "true", "t", "1"))
NO = frozenset(("no", "n", "false", "f", "0"))
_UNTELLING = (COMMON_WORDS | WHOLE_WORDS) - {"may"}  # of a column's texts that one is a month
_NEGATION = frozenset(("non", "not", "no", "without", "never"))
ORDINAL_ENDINGS = ("st", "nd", "rd", "th")  # as words stand without their digits


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on the rows. label: for people ("country = Spain"). said: stems of the question that it explains.
    is_comparison: whether its column is compared with a number, and so hardly what is to be measured."""

    filter: Filter
    label: str
    said: frozenset[str]
    is_comparison: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    """Values of a column that the question says, or calls by a name. place: the first and last of its words that do.
    is_named: whether it names the column beside them."""

    column: Column
    texts: tuple[str, ...]
    place: tuple[int, int]
    is_named: bool = False

    def words(self, asked: Sequence[str]) -> Sequence[str]:
        """The words of the question that say them."""
        return asked[self.place[0] : self.place[1] + 1]

    def is_of_longer(self, asked: Sequence[str], others: Collection[str]) -> bool:
        """Whether a name that nothing explains stands beside them, or with "and" between. others: such stems."""
        before, after = asked[: self.place[0]], asked[self.place[1] + 1 :]
        near = (side[1:2] if side[:1] == ["and"] else side[:1] for side in ([*before[::-1]], [*after]))
        return any(word in others for words in near for word in words)


def find_conditions(question: str, table: Table, names: Collection[str] = ()) -> tuple[Condition, ...]:
    """The conditions on the table's rows that the question says, none of them twice for one stretch of it. names: stems
    by which values may be called where it says none whole."""
    asked = _asked_in(question)
    compared = tuple(_comparisons(question, asked, table))
    settled = {each.filter.column for each in compared}
    found = [*_values(asked, table)] or [*_called(asked, table, names)]
    known = {part for column in columns_of(table) for part in column.stems}.union(
        *(each.words(asked) for each in found)
    )
    found = [each for each in found if not each.is_of_longer(asked, {*names} - known)]
    named = _choose([each for each in found if each.column.index not in settled])
    forms = [each for each in columns_of(table) if each.date_form is not None]
    times = times_meant(question) if forms else []
    is_dated = any(month for _, month, _ in times)  # the year of a date is no value of its own
    chosen = [*named, *_yes_no(asked, table, {each.column.index for each in named})]
    chosen = [each for each in chosen if not (is_dated and is_year(each.texts[0]))]
    dates = _dates(question, forms, times) if times and not any(is_year(each.texts[0]) for each in chosen) else ()
    return (*compared, *_merged(chosen, asked, years_between(question)), *dates)


def _asked_in(text: str) -> list[str]:
    """The stems of a text in order, its small numbers and ordinals in digits."""
    return [stem(in_digits(word)) for word in words_of(text) if word not in ORDINAL_ENDINGS]


# --- comparisons ------------------------------------------------------------------------------------------------------


def _comparisons(question: str, asked: Sequence[str], table: Table) -> Iterator[Condition]:
    """Columns of numbers that the question compares with a number beside their name."""
    for comparison, start, end, limits in limits_in(question):
        signs = (">=", "<=") if comparison == "between" else (comparison,)
        column = _compared_column(len(_asked_in(question[:start])), asked, table)
        if column is None or len(limits) < len(signs):
            continue
        for sign, number in zip(cast("tuple[Comparison, ...]", signs), limits, strict=True):
            limit = in_scale_of(column, table, number)
            said = frozenset((*column.stems, *_asked_in(question[start:end]), f"{limit:f}"))
            label = f"{column.header.leaf} {sign} {limit:,f}"
            yield Condition(Filter(column.index, sign, limit), label, said, is_comparison=True)


def _compared_column(at: int, asked: Sequence[str], table: Table) -> Column | None:
    """The column of numbers that is named nearest to a comparison, in any order of its words ("total cost").

    at: the word of the comparison. A name behind it ("more than 30 units") is one word farther. Its year may be apart.
    """
    near = []
    for column in columns_of(table):
        name = [part for part in column.stems if not is_year(part)] or column.stems
        is_said = column.is_numeric and {*column.stems} <= {*asked}
        for first, last in places_in_any_order(name, asked) if is_said else ():
            near.append((at - last - 1 if last < at else first - at + 1, column.index, column))
    reach, _, nearest = min(near, default=(COMPARED_REACH + 1, 0, None), key=lambda one: one[:2])
    return nearest if reach <= COMPARED_REACH else None


# --- values -----------------------------------------------------------------------------------------------------------


def _values(asked: Sequence[str], table: Table) -> Iterator[_Found]:
    """Every text of a column that stands in the question, or in whose place a word of like meaning does.

    A number counts beside the name of its column alone ("class 3", "the third class"), or where it is a year.
    """
    columns = columns_of(table)
    names = {place for column in columns for place in places_of(column.stems, asked)}
    for column in columns:
        own = places_of(column.stems, asked)
        for text in column.texts:
            stems = stems_in(text)
            for first, last in places_of(stems, asked) if set(stems) <= set(asked) else ():
                is_named = any(0 < first - end <= NAMED_REACH or start == last + 1 for start, end in own)
                is_telling = _tells(stems) or (len(stems) > 1 and all(map(str.isdigit, stems)))  # "80-89"
                if is_named or column.is_of_years or (is_telling and (first, last) not in names):
                    yield _Found(column, (text,), (first, last), is_named)
            if len(stems) == 1 and len(column.texts) <= MAX_KINDS and _tells(stems):
                for n, word in enumerate(asked):
                    if word != stems[0] and match_pair(word, stems[0]) == SYNONYM_MATCH:
                        yield _Found(column, (text,), (n, n))


def _called(asked: Sequence[str], table: Table, names: Collection[str]) -> Iterator[_Found]:
    """The texts of a column that are called by a name of the question, and more."""
    for is_name, run in groupby(range(len(asked)), lambda n: asked[n] in names):
        places = [*run]
        for column in columns_of(table) if is_name else ():
            if texts := column.texts_called(asked[places[0] : places[-1] + 1]):
                yield _Found(column, texts, (places[0], places[-1]))


def _tells(stems: Sequence[str]) -> bool:
    """Whether the words name something: no number, no total, no yes or no."""
    telling = [part for part in stems if len(part) > 1 and not part.isdigit() and part not in _UNTELLING]
    return bool(telling) and not {*stems} & (YES | NO)


def _choose(found: Sequence[_Found]) -> list[_Found]:
    """One value for each stretch of the question: the longest, and of a column that is named rather than not."""
    chosen: list[_Found] = []
    for each in sorted(found, key=lambda each: (each.place[0] - each.place[1], not each.is_named)):
        if not any(other.place[0] <= each.place[1] and each.place[0] <= other.place[1] for other in chosen):
            chosen.append(each)
    return sorted(chosen, key=lambda each: each.place)


def _merged(chosen: Sequence[_Found], asked: Sequence[str], between: Collection[int]) -> Iterator[Condition]:
    """One condition a column, over all of its texts that the question says, and those between them."""
    for column in dict.fromkeys(each.column for each in chosen):
        own = [each for each in chosen if each.column == column]
        stems = {word for each in own for word in each.words(asked)}
        said = frozenset(stems | (set(column.stems) & set(asked)))
        named = [text.strip() for each in own for text in each.texts]
        if column.is_of_years and len(named) > 1:
            named = sorted({*named, *set(map(str.strip, column.texts)).intersection(map(str, between))})
        elif len(own) == 2 and _is_stretch(asked, own[0].place, own[1].place):
            first, last = sorted(column.texts.index(each.texts[0]) for each in own)
            named = list(map(str.strip, column.texts[first : last + 1]))
        texts = tuple(dict.fromkeys(map(str.lower, named)))
        told = " or ".join([*dict.fromkeys(named)][:MAX_TOLD]) + " or …" * (len(texts) > MAX_TOLD)
        label = f"{column.header.leaf} = {told}".removeprefix(" = ")
        filter_ = Filter(column.index, "=", texts[0]) if len(texts) == 1 else Filter(column.index, "in", texts)
        yield Condition(filter_, label, said)


def _is_stretch(asked: Sequence[str], first: tuple[int, int], last: tuple[int, int]) -> bool:
    """Whether two values are the ends of what is asked for: "from January to June", "between Monday and Friday"."""
    joint = [word for word in asked[first[1] + 1 : last[0]] if not is_year(word)]
    is_between = joint == ["and"] and asked[first[0] - 1 : first[0]] == ["between"]
    return is_between or (len(joint) == 1 and joint[0] in UNTIL)


def _yes_no(asked: Sequence[str], table: Table, settled: Collection[int]) -> Iterator[_Found]:
    """Columns of yes and no that the question names: their rows of yes, after a negation those of no."""
    for column in columns_of(table):
        texts = {text.strip().lower(): text for text in column.texts if text.strip()}
        said_yes, said_no = (next((texts[word] for word in words if word in texts), None) for words in (YES, NO))
        if column.index in settled or said_yes is None or said_no is None or len(texts.keys() - YES - NO) > MAX_UNSURE:
            continue
        name = tuple(part for part in column.stems if part not in COMMON_WORDS) or column.stems
        for first, last in places_in_any_order(name, asked)[:1]:
            is_no = first > 0 and asked[first - 1] in _NEGATION
            yield _Found(column, (said_no if is_no else said_yes,), (first - is_no, last))


def _dates(question: str, columns: Sequence[Column], times: Sequence[tuple[int, int, int]]) -> Iterator[Condition]:
    """The year, month or day asked for, or a stretch, in a column of dates: of several, the one that is named."""
    named = (each for each in columns if set(each.stems) & set(stems_in(question)))
    column = next(named, columns[0])
    if column.date_form is not None and (pattern := column.date_form.pattern(times)):
        said = frozenset((*(str(year) for year, *_ in times), *column.stems))
        spans = period_spans(question)
        words = question[spans[0][0] : spans[-1][1]]
        yield Condition(Filter(column.index, "matches", pattern), f"{column.header.leaf} in {words}", said)
