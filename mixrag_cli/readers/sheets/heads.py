"""What stands above the names of a delimited file's columns: comments, a title, or whose file it is and of when.

# made by hand   comments                 Kontoname;Giro       a head: names, each with what it says,
name,height                               Saldo;4.812,07;EUR   as banks write it above their lines
                                          Buchung;An;Zweck;Betrag
724940,ST HELENS,OR,-8.0,45.9,-122.8      a line that says without names where a file is from, as files of weather do
Date,Time,GHI,DNI,DHI,Dry-bulb,…

What a sheet says of itself stands so in the file that it is saved as, too (sheet_heads).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from mixrag_cli.readers.lined_text import LinedText
from mixrag_cli.readers.sheets.areas import Region
from mixrag_cli.readers.sheets.sampling import SourceCell, fast_number
from mixrag_cli.readers.sheets.sheet_heads import cut_head

COMMENT = "#"
MAX_HEAD_ROWS = 20  # of an account's or a device's data; set by judgement, as
MAX_HEAD_FIELDS = 3  # a name, what it says, and the unit or the currency of that,
MIN_COLUMNS = 4  # which more columns than these have below it,
TYPED = 0.5  # and of a column's texts, those with a digit first: dates and figures


@dataclass(frozen=True, slots=True)
class Record:
    """One row of fields with its first and last line, from 1."""

    fields: list[str]
    first: int
    last: int

    @property
    def filled(self) -> list[str]:
        """The fields that say something."""
        return [field.strip() for field in self.fields if field.strip()]


def find_head(records: Sequence[Record]) -> list[Record]:
    """The records above the one that names the columns, [] where it is the first, or has a mere title above it."""
    return (
        _comments(records)
        or _named_values(records)
        or _title_apart(records)
        or _line_of_values(records)
        or _sheet_head(records)
    )


def head_text(records: Sequence[Record], delimiter: str) -> LinedText:
    """What a head says, a line for each record, with the lines of the file."""
    named = {line for _, _, line in head_values(records)}
    lines = [_named_text(each) if each.first in named else _plain_text(each, delimiter) for each in records]
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    return LinedText("\n".join(lines), tuple(zip(starts, (record.first for record in records), strict=True)))


def head_values(records: Sequence[Record]) -> list[tuple[str, str, int]]:
    """The names of a head of several records, each with what it says and its line; [] of comments and of a title."""
    if len(records) < 2 or _is_comment(records[0]):
        return []
    parts = [(*part, record.first) for record in records for part in _named_parts(record)]
    return [(name, said, line) for name, said, line in parts if said]


def _named_parts(record: Record) -> list[tuple[str, str]]:
    """The names of a record, each with what it says, or "": the first field and all others, or two by two where some
    stand side by side with room around them.
    """
    places = [place for place, field in enumerate(record.fields) if field.strip()]
    runs = [[place for _, place in run] for _, run in groupby(enumerate(places), lambda each: each[1] - each[0])]
    pairs = [[record.fields[at].strip() for at in run[n : n + 2]] for run in runs for n in range(0, len(run), 2)]
    is_paired = len(runs) > 1 and any(len(pair) > 1 and not _is_typed(pair[0]) for pair in pairs)
    return [
        (name.removesuffix(":").rstrip(), " ".join(said)) for name, *said in (pairs if is_paired else [record.filled])
    ]


def _named_text(record: Record) -> str:
    return ", ".join(f"{name}: {said}" if said else name for name, said in _named_parts(record))


def _sheet_head(records: Sequence[Record]) -> list[Record]:
    fields = ((row, *each) for row, record in enumerate(records) for each in enumerate(record.fields))
    cells = {(row, column): SourceCell(text, fast_number(text)) for row, column, text in fields if text.strip()}
    right = max((column for _, column in cells), default=0)
    _, table = cut_head(Region(0, 0, len(records) - 1, right), cells)
    return list(records[: table.top])


def _comments(records: Sequence[Record]) -> list[Record]:
    """The records behind "#" at the head of a file, above one that is none.

    The last of them is the header where it has no fewer fields than the record below ("#name,start,end").
    """
    n = next((n for n, record in enumerate(records) if not _is_comment(record)), 0)
    if n and len(records[n - 1].filled) >= max(len(records[n].filled), 2):
        n -= 1
    return list(records[:n])


def _title_apart(records: Sequence[Record]) -> list[Record]:
    """The first record where a blank line parts it from wider ones: who made the file and when, field by field.

    A title of one field is told apart further on.
    """
    if len(records) < 3 or records[1].first == records[0].last + 1:
        return []
    return list(records[:1]) if 1 < len(records[0].fields) < len(records[1].fields) else []


def _line_of_values(records: Sequence[Record]) -> list[Record]:
    """The first record where it says texts and figures from the left on, fewer than the next one names columns."""
    if len(records) < 3:
        return []
    first, names, *body = records
    said, called = first.filled, {name.casefold() for name in names.filled}
    is_from_left = [field.strip() for field in first.fields[: len(said)]] == said
    is_mixed = 1 < sum(map(_is_typed, said)) < len(said)
    is_named = MIN_COLUMNS <= len(names.filled) == len(called) > len(said) and _heads_typed(names, body)
    return [first] if is_from_left and is_mixed and is_named else []


def _named_values(records: Sequence[Record]) -> list[Record]:
    """The records of a name and what it says, above the first that fills all columns, which names them."""
    widths = [len(record.filled) for record in records]
    n_columns = max(widths, default=0)
    at = n = widths.index(n_columns) if widths else 0
    is_grouped = n > 0 and _groups_names(records[n - 1], records[n])
    n -= is_grouped
    head, body = records[:n], records[at + 1 :]
    if n_columns < MIN_COLUMNS or not 1 <= n <= MAX_HEAD_ROWS or not body:
        return []
    is_narrow = all(width <= MAX_HEAD_FIELDS and 2 * width <= n_columns + 1 for width in widths[:n])
    keys = [record.filled[0] for record in head]
    n_figures = sum(fast_number(record.filled[-1]) is not None for record in head)  # more than half are a table's
    names_values = is_narrow and max(widths[:n]) > 1 and len(set(keys)) == n and not any(map(_is_typed, keys))
    names_values = names_values and (is_grouped or 2 * n_figures <= n)
    return list(head) if names_values and _names_columns(records[at], body) else []


def _groups_names(record: Record, names: Record) -> bool:
    """Whether texts with room between them stand above names that are said again, or beside the first column: what
    these are of, and no name with what it says.
    """
    places = [place for place, field in enumerate(record.fields) if field.strip()]
    is_apart = len(places) > 1 and all(right - left > 1 for left, right in pairwise(places))
    return is_apart and (places[0] > 0 or len(set(names.filled)) < len(names.filled))


def _names_columns(record: Record, body: Sequence[Record]) -> bool:
    """Whether the fields are texts, figures or dates stand below one of them, and most records fill the columns."""
    n_wide = sum(2 * len(row.filled) >= len(record.filled) for row in body)
    return _heads_typed(record, body) and 2 * n_wide > len(body)


def _heads_typed(record: Record, body: Sequence[Record]) -> bool:
    """Whether the fields are texts, and figures or dates stand below one of them."""
    if any(map(_is_typed, record.filled)):
        return False
    columns = [[row.fields[column] for row in body if column < len(row.fields)] for column in range(len(record.fields))]
    told = [[text for text in column if text.strip()] for column in columns]
    return any(column and sum(map(_is_typed, column)) >= TYPED * len(column) for column in told)


def _is_typed(text: str) -> bool:
    """Whether a text is a number or begins as a date does."""
    return text.strip().lstrip("-+")[:1].isdigit() or fast_number(text) is not None


def _is_comment(record: Record) -> bool:
    return record.fields[0].lstrip().startswith(COMMENT)


def _plain_text(record: Record, delimiter: str) -> str:
    """What a comment or a title says, delimiters that fill the line up left out."""
    return delimiter.join(record.fields).rstrip(f"{delimiter} ").lstrip(f"{COMMENT}{delimiter} ")
