"""What the columns of a table of records hold: their different texts, and whether these are numbers, years or dates.

A table that is held whole is read once for all of its columns; of a sampled one the profiles know. A report is a table
of records, too: its rows are the records, or, turned, its columns; their labels are texts of a first column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import chain, pairwise, product

from mixrag_cli.quantities.facets import (
    DAYS,
    MONTHS,
    Facets,
    dates_agree,
    facet_conflict,
    facets_of,
    full_year,
    month_name,
    years_between,
)
from mixrag_cli.quantities.periods import MONTH
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.text import has_labels, key_columns, times_of, without_unit
from mixrag_cli.words import COMMON_WORDS, WHOLE_WORDS, places_of, stem, stems_in, stems_of

MAX_DISTINCT = 200  # texts of a column that can be asked for by name, as the profiles keep them
MAX_KEPT = 32  # tables whose columns are kept for the next look
N_LOOKED_AT = 50  # cells that tell what a column holds
LABELS = -1  # the place of a report's labels as a column of texts
YEAR = stem("year")
_YEAR = re.compile(r"\s*(?:1[5-9]|20)\d\d")
_DATE = re.compile(rf"\s*(\d{{1,4}})([-/._ ])(\d{{1,2}}|{MONTH})(?:\2(\d{{1,4}}))?(?!\d)", re.I)
_MONTH_OF_YEAR = re.compile(rf"\s*{MONTH}([-/_ ])(\d{{2}}|\d{{4}})\s*$", re.I)
BEFORE_NAMES = "_ "  # signs that stand between the parts of a date where its month is written out
_PARTS = re.compile(r"[(),;/|]")  # what parts a text of a column
YEAR_DIGITS, SHORT_YEAR_DIGITS, PADDED = 4, 2, 2


@dataclass(frozen=True, slots=True)
class DateForm:
    """How a column writes dates. order: "ymd", "ym", "my", "dmy" or "mdy". sign: what stands between. is_named: whether
    its months are English names. year_digits: four, or two at the end."""

    order: str
    sign: str
    is_named: bool = False
    year_digits: int = YEAR_DIGITS

    def pattern(self, times: Iterable[tuple[int, int, int]]) -> str:
        """A regular expression for what a cell of one of these days, months or years begins with, in capitals or not;
        "" for none.

        times: (year, month, day) each, 0 for any. A day is none of bare months.
        """
        return "|".join(self._pattern(*time) for time in times if "d" in self.order or not time[-1])

    def _pattern(self, year: int, month: int, day: int) -> str:
        digits = str(year)[-self.year_digits :]
        any_month, of_month = "[a-z.]+", f"{month_name(month)[:3]}[a-z.]*" if month else ""
        if not self.is_named:
            any_month, of_month = "[0-9]+", f"0?{month}"
        told = {
            "y": digits if full_year(digits) == year else str(year),  # which no cell of two digits is
            "m": of_month if month else any_month,
            "d": f"0?{day}" if day else "[0-9]+",
        }
        n_told = 1 + bool(month) + bool(day) if self.order.startswith("y") else len(self.order)
        return f"^{re.escape(self.sign).join(told[part] for part in self.order[:n_told])}([^0-9]|$)"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of records. stems: of its innermost label less its unit, in order. texts: the different ones, in order,
    () where there are too many to be asked for. is_numeric: whether it holds numbers, or nothing. date_form: how it
    writes dates, None where it holds other things than dates. is_ordinal: whether it numbers the rows, or those of each
    group, from 1 on.
    """

    header: Header
    stems: tuple[str, ...]
    texts: tuple[str, ...]
    is_numeric: bool
    is_of_years: bool
    date_form: DateForm | None
    is_ordinal: bool = False

    @property
    def index(self) -> int:
        """Its place in the grid."""
        return self.header.index

    @property
    def said(self) -> tuple[str, ...]:
        """The stems of its innermost label, the unit in brackets among them."""
        return stems_in(self.header.leaf)

    @property
    def head(self) -> str:
        """The stem of what its name says that it holds: "updates" of "New updates (2024)"; "" for none."""
        said = [part for part in stems_in(without_unit(self.header.leaf)) if not is_year(part)]
        return next((part for part in reversed(said) if part not in COMMON_WORDS | WHOLE_WORDS), "")

    def texts_called(self, name: Sequence[str]) -> tuple[str, ...]:
        """Those of its texts, and not all, that begin with a name or of which a part does; none of a column of figures.

        name: stems in order. Example: "Lidl" of "Lidl 4711", "Spain" of "Agno (Spain)".
        """
        texts = () if self.is_numeric else self.texts
        found = tuple(text for text in texts if any(_begins(part, name) for part in _PARTS.split(text)))
        return found if len(found) < len(texts) else ()


