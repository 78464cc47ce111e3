"""Facts as a table: a row a key, a column a kind of thing said; its cells are read as those of any table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from mixrag_cli.quantities.values import parse_value
from mixrag_cli.records.documents import Fact, FactValue
from mixrag_cli.records.files import stable_id
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table

# A name that ends so says what its number counts. Only words that mean nothing else there: a "min" is as likely a
# minimum, a "day" one of the week.
UNIT_OF_WORD = {
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("usec", "usecs", "micros", "microseconds"), "µs"),
    **dict.fromkeys(("ns", "nanos", "nanoseconds"), "ns"),
    **dict.fromkeys(("s", "sec", "secs", "seconds"), "s"),
    **dict.fromkeys(("mins", "minutes"), "min"),
    **dict.fromkeys(("hours", "hrs"), "h"),
    "days": "days",
    "bytes": "bytes",
    **dict.fromkeys(("kb", "kib", "kilobytes"), "kB"),
    **dict.fromkeys(("mb", "mib", "megabytes"), "MB"),
    **dict.fromkeys(("gb", "gib", "gigabytes"), "GB"),
    **dict.fromkeys(("percent", "pct", "percentage"), "%"),
    **dict.fromkeys(("px", "pixels"), "px"),
    "celsius": "°C",
    "usd": "USD",
    "eur": "EUR",
}
PROSE_SORTS = ("label", "definition", "version")  # numbers as people write them; all others as programs do
MAX_FACTORS = 6  # of 24 * 60 * 60
SCALE_LETTERS = tuple("KMBkmb")
LITERAL_SUFFIXES = tuple("fFlLuUmMn")  # of a number's type
_LAST_WORD = re.compile(r"(?:(?<=[a-z\d])(?=[A-Z])|[_.\-\s])([A-Za-z]+)$")
_UNIT_IN_HELP = re.compile(
    r"(?:\b(?:in|of)\s+|^|\()(milliseconds|microseconds|seconds|minutes|hours|days|bytes|percent|pixels)\b", re.I
)
_CODE_NUMBER = re.compile(
    r"([+-]?)(\d[\d_]{0,30}(?:\.[\d_]{0,30})?|\.\d[\d_]{0,30})(e[+-]?\d{1,2})?[fFlLuUmMn]{0,3}$", re.I
)
_HEX_NUMBER = re.compile(r"0x([\da-f_]{1,16})$", re.I)


def facts_to_tables(facts: Iterable[Fact], *, document: str, title: str) -> list[Table]:
    """The facts of one document as tables of kind "facts": one, or one a cell of a notebook.

    Example: a default of 30 for ("send", "timeout") -> row ("send", "timeout"), column ("default", "default").
    """
    by_cell: dict[int | None, list[Fact]] = {}
    for fact in facts:
        by_cell.setdefault(fact.cell, []).append(fact)
    return [_table(stated, stable_id("facts", document, cell or 0), title) for cell, stated in by_cell.items()]


def _table(facts: Sequence[Fact], identity: str, title: str) -> Table:
    columns = list(dict.fromkeys((fact.sort, value.column) for fact in facts for value in fact.values))
    numbers = {column: number for number, column in enumerate(columns)}
    cells = tuple(
        _cell(row, numbers[fact.sort, value.column], fact, value)
        for row, fact in enumerate(facts)
        for value in fact.values
    )
    lines = [cell.line for cell in cells if cell.line]
    pages = [cell.page for cell in cells if cell.page]
    place = Locator(
        (0, 0),
        min(pages, default=None),
        lines=(min(lines), max(lines)) if lines else None,
        last_page=max(pages) if pages and max(pages) > min(pages) else None,
        cell=facts[0].cell,
    )
    return Table(
        id=identity,
        title=title,
        columns=tuple(Header(number, column) for number, column in enumerate(columns)),
        rows=tuple(Header(number, fact.path) for number, fact in enumerate(facts)),
        cells=cells,
        locator=place,
        total_rows=len(facts),
        kind="facts",
    )


def _cell(row: int, column: int, fact: Fact, value: FactValue) -> Cell:
    plain = Cell(row, column, value.text, line=value.line, page=value.page, bbox=value.bbox)
    if value.column not in ("value", "default"):
        return plain
    if fact.sort in PROSE_SORTS:
        found = parse_value(value.text)
        number, unit, scale = (None if found.is_nil else found.value), found.unit, found.scale
        # "30m" and "32k" are as likely minutes and kilobytes
        if not unit and value.text.endswith(SCALE_LETTERS) and value.text[-2:-1].isdecimal():
            return plain
    else:
        number, unit, scale = code_number(value.text, has_suffixes=fact.sort != "setting"), "", 1
    if number is None:
        return plain
    return replace(plain, value=number, unit=unit or _unit_of(fact), scale=scale)


def code_number(text: str, *, has_suffixes: bool = True) -> Decimal | None:
    """The number that a literal or a product of literals is in a program; None for all else.

    Example: "1_000" -> 1000; "24 * 60 * 60" -> 86400; "0x1F" -> 31; "30s" -> None.
    has_suffixes: whether a letter behind may be that of a type; in a setting "1m" is a minute, or a megabyte.
    """
    if not has_suffixes and text.endswith(LITERAL_SUFFIXES) and not _HEX_NUMBER.match(text):
        return None
    factors = [_one_number(part.strip()) for part in text.split("*", MAX_FACTORS)]
    product = Decimal(1)
    for factor in factors:
        if factor is None:
            return None
        product *= factor
    return product


def _one_number(text: str) -> Decimal | None:
    if found := _HEX_NUMBER.match(text):
        return Decimal(int(found[1].replace("_", "") or "0", 16))
    if found := _CODE_NUMBER.match(text):
        return Decimal("".join(part or "" for part in found.groups()).replace("_", ""))
    return None


def _unit_of(fact: Fact) -> str:
    """What the key's last word or the help says that the number counts; "" where neither does."""
    if (word := _LAST_WORD.search(fact.path[-1])) and (unit := UNIT_OF_WORD.get(word[1].lower())):
        return unit
    said = next((value.text for value in fact.values if value.column == "help"), "")
    found = _UNIT_IN_HELP.search(said)
    return UNIT_OF_WORD[found[1].lower()] if found else ""
