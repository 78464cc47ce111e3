"""Questions over a whole column of a large csv, computed over all of its rows: the file is read again, as a stream.

The index keeps a sample of a large sheet and one profile a column, so that a filter ("for smokers") or the ten
greatest rows can only come from the file itself. One batch of rows is held at a time. A text counts as a number here
exactly where it does for the profiles, so that both agree: plain digits, no identifiers.

For a Table of a sampled csv (total_rows above len(rows), the document's one grid): column is Header.index,
lines_above what stands above its first row, the rest of the dialect what readers.sheets.delimited.find_dialect says of
the opened file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from pathlib import Path
from typing import Any, BinaryIO, Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from mixrag_cli.errors import FileUnreadable, reason_of

ScanOperation = Literal["sum", "average", "maximum", "minimum", "count"]
Comparison = Literal["=", "!=", "<", "<=", ">", ">=", "matches", "in"]
BLOCK_BYTES = 1 << 20
MAX_COLUMNS = 16_384  # what the reader of csv files keeps of a row
EXACT = Context(prec=76)  # sums of a million amounts stay exact
# 46 digits before the point and 30 behind it: whatever the patterns below let through.
NUMBER = pa.decimal256(76, 30)
# Machine-written numbers; leading zeros and 15 and more plain digits are identifiers, not amounts.
PLAIN = r"^(?:(?:0|[1-9][0-9]{0,30}|[-+][0-9]{1,31})(?:\.[0-9]{0,30})?|[-+]?\.[0-9]{1,30})$"
UNCOMMON = r"^(?:0|[1-9][0-9]*|[-+][0-9]+|[-+]?[0-9]?)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,3})?$"  # exponents, long tails
IDENTIFIER = r"^[0-9]{15,}$"
NO_NUMBER = pa.scalar(None, NUMBER)
MAX_NUMBER_CHARS = 40
MAX_EXPONENT = 30
THOUSANDS_BY_DECIMAL_MARK = {".": ",", ",": "."}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the file is written. lines_above: of titles and headers, which may have other columns than the data."""

    encoding: str = "utf-8"
    delimiter: str = ","
    decimal_mark: str = "."
    lines_above: int = 1


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on the rows that count. column: from 0. value: a number compares numbers, a text compares texts
    without regard to case and outer blanks; "matches" takes a regular expression, "in" several texts, the orders a
    number.
    """

    column: int
    comparison: Comparison
    value: Decimal | str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScannedRow:
    """A row that holds an extreme. record: from 1, the first below the headers; cells: all texts of the row."""

    record: int
    value: Decimal
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What a scan found.

    value: None where no row that counts has a number. n_records: rows read; n_rows: those that the filters let
    through; n_numbers: those of them with a number in the column. row: for maximum and minimum the first that holds it.
    n_skipped: rows with another number of fields, which are not counted.
    """

    value: Decimal | None
    n_records: int
    n_rows: int
    n_numbers: int
    row: ScannedRow | None = None
    n_skipped: int = 0


def scan_column(
    source: Path | BinaryIO,
    column: int,
    operation: ScanOperation,
    filters: Sequence[Filter] = (),
    *,
    dialect: Dialect | None = None,
) -> ScanResult:
    """The operation over one column of all rows that the filters let through.

    source: a path, or a file opened for reading bytes. column: from 0, as in Header.index. "count" counts the rows
    with any text in the column.
    Raises FileUnreadable when the file cannot be read as such a csv; ValueError for a column that it has not.
    """
    way = dialect or Dialect()
    tally = _Tally(operation)
    skipped: list[int] = []
    for batch in _batches(source, way, skipped):
        if not 0 <= min(needed := [column, *(each.column for each in filters)]) <= max(needed) < batch.num_columns:
            raise ValueError(f"the file has columns 0 to {batch.num_columns - 1}, not {sorted(needed)}")
        _take_batch(tally, batch, column, filters, way)
    return tally.result(len(skipped))


@dataclass(slots=True)
class _Tally:
    """What is known after the batches so far."""

    operation: ScanOperation
    n_records: int = 0
    n_rows: int = 0
    n_filled: int = 0
    n_numbers: int = 0
    total: Decimal = Decimal(0)
    best: ScannedRow | None = None

    def result(self, n_skipped: int) -> ScanResult:
        return ScanResult(self._value(), self.n_records, self.n_rows, self.n_numbers, self.best, n_skipped)

    def _value(self) -> Decimal | None:
        if self.operation == "count":
            return Decimal(self.n_filled)
        if not self.n_numbers:
            return None
        if self.operation == "sum":
            return self.total
        return self.best.value if self.best else self.total / self.n_numbers


def _batches(source: Path | BinaryIO, dialect: Dialect, skipped: list[int]) -> Iterator[Any]:
    def skip_row(row: Any) -> str:
        skipped.append(row.actual_columns)
        return "skip"

    names = [f"f{at}" for at in range(MAX_COLUMNS)]  # what the engine calls the columns of a file without names
    try:
        with pacsv.open_csv(
            str(source) if isinstance(source, Path) else source,
            pacsv.ReadOptions(
                use_threads=False,
                block_size=BLOCK_BYTES,
                skip_rows=dialect.lines_above,
                autogenerate_column_names=True,
                encoding=dialect.encoding,
            ),
            pacsv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=True, invalid_row_handler=skip_row),
            pacsv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
        ) as reader:
            yield from reader
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        raise FileUnreadable("damaged", "cannot be read as a table of delimited text") from error
    except OSError as error:
        raise FileUnreadable("unreadable", f"cannot be read: {reason_of(error, 'unknown error')}") from error


