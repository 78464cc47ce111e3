"""SQL scripts: what they fill tables with is the rows of tables; all else is text.

insert   INSERT INTO shippers (id, name) VALUES (1, 'UPS'), (2, 'DHL');
copy     COPY shippers (id, name) FROM stdin; and below a line a row, tabs between its values, up to a line "\\."

Columns are named by the statement, else by the CREATE TABLE of the same file. All statements that fill the same columns
of a table make one table. A statement whose values are not all written out is a query, and stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.decoding import decoding_warnings, read_decoded
from mixrag_cli.readers.facts.sql import created_columns, plain_name
from mixrag_cli.readers.sheets.delimited import add_rows
from mixrag_cli.readers.sheets.grids import MAX_CELL_CHARS, MAX_GRID_COLUMNS
from mixrag_cli.readers.sheets.sampling import RowSampler, SourceRow
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.readers.text import add_text, cut_note
from mixrag_cli.records.documents import Document

MIN_ROWS = 2
BEAT_STATEMENTS = 2_000
_NAME = (
    r"(?P<name>(?:[\w.$]|\"[^\"\n]{1,100}\"|`[^`\n]{1,100}`|\[[^\]\n]{1,100}\]){1,120}+)\s*"
    r"(?:\((?P<columns>[^()';]{1,20000})\)\s*)?"
)
FILLED = re.compile(
    rf"^[ \t]*(?:(?:INSERT|REPLACE)\s+(?:(?:OR\s+)?[A-Z]{{1,9}}\s+)?(?:INTO\s+)?{_NAME}VALUES\s*(?=\()"
    rf"|COPY\s+{_NAME.replace('name', 'copied').replace('columns', 'into')}FROM\s+stdin\b[^;\n]{{0,200}};[ \t]*\n)",
    re.IGNORECASE | re.MULTILINE,
)
# 'it''s', or 'it\'s' where that cannot be meant; a number, a word; what a function makes of literals
_TEXT = r"(?>'(?:[^']|'')*+'(?=\s*(?:[,)]|AS\b|::))|'(?:[^'\\]|''|\\.)*+')"
VALUE = re.compile(
    rf"\s*(?:[A-Za-z_]\w{{0,12}}\s?(?='))?(?P<text>{_TEXT})(?:::[\w ]{{1,40}})?\s*"
    rf"|\s*(?P<plain>[-+]?[\d.][\w.+-]{{0,60}}|NULL|TRUE|FALSE|DEFAULT|CURRENT_\w{{4,9}})\s*(?=[,)])"
    rf"|\s*(?P<call>\w{{1,40}}\s*\((?:[^()'\n]|\([^()'\n]{{0,60}}\)|{_TEXT}){{0,400}}+\))\s*",
    re.IGNORECASE | re.DOTALL,
)
CALLED_TEXT = re.compile(r"CAST\s*\(\s*N?'(?P<text>[^']*)'\s+AS\b", re.IGNORECASE)
NEXT_ROW, STATEMENT_END = re.compile(r"\s*,\s*"), re.compile(r"\s*;?")
COPIED_END, COPIED_NONE = "\\.", "\\N"
NONE = ("NULL", "DEFAULT")

Rows = list[tuple[int, list[str]]]


@dataclass(frozen=True, slots=True)
class Filling:
    """A statement that fills a table: its characters in the file, and each row's values with its line, from 1."""

    table: str
    columns: tuple[str, ...]
    chars: tuple[int, int]
    rows: Rows


