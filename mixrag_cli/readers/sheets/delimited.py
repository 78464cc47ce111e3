"""csv and tsv to a Document, as a stream: a file of any length in bounded memory.

1. encoding: a byte order mark or the user says it; else the whole file is checked for UTF-8 piece by piece; else the
   bytes around the first that is none decide
2. delimiter: the one that cuts the first lines into the most equal rows; and the decimal mark of their numbers
3. rows: through the csv module, one record at a time, so that a quote that is never closed swallows no file
4. head: comments, a title or names with their values above the header are text, and the caption of the table (heads)
5. tables: one, or in a short file those that blank lines part

A first row that is one field short of all others names every column but the first, as R writes row names.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import BinaryIO, cast

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.quantities.values import find_decimal_mark
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.decoding import MARKS, READ_AS, decode, is_wide, marked_encoding, said_note, wide_encoding
from mixrag_cli.readers.sheets.grids import MAX_CELL_CHARS, raw_text, split_wide
from mixrag_cli.readers.sheets.heads import Record, find_head, head_text, head_values
from mixrag_cli.readers.sheets.parted import find_parted_tables, row_cells
from mixrag_cli.readers.sheets.sampling import RowSampler, SourceRow, fast_number
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.readers.text_markup.rst_markup import is_marked, shown_field
from mixrag_cli.records.documents import ColumnProfile, Document, Grid
from mixrag_cli.records.places import Locator

HEAD_BYTES = 65_536
CHECK_BYTES = 1 << 20
SNIFF_LINES = 60
MARK_LINES = 500  # among them are some numbers that tell the decimal mark, if any does
BROKEN_NUMBER = re.compile(r"\s*[-+]?\d{1,12}(?:[.,]\d{3})*[.,]\d{1,12}\s*$")  # no date, no time, no address
DELIMITERS = (",", ";", "\t", "|")
SAID_DELIMITER = re.compile(r'"?sep=([^\w\s"]|\t)"?\s*?\n', re.I)  # a first line that is for spreadsheet programs
MAX_FIELD_CHARS = 16_000_000
MAX_RECORD_LINES = 1_000  # a quoted field over more lines is taken for a quote that was never closed
MAX_RECORD_CHARS = 20_000_000
MAX_FIELDS = 16_384
MAX_NUL_SHARE = 0.1  # a text with some NUL bytes is damaged; one full of them is no text
MAX_REST_CHARS = 5_000_000  # of texts beyond what a table holds; some 3,000 passages
BEAT_ROWS = 10_000
MAX_WARNINGS = 5


def read_delimited(source: ReadSource) -> Document:
    """The file's table; a file without any text gives a Document without blocks.

    Raises FileUnreadable("binary") for what is no text and ("too-large") above the file limit.
    """
    if source.size > source.limits.max_file_mb * 1_000_000:
        raise FileUnreadable("too-large", f"larger than {source.limits.max_file_mb} MB")
    builder = DocumentBuilder("sheet", title=source.name.rpartition(".")[0] or source.name)
    encoding, delimiter, decimal_mark = find_dialect(source.file, source.suffix, source.encoding)
    if source.encoding and encoding == source.encoding:
        builder.warnings.append(said_note(encoding))
    elif encoding not in ("utf-8", "ascii"):
        builder.warnings.append(f"{READ_AS}{encoding}")
    stream = _Records(_open_text(source.file, encoding), delimiter)
    sampler = _sample(stream, source, decimal_mark)
    builder.warnings += stream.warnings
    head = head_text(stream.head, delimiter)
    builder.add(head, "paragraph")
    for name, said, line in head_values(stream.head):
        builder.facts.add((name,), "label", ("value", said, line))
    if sampler.n_rows:
        tables = find_parted_tables(sampler.rows) if sampler.is_whole else ()
        mark = decimal_mark if delimiter == ";" else None
        add_rows(builder, sampler, tables, head.text, mark)
    for rest in stream.rests:
        builder.add(rest.fields[0], "paragraph", lines=(rest.first, rest.last))
    if stream.n_cut:
        builder.warnings.append(f"{stream.n_cut:,} texts are read to their first {MAX_CELL_CHARS:,} characters")
    return builder.build()


def add_rows(
    builder: DocumentBuilder,
    sampler: RowSampler,
    tables: Sequence[Grid] = (),
    caption: str = "",
    decimal_mark: str | None = None,
) -> None:
    """Add what the sampler took: these tables of it, else all rows as one; a warning says where rows are left out.

    caption: of the first table, above its own. decimal_mark: of columns whose numbers leave it open.
    """
    for number, grid in enumerate(tables or _sampled_grids(sampler)):
        if caption and not number:
            grid = replace(grid, caption="\n".join(filter(None, (caption, grid.caption))))
        grid = replace(grid, decimal_mark=decimal_mark)
        builder.add(raw_text(grid), "table", grid=grid, lines=grid.locator.lines)
    if not sampler.is_whole:
        builder.warnings.append(sampler.note)


def find_dialect(file: BinaryIO, suffix: str, said: str = "") -> tuple[str, str, str]:
    """The encoding, the delimiter and the decimal mark.

    The mark is that of the first numbers; where they leave it open, a file of semicolons keeps its commas for decimals.
    said: the encoding that the user says, "" for none.
    Raises FileUnreadable("binary") for what is no text.
    """
    file.seek(0)
    head = file.read(HEAD_BYTES)
    if not is_wide(said):
        _refuse_binary(head)
    encoding = said if said and not marked_encoding(head) else _find_encoding(file, head)
    text = _decode_head(head, encoding)
    said_delimiter = SAID_DELIMITER.match(text)
    delimiter = said_delimiter[1] if said_delimiter else _find_delimiter(text, suffix)
    fields = chain.from_iterable(_split_line(line, delimiter) for line in text.splitlines()[:MARK_LINES])
    mark = find_decimal_mark(filter(BROKEN_NUMBER.match, fields), "," if delimiter == ";" else ".")
    return encoding, delimiter, mark or ("," if delimiter == ";" else ".")


def _refuse_binary(head: bytes) -> None:
    is_wide = any(head.startswith(mark) for mark, _ in MARKS[1:]) or wide_encoding(head)
    if head and not is_wide and head.count(0) > MAX_NUL_SHARE * len(head):
        raise FileUnreadable("binary", "looks binary")


def _find_encoding(file: BinaryIO, head: bytes) -> str:
    """The encoding of the whole file, read once in pieces; UTF-8 wherever every byte agrees."""
    if mark := marked_encoding(head):
        return mark[1]
    if wide := wide_encoding(head):
        return wide
    decoder = codecs.getincrementaldecoder("utf-8")()
    file.seek(0)
    while chunk := file.read(CHECK_BYTES):
        try:
            decoder.decode(chunk)
        except UnicodeDecodeError as error:
            start = max(error.start - HEAD_BYTES // 2, 0)
            return decode(chunk[start : start + HEAD_BYTES])[1]
    return "utf-8"


def _decode_head(head: bytes, encoding: str) -> str:
    mark = marked_encoding(head)
    head = head[len(mark[0]) :] if mark else head
    return head.decode(encoding, "replace").replace("\0", "")


def _open_text(file: BinaryIO, encoding: str) -> Iterator[str]:
    """Lines with their ends, without byte order mark and NUL characters."""
    file.seek(0)
    mark = marked_encoding(file.read(4))
    file.seek(len(mark[0]) if mark else 0)
    buffered = io.BufferedReader(cast(io.RawIOBase, _KeptOpen(file)), CHECK_BYTES)
    for line in io.TextIOWrapper(buffered, encoding, errors="replace", newline=None):
        yield line.replace("\0", "") if "\0" in line else line


class _KeptOpen(io.RawIOBase):
    """The source's file as a raw stream that closing a wrapper does not close."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _find_delimiter(head: str, suffix: str) -> str:
    """The delimiter that makes the first lines the most alike; the suffix decides where none does."""
    lines = [line for line in head.splitlines()[: SNIFF_LINES + 1] if line.strip()]
    if len(lines) > 2:
        lines = lines[:SNIFF_LINES] if len(lines) > SNIFF_LINES else lines[:-1]  # the last may be cut
    default = "\t" if suffix in ("tsv", "tab") else ","
    scores = {delimiter: _likeness(lines, delimiter) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=lambda delimiter: (scores[delimiter], delimiter == default))
    return best if scores[best] > 0 else default