def _take_batch(tally: _Tally, batch: Any, column: int, filters: Sequence[Filter], dialect: Dialect) -> None:
    before = tally.n_records
    tally.n_records += batch.num_rows
    mask = _mask_of(batch, filters, dialect)
    tally.n_rows += pc.sum(mask).as_py() or 0
    texts = pc.utf8_trim_whitespace(batch.column(column))
    if tally.operation == "count":
        tally.n_filled += pc.sum(pc.and_(mask, pc.not_equal(texts, ""))).as_py() or 0
        return
    numbers = pc.if_else(mask, _to_numbers(texts, dialect), NO_NUMBER)
    found = len(numbers) - numbers.null_count
    tally.n_numbers += found
    if not found:
        return
    if tally.operation in ("sum", "average"):
        tally.total = EXACT.add(tally.total, _plain(pc.sum(numbers).as_py()))
    else:
        _keep_best(tally, batch, numbers, before)


def _keep_best(tally: _Tally, batch: Any, numbers: Any, before: int) -> None:
    """Keep the batch's first row with its greatest, or least, number where no row before has one as great."""
    is_maximum = tally.operation == "maximum"
    value = (pc.max if is_maximum else pc.min)(numbers).as_py()
    held = None if tally.best is None else tally.best.value
    if held is not None and (held >= value if is_maximum else held <= value):
        return
    at = pc.index(numbers, pa.scalar(value, NUMBER)).as_py()
    cells = tuple(text or "" for text in batch.slice(at, 1).to_pylist()[0].values())
    tally.best = ScannedRow(before + at + 1, _plain(value), cells)


def _mask_of(batch: Any, filters: Sequence[Filter], dialect: Dialect) -> Any:
    mask = pa.array([True] * batch.num_rows)
    for each in filters:
        mask = pc.and_(mask, _passes(batch.column(each.column), each, dialect))
    return mask


def _passes(texts: Any, wanted: Filter, dialect: Dialect) -> Any:
    """A mask of the rows that the filter lets through; a cell that is no number passes no comparison of numbers."""
    plain = pc.utf8_trim_whitespace(texts)
    if isinstance(wanted.value, Decimal):
        compare = {
            "=": pc.equal,
            "!=": pc.not_equal,
            "<": pc.less,
            "<=": pc.less_equal,
            ">": pc.greater,
            ">=": pc.greater_equal,
        }.get(wanted.comparison)
        if compare is None:
            raise ValueError(f"{wanted.comparison} takes a text")
        return pc.fill_null(compare(_to_numbers(plain, dialect), pa.scalar(wanted.value, NUMBER)), False)
    if isinstance(wanted.value, tuple) or wanted.comparison == "in":
        if not isinstance(wanted.value, tuple) or wanted.comparison != "in":
            raise ValueError("several texts go with in, and in with several texts")
        return pc.is_in(pc.utf8_lower(plain), pa.array([text.strip().lower() for text in wanted.value], pa.string()))
    value = wanted.value.strip()
    if wanted.comparison == "matches":
        return pc.match_substring_regex(plain, value, ignore_case=True)
    if wanted.comparison not in ("=", "!="):
        raise ValueError(f"{wanted.comparison} takes a number")
    is_same = pc.equal(pc.utf8_lower(plain), value.lower())
    return is_same if wanted.comparison == "=" else pc.invert(is_same)


def _to_numbers(texts: Any, dialect: Dialect) -> Any:
    """The texts as decimals, null where a text is no number."""
    plain = pc.replace_substring(texts, THOUSANDS_BY_DECIMAL_MARK[dialect.decimal_mark], "")
    if dialect.decimal_mark == ",":
        plain = pc.replace_substring(plain, ",", ".")
    can_be = pc.and_(
        pc.match_substring_regex(texts, "^[-+.0-9]"), pc.less_equal(pc.utf8_length(plain), MAX_NUMBER_CHARS)
    )
    can_be = pc.and_not(can_be, pc.match_substring_regex(plain, IDENTIFIER))
    is_plain = pc.and_(can_be, pc.match_substring_regex(plain, PLAIN))
    numbers = pc.cast(pc.if_else(is_plain, plain, pa.scalar(None, pa.string())), NUMBER)
    is_uncommon = pc.and_(pc.and_not(can_be, is_plain), pc.match_substring_regex(plain, UNCOMMON))
    if not pc.any(is_uncommon).as_py():
        return numbers
    parsed = [_uncommon_number(text.as_py()) for text in pc.filter(plain, is_uncommon)]
    return pc.replace_with_mask(numbers, is_uncommon, pa.array(parsed, NUMBER))


def _uncommon_number(text: str) -> Decimal | None:
    """A number with an exponent or many decimals, to 30 decimals; the engine's own cast refuses these."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return EXACT.quantize(number, Decimal(1).scaleb(-30)) if number.adjusted() <= MAX_EXPONENT else None


def _plain(value: Decimal) -> Decimal:
    """The number without the zeros that the fixed scale adds: 12.500… is 12.5, 1200.000… is 1200."""
    short = EXACT.normalize(value)
    return short.quantize(Decimal(1), context=EXACT) if short == short.to_integral_value() else short