def _begins(text: str, name: Sequence[str]) -> bool:
    return list(stems_in(text)[: len(name)]) == [*name]


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """A table by its identity, as a key: its cells are too many to be compared or hashed."""

    table: Table

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and self.table is other.table

    def __hash__(self) -> int:
        return id(self.table)


def columns_of(table: Table) -> tuple[Column, ...]:
    """The table's columns, in order."""
    return _columns_of(_Held(table))


@lru_cache(maxsize=MAX_KEPT)
def _columns_of(held: _Held) -> tuple[Column, ...]:
    cells: dict[int, list[Cell]] = {header.index: [] for header in held.table.columns}
    for cell in held.table.cells:
        if cell.column in cells:
            cells[cell.column].append(cell)
    names = _names(held.table.columns)
    return tuple(
        _column(held.table, header, name, cells[header.index])
        for header, name in zip(held.table.columns, names, strict=True)
    )


def _names(headers: Sequence[Header]) -> list[tuple[str, ...]]:
    """The stems of each column's innermost label, less its unit where no other column is called so."""
    bare = [stems_in(without_unit(header.leaf)) for header in headers]
    n_called = Counter(map(frozenset, bare))
    return [
        own if own and n_called[frozenset(own)] == 1 else stems_in(header.leaf)
        for header, own in zip(headers, bare, strict=True)
    ]


def _column(table: Table, header: Header, name: tuple[str, ...], cells: Sequence[Cell]) -> Column:
    profile = next((known for known in table.profiles if known.index == header.index), None)
    looked_at = cells[:N_LOOKED_AT]
    if profile is not None:
        texts, is_numeric = profile.distinct, profile.count > 0 and profile.numbers * 2 >= profile.count
    else:
        texts = tuple(dict.fromkeys(cell.text.strip() for cell in cells))
        is_numeric = not cells or sum(cell.value is not None for cell in looked_at) * 2 > len(looked_at)
        texts = texts if len(texts) <= MAX_DISTINCT or not is_numeric else ()
    date_form = date_form_of([cell.text for cell in looked_at if cell.text])
    is_of_years = 2 * sum(map(is_year, texts)) > len(texts)  # beside years may stand "later" and "total"
    is_ordinal = is_numeric and _counts_up([cell.value for cell in looked_at])
    return Column(header, name, texts, is_numeric, is_of_years, date_form, is_ordinal)


def _counts_up(values: Sequence[Decimal | None]) -> bool:
    """Whether each value is one more than the one before it, or begins again at 1."""
    steps = pairwise([Decimal(0), *(value for value in values if value is not None)])
    return len(values) > 2 and all(after in (1, before + 1) for before, after in steps)


def date_form_of(texts: Sequence[str]) -> DateForm | None:
    """The one form that all of the texts have; None for none, or where day and month cannot be told apart."""
    if texts and all(map(_MONTH_OF_YEAR.match, texts)):
        return _month_form(texts)
    found = [_DATE.match(text) for text in texts]
    dates = [date for date in found if date is not None]
    signs, named = {date[2] for date in dates}, {date[3].isalpha() for date in dates}
    if len(dates) < len(found) or len(signs) != 1 or len(named) != 1:
        return None
    sign, is_named = signs.pop(), named.pop()
    if sign in BEFORE_NAMES and not is_named:
        return None
    if all(len(date[1]) == YEAR_DIGITS for date in dates):
        fits = is_named or all(1 <= int(date[3]) <= MONTHS for date in dates)
        return DateForm("ymd" if all(date[4] for date in dates) else "ym", sign, is_named) if fits else None
    lengths = {len(date[4] or "") for date in dates}
    if lengths not in ({YEAR_DIGITS}, {SHORT_YEAR_DIGITS}):
        return None
    year_digits = lengths.pop()
    if is_named:
        return DateForm("dmy", sign, True, year_digits) if all(int(date[1]) <= DAYS for date in dates) else None
    is_padded = all(len(date[1]) == len(date[3]) == PADDED for date in dates)
    if sign == "." and year_digits == SHORT_YEAR_DIGITS and not is_padded:
        return None  # numbers of sections and versions
    order = _order_of(sign, *({int(date[place]) for date in dates} for place in (1, 3)))
    return DateForm(order, sign, False, year_digits) if order else None