def _likeness(lines: list[str], delimiter: str) -> float:
    """Share of lines with the most frequent number of fields, times how little more fields would add."""
    counts = Counter(len(_split_line(line, delimiter)) for line in lines)
    widths = [(n, width) for width, n in counts.items() if width > 1]
    if not widths:
        return 0.0
    n, width = max(widths)
    return n / len(lines) * (1 - 1 / width)


def _split_line(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return line.split(delimiter)


class _Records:
    """Records of a text stream with their line numbers; what is ill-formed is mended and told in warnings."""

    def __init__(self, lines: Iterator[str], delimiter: str) -> None:
        csv.field_size_limit(MAX_FIELD_CHARS)
        self.warnings: list[str] = []
        self.head: list[Record] = []  # above the header, as whoever takes the records tells it
        self.rests: list[Record] = []  # of texts that are too long for a table
        self.n_cut = 0  # texts whose rests are too many to be kept
        self._rest_chars = 0
        self.delimiter = delimiter
        self._lines = lines
        self._n_lines = 0
        self._taken: list[str] = []  # the lines of the record being read
        self._n_chars = 0

    def __iter__(self) -> Iterator[Record]:
        while True:
            reader = csv.reader(self._take_lines(), delimiter=self.delimiter)
            try:
                for fields in reader:
                    first = self._n_lines - len(self._taken) + 1
                    if len(self._taken) > 1 and self._is_open(self._taken):
                        yield from self._reread_open_record()
                    elif fields:
                        yield Record(fields[:MAX_FIELDS], first, self._n_lines)
                    self._taken, self._n_chars = [], 0
                return
            except (_RecordTooLong, csv.Error):
                yield from self._reread_open_record()
                self._taken, self._n_chars = [], 0

    def warn(self, line: int, text: str) -> None:
        """Keep a warning about a line, up to a handful."""
        if len(self.warnings) < MAX_WARNINGS:
            self.warnings.append(f"line {line}: {text}")

    def cut_long(self, record: Record) -> Record:
        """The record with what a table holds of its texts; the rests are kept apart while they are few."""
        for field in record.fields:
            if rest := " ".join(field[MAX_CELL_CHARS:].split()):
                self._rest_chars += len(rest)
                if self._rest_chars > MAX_REST_CHARS:
                    self.n_cut += 1
                else:
                    self.rests.append(Record([rest], record.first, record.last))
        return replace(record, fields=[field[:MAX_CELL_CHARS] for field in record.fields])

    def _take_lines(self) -> Iterator[str]:
        for line in self._lines:
            self._n_lines += 1
            self._taken.append(line)
            self._n_chars += len(line)
            if len(self._taken) > MAX_RECORD_LINES or self._n_chars > MAX_RECORD_CHARS:
                raise _RecordTooLong
            yield line

    def _is_open(self, lines: list[str]) -> bool:
        return sum(line.count('"') for line in lines) % 2 == 1

    def _reread_open_record(self) -> Iterator[Record]:
        """The lines of a record whose quote never closes, each as a row of its own, quotes as they stand."""
        first = self._n_lines - len(self._taken) + 1
        self.warn(first, "a quote is never closed; the lines after it are read one by one")
        for number, line in enumerate(self._taken, first):
            stripped = line.rstrip("\r\n")
            fields = _split_line(stripped, self.delimiter) if number > first else stripped.split(self.delimiter)
            if any(fields):
                yield Record(fields[:MAX_FIELDS], number, number)


class _RecordTooLong(Exception):
    """A record goes on for more lines or characters than any honest one."""


def lacks_first_name(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first of these rows of fields is one short of all others and so names all columns but the first.

    Rows that only end in one delimiter more are no wider, and a first row of one field is a title.
    Source: R, help page of read.table, "header": the first row has one field fewer than the number of columns.
    """
    head, *body = [row for row in rows if any(row)] or [[]]
    is_wider = bool(body) and all(len(row) == len(head) + 1 for row in body) and any(row[-1] for row in body)
    return len(head) > 1 and is_wider and not any(fast_number(field) is not None for field in head)


def _sample(stream: _Records, source: ReadSource, decimal_mark: str) -> RowSampler:
    sampler = RowSampler(decimal_mark)
    ragged = 0
    records = iter(stream)
    first = [record for record in islice(records, SNIFF_LINES) if any(record.fields)]
    if first and SAID_DELIMITER.match(stream.delimiter.join(first[0].fields) + "\n"):
        del first[0]
    stream.head = find_head(first)
    first = first[len(stream.head) :]
    if lacks_first_name([record.fields for record in first]):
        stream.warn(first[0].first, "names one column fewer than there are; the first is taken for the one without")
        first[0] = replace(first[0], fields=["", *first[0].fields])
    counted = next((record for record in first if len(record.fields) > 1), None)  # no title
    is_for_page = is_marked(chain.from_iterable(record.fields for record in first))
    width, named_by = (len(counted.fields), counted.first) if counted else (1, 1)
    for record in chain(first, records):
        if not any(record.fields):
            continue
        if is_for_page:
            record = replace(record, fields=list(map(shown_field, record.fields)))
        if len(record.fields) != width:
            ragged += 1
            if ragged <= 2:
                stream.warn(record.first, f"{_count(len(record.fields))} where line {named_by} has {width}")
        if any(len(field) > MAX_CELL_CHARS for field in record.fields):
            record = stream.cut_long(record)
        sampler.add(SourceRow(record.first - 1, record.fields, (record.first, record.last)))
        if sampler.n_rows % BEAT_ROWS == 0:
            source.beat(min(source.file.tell(), source.size), source.size)
    if ragged > 2:
        stream.warnings.append(f"{ragged:,} rows have another number of fields than line {named_by}")
    return sampler


def _count(n_fields: int) -> str:
    return f"{n_fields} field{'s' * (n_fields != 1)}"


def _sampled_grids(sampler: RowSampler) -> Iterator[Grid]:
    """All rows as one table, or as several that share the first column where it is very wide."""
    rows = sampler.rows
    profiles = sampler.profiles({row.index: place for place, row in enumerate(rows)})
    numbers = [number for row in (*rows[:2], *rows[-1:]) for number in row.lines or ()]  # a first row may be made up
    lines = (numbers[0], numbers[-1]) if numbers else None
    row_lines = sampler.lines
    for columns, chosen in split_wide(sampler.n_columns, row_cells(rows)):
        yield Grid(
            len(rows),
            len(columns),
            chosen,
            Locator((0, 0), lines=lines),
            " ".join(sampler.titles),
            total_rows=sampler.n_rows,
            profiles=_select_profiles(profiles, columns),
            row_lines=row_lines,
        )
        row_lines = ()  # once, though a wide table becomes several grids


def _select_profiles(profiles: tuple[ColumnProfile, ...], columns: Sequence[int]) -> tuple[ColumnProfile, ...]:
    if isinstance(columns, range):
        return profiles
    return tuple(
        replace(profiles[column], index=place) for place, column in enumerate(columns) if column < len(profiles)
    )