def read_sql(source: ReadSource) -> Document:
    """The text of such a file, its columns as facts, and the tables that it fills.

    Above the text limit only the beginning is read, and a warning says so. Raises FileUnreadable("binary").
    """
    decoded = read_decoded(source, may_cut=True)
    builder = DocumentBuilder("text")
    builder.warnings += [*decoding_warnings(decoded), *cut_note(source)]
    tables: dict[tuple[str, tuple[str, ...]], list[Filling]] = {}
    for number, filling in enumerate(find_fillings(decoded.text)):
        tables.setdefault((filling.table, filling.columns), []).append(filling)
        if number % BEAT_STATEMENTS == 0:
            source.beat(filling.chars[1], len(decoded.text))
    tables = {key: told for key, told in tables.items() if sum(len(each.rows) for each in told) >= MIN_ROWS}
    shown = [each.chars for told in tables.values() for each in told]
    add_text(builder, _without(decoded.text, sorted(shown)), source.suffix, source.beat)
    for (name, columns), told in tables.items():
        sampler = RowSampler()
        sampler.add(SourceRow(0, list(columns), (told[0].rows[0][0],) * 2))
        rows = (row for each in told for row in each.rows)
        for number, (line, values) in enumerate(rows, 1):
            sampler.add(SourceRow(number, values, (line, line)))
        add_rows(builder, sampler, caption=name)
    return builder.build()


def find_fillings(text: str) -> Iterator[Filling]:
    """The statements that fill tables of two and more columns with values as they are written there."""
    created = created_columns(text)
    begin = line = 0
    for found in FILLED.finditer(text):
        if found.start() < begin:
            continue
        name = plain_name(found["name"] or found["copied"])
        columns = _columns(found["columns"] or found["into"], name, created)
        if not 1 < len(columns) <= MAX_GRID_COLUMNS:
            continue
        line += text.count("\n", begin, found.start())
        begin = found.start()
        take = _inserted if found["name"] else _copied
        end, rows = take(text, found.end(), line + 1 + text.count("\n", begin, found.end()), len(columns))
        if rows:
            yield Filling(name, columns, (begin, end), rows)
            line += text.count("\n", begin, end)
            begin = end


def _columns(listed: str | None, name: str, created: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    if listed:
        return tuple(plain_name(each.strip()) for each in listed.split(","))
    return tuple(created.get(name) or created.get(name.rpartition(".")[2]) or ())


def _inserted(text: str, begin: int, line: int, n_columns: int) -> tuple[int, Rows]:
    """Where the rows in parentheses end, and they; none where a value is not written out, or one has more or fewer."""
    rows: Rows = []
    at, counted = begin, begin
    while text[at : at + 1] == "(":
        line += text.count("\n", counted, at)
        counted = at
        values: list[str] = []
        while text[at : at + 1] in ("(", ","):
            found = VALUE.match(text, at + 1)
            if found is None:
                return begin, []
            values.append(_said(found))
            at = found.end()
        if text[at : at + 1] != ")" or len(values) != n_columns:
            return begin, []
        rows.append((line, values))
        at += 1
        following = NEXT_ROW.match(text, at)
        if following is None:
            break
        at = following.end()
    ends = STATEMENT_END.match(text, at)
    return ends.end() if ends else at, rows


def _said(found: re.Match[str]) -> str:
    """What a value says: a text without its quotes, "" for none."""
    if found["call"]:
        cast = CALLED_TEXT.match(found["call"])
        return (cast["text"] if cast else found["call"])[:MAX_CELL_CHARS]
    if found["plain"]:
        return "" if found["plain"].upper() in NONE else found["plain"]
    return found["text"][1:-1].replace("''", "'").replace("\\'", "'")[:MAX_CELL_CHARS]


def _copied(text: str, at: int, line: int, n_columns: int) -> tuple[int, Rows]:
    """Where the lines of values end, and they; none where one has more or fewer, or nothing ends them."""
    rows: Rows = []
    begin = at
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        said = text[at:end]
        if said.rstrip(" \t") == COPIED_END:
            return end, rows
        values = said.split("\t")
        if said and len(values) != n_columns:
            break
        if said:
            rows.append((line, ["" if value == COPIED_NONE else value[:MAX_CELL_CHARS] for value in values]))
        at, line = end + 1, line + 1
    return begin, []


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with only the line breaks of these spans."""
    parts: list[str] = []
    done = 0
    for first, last in spans:
        parts += [text[done:first], "\n" * text.count("\n", first, last)]
        done = last
    return "".join([*parts, text[done:]])