def _month_form(texts: Iterable[str]) -> DateForm | None:
    """The one form of months with their years: "Mar 2019", "Mar-19"; None for several."""
    forms = {(found[1], len(found[2])) for text in texts if (found := _MONTH_OF_YEAR.match(text))}
    return next((DateForm("my", sign, True, n_digits) for sign, n_digits in forms), None) if len(forms) == 1 else None


def _order_of(sign: str, first: set[int], second: set[int]) -> str:
    """The order of days and months by what stands first and second; "" where it is none, or cannot be told.

    Of months one below the other every day is the first.
    """
    if max(*first, *second) > DAYS or min(max(first), max(second)) > MONTHS:
        return ""
    if sign == "." or max(first) > MONTHS or (first == {1} and len(second) > 2):  # nobody writes months first with dots
        return "dmy"
    return "mdy" if max(second) > MONTHS or (second == {1} and len(first) > 2) else ""


def rows_at(table: Table, dates: Collection[tuple[int, int, int]]) -> set[int]:
    """The rows of these days or months, as a column of dates says it, or their labels. dates: as of Facets."""
    patterns = {
        column.index: column.date_form.pattern(dates) for column in columns_of(table) if column.date_form is not None
    }
    told = ((cell.row, patterns[cell.column], cell.text) for cell in table.cells if patterns.get(cell.column))
    if patterns:
        return {row for row, pattern, text in told if re.match(pattern, text.strip(), re.I)}
    return {row.index for row in table.rows if any(dates_agree(*both) for both in product(dates, times_of(row).dates))}


def is_sampled(table: Table) -> bool:
    """Whether the table holds only some of its file's rows."""
    return table.total_rows > len(table.rows)


def is_record_table(table: Table) -> bool:
    """Whether the rows are records of one kind under named columns, not labelled lines of a report."""
    return is_sampled(table) or bool(key_columns(table)) or not has_labels(table)


def is_year(text: str) -> bool:
    """Whether the text is a year and nothing else."""
    return _YEAR.fullmatch(text) is not None


def columns_named(words: Sequence[str], table: Table) -> list[Column]:
    """The columns that one of the stems names, in the order of the words."""
    return list(dict.fromkeys(column for word in words for column in columns_of(table) if word in column.stems))


# --- a report as records ----------------------------------------------------------------------------------------------


def records_of(table: Table, question: str, calculates: bool) -> Iterator[Table]:
    """The table as records, by its rows; by its columns, too, where a calculation may mean them.

    Of a report it may mean them always, of records where the question names several: "from May to July".
    """
    asked, times = stems_in(question), facets_of(question)
    between = years_between(question)  # of seasons, too: "from 2013/14 to 2015/16"
    times = replace(times, years=times.years | between, splits=times.splits and times.splits | between)
    if is_record_table(table):
        yield table
        named = [column for column in columns_of(table) if column.is_numeric and places_of(column.stems, asked)]
        is_meant = len(named) > 1 and len(table.rows) <= MAX_DISTINCT
    else:
        yield as_records(table, times, asked)
        is_meant = calculates
    if is_meant:
        yield as_records(turned(table), times, asked)


def turned(table: Table) -> Table:
    """A report with its columns for rows: those of one year each, where there are several of them.

    Beside years stand what is computed of them: a change, a total, "2019 vs 2018".
    """
    of_years = tuple(column for column in table.columns if len(times_of(column).years) == 1)
    if len(of_years) > 1:
        kept = {column.index for column in of_years}
        cells = tuple(cell for cell in table.cells if cell.column in kept)
        table = replace(table, columns=of_years, cells=cells)
    cells = tuple(replace(cell, row=cell.column, column=cell.row) for cell in table.cells)
    return replace(table, rows=table.columns, columns=table.rows, cells=cells)


def as_records(table: Table, times: Facets, asked: Collection[str]) -> Table:
    """A report whose labels are a column that conditions choose rows by.

    times: asked for; rows of others are left out. asked: stems of the question; where it speaks of years, rows that are
    of none are left out, too, if there are others.
    """
    of_rows = {row: times_of(row) for row in table.rows}
    if YEAR in asked or times.years:
        of_rows = {row: own for row, own in of_rows.items() if own.years} or of_rows
    rows = tuple(row for row, own in of_rows.items() if not facet_conflict(times, own))
    labels = tuple(Cell(row.index, LABELS, row.leaf) for row in rows)
    columns, cells = (Header(LABELS, ("",)), *table.columns), (*labels, *table.cells)
    # No sample of its file, whatever was left out, and no longer what the profiles speak of.
    return replace(table, rows=rows, columns=columns, cells=cells, total_rows=0, profiles=())


def releases_of(facts: Table) -> Table | None:
    """The dated versions among facts as a table of records, under "release" and "date"; None where there are none."""
    columns = [column.index for column in facts.columns if column.path == ("version", "date")]
    dates = [cell for cell in facts.cells if cell.column in columns] if columns else []
    if not dates:
        return None
    called = {row.index: row.leaf for row in facts.rows}
    cells = ((replace(cell, column=0, text=called[cell.row]), replace(cell, column=1)) for cell in dates)
    return replace(
        facts,
        columns=(Header(0, ("release",)), Header(1, ("date",))),
        rows=tuple(Header(cell.row, (called[cell.row],)) for cell in dates),
        cells=tuple(chain.from_iterable(cells)),
        total_rows=len(dates),
        kind="table",
    )


def years_said(table: Table) -> frozenset[str]:
    """The years that the labels of a report's rows say, as words; none of a table that no report was."""
    rows = table.rows if table.columns[0].index == LABELS else ()
    return frozenset(map(str, times_of(*rows).years))


def name_of(row: Header, table: Table, asked: Sequence[str], measured: Header) -> str:
    """What people call a row: its year where one is asked for; of records its text in the column that the question
    names first; else a name in its path.

    asked: stems of the question, in order. measured: the column that is told of the row, and no name.
    Example: path ("PS-015", "Drovers Way", "Saltmarsh") -> "Drovers Way": unique as the number is, and a name.
    """
    years = times_of(row).years
    if YEAR in asked and len(years) == 1:
        return str(*years)
    named = {} if table.columns[0].index == LABELS else _named_texts(row, table, asked, measured)
    if named:
        return named[min(named)]
    columns = [[other.path[level : level + 1] for other in (*table.rows, row)] for level in range(len(row.path))]

    def telling(level: int) -> tuple[bool, bool, int, int]:
        text, known = row.path[level], columns[level][:-1]
        is_name = not any(map(str.isdigit, text))
        return known.count((text,)) <= 1, is_name, len(set(known)), len(text)

    return row.path[max(range(len(row.path)), key=telling)] if row.path else ""


def _named_texts(row: Header, table: Table, asked: Sequence[str], measured: Header) -> dict[int, str]:
    """The row's texts in the columns that the question names, by where it does; what it says itself of several rows is
    no answer: "air source" in "which air source pump"."""
    texts = {cell.column: cell.text for cell in table.cells if cell.row == row.index}
    said = {column for column, text in texts.items() if {*stems_of(text)} <= {*asked}}
    others = (cell for cell in table.cells if cell.row != row.index and cell.column in said)
    shared = {cell.column for cell in others if cell.text == texts[cell.column]}
    heads = {column.index: stems_of(column.leaf) for column in table.columns if column != measured}
    return {
        asked.index(head[0]): texts[column]
        for column, head in heads.items()
        if column in texts and column not in shared and head and set(head) <= set(asked)
    }
