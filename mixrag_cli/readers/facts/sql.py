"""Facts of SQL: the columns of tables that are created or added, with type and default; values of types and variables.

column   CREATE TABLE lists (optin list_optin NOT NULL DEFAULT 'single')    (lists, optin)
         ALTER TABLE lists ADD COLUMN note text; … ALTER note SET DEFAULT   (lists, note)
type     CREATE TYPE status AS ENUM ('draft', 'sent')                       (status,)
variable SET @target = 9; DECLARE @target INT = 9                           (target,)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted
from mixrag_cli.readers.facts.comments import comment_at

MAX_STATEMENT_CHARS = 100_000
_NAME = r"(?P<name>[\w.\"`\[\]]{1,200})"
CREATED = re.compile(
    rf"\bCREATE\s+(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED)\s+){{0,2}}TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?{_NAME}\s*\("
    rf"|\bCREATE\s+TYPE\s+(?P<type>[\w.\"]{{1,200}})\s+AS\s+ENUM\s*\(",
    re.IGNORECASE,
)
ALTERED = re.compile(rf"\bALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?{_NAME}(?=\s)", re.IGNORECASE)
ADDED = re.compile(
    r"ADD\s+(?:COLUMN\s+)?(?:IF\s+NOT\s+EXISTS\s+)?|(?:ALTER|MODIFY)\s+(?:COLUMN\s+)?(?=\S+\s+SET\s+DEFAULT\b)",
    re.IGNORECASE,
)
# what stands between the commas of a table besides columns
CONSTRAINT = re.compile(
    r"(?:CONSTRAINT|PRIMARY|FOREIGN|UNIQUE|CHECK|KEY|INDEX|EXCLUDE|LIKE|FULLTEXT|PARTITION)\b", re.IGNORECASE
)
COLUMN = re.compile(r"(?P<key>\"[^\"]{1,120}\"|`[^`]{1,120}`|\[[^\]]{1,120}\]|\w{1,120})\s+(?P<rest>\S.*)$", re.DOTALL)
AFTER_TYPE = re.compile(
    r"(?:\s+|^)(?:SET|NOT|NULL|DEFAULT|PRIMARY|UNIQUE|REFERENCES|CHECK|COLLATE|GENERATED|AUTO_?INCREMENT|CONSTRAINT|COMMENT|ON)\b",
    re.IGNORECASE,
)
DEFAULT = re.compile(r"\bDEFAULT\s+(?P<text>'(?:[^']|'')*'|[^\s,()]+(?:\([^()]*\))?|\([^()]*\))", re.IGNORECASE)
VARIABLE = re.compile(
    r"^[ \t]*(?:SET\s+@{1,2}|DECLARE\s+@?)(?P<key>[A-Za-z_]\w{0,80})"
    r"(?:\s+(?:AS\s+)?(?P<type>\w{1,40}(?:\([\w, ]{0,20}\))?))?"
    r"\s*:?=\s*(?:N(?='))?(?P<text>'(?:[^'\n]|''){0,200}'|-?\d[\d.]{0,40}|\w{1,40})[ \t]*(?=[;,]|$)",
    re.IGNORECASE | re.MULTILINE,
)
QUOTES = re.compile(r"[\"`\[\]]")
IN_BRACKETS = re.compile(r"\[(\w{1,120})\]")
SIGN = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|[(),;]", re.DOTALL)
COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


def collect_sql(collector: FactCollector, text: str, lines: Sequence[str]) -> None:
    """Collect what the statements of a file create."""
    for found in CREATED.finditer(text):
        if collector.is_full:
            return
        parts = list(_parts(text, found.end()))
        if found["type"]:
            line = text.count("\n", 0, found.start()) + 1
            said = ", ".join(unquoted(part.strip()) for part, _ in parts)
            collector.add((plain_name(found["type"]),), "constant", ("value", said, line))
            continue
        for part, start in parts:
            _add_column(collector, lines, plain_name(found["name"]), part, text.count("\n", 0, start) + 1)
    _collect_variables(collector, text, lines)
    done = 0  # where the last statement ends at the earliest: one that has no end is looked through once
    for found in ALTERED.finditer(text):
        if found.start() < done:
            continue
        ends = text.find(";", found.end(), found.end() + MAX_STATEMENT_CHARS)
        done = ends if ends >= 0 else found.end() + MAX_STATEMENT_CHARS
        for part, start in _parts(text, found.end()):
            if not collector.is_full and (added := ADDED.match(part)):
                line = text.count("\n", 0, start + added.end()) + 1
                _add_column(collector, lines, plain_name(found["name"]), part[added.end() :], line)


def created_columns(text: str) -> dict[str, list[str]]:
    """The columns of the tables that a file creates, by the table's name, with its schema and without."""
    created: dict[str, list[str]] = {}
    for found in CREATED.finditer(text):
        if found["name"]:
            columns = (COLUMN.match(part) for part, _ in _parts(text, found.end()) if not CONSTRAINT.match(part))
            name = plain_name(found["name"])
            created[name] = created[name.rpartition(".")[2]] = [plain_name(each["key"]) for each in columns if each]
    return created


def _collect_variables(collector: FactCollector, text: str, lines: Sequence[str]) -> None:
    """What each variable is first set to."""
    known: set[str] = set()
    for found in VARIABLE.finditer(text):
        if found["key"] in known:
            continue
        known.add(found["key"])
        line = text.count("\n", 0, found.start("key")) + 1
        comment, where = comment_at(lines, line - 1, None)
        collector.add(
            (found["key"],),
            "constant",
            ("value", unquoted(found["text"]), line),
            ("type", found["type"] or "", line),
            ("help", comment, where),
        )


def _add_column(collector: FactCollector, lines: Sequence[str], table: str, part: str, line: int) -> None:
    found = COLUMN.match(part)
    if found is None or CONSTRAINT.match(part):
        return
    rest = " ".join(found["rest"].split())
    declared = IN_BRACKETS.sub(r"\1", AFTER_TYPE.split(rest, maxsplit=1)[0])
    default = DEFAULT.search(rest)
    text = unquoted(default["text"]) if default else ""
    row = line - 1
    ends = lines[row].find(part.split("\n")[0]) + len(part.split("\n")[0]) if row < len(lines) else None
    comment, where = comment_at(lines, row, ends)
    collector.add(
        (table, plain_name(found["key"])),
        "default",
        ("type", declared, line),
        ("default", text, line),
        ("help", comment, where),
    )


def _parts(text: str, start: int) -> Iterator[tuple[str, int]]:
    """What stands between the commas up to the parenthesis that closes, or the statement's end, without comments, each
    with its place."""
    depth, begin = 1, start
    for found in SIGN.finditer(text, start, start + MAX_STATEMENT_CHARS):
        sign = found[0]
        depth = 0 if sign == ";" else depth + (sign == "(") - (sign == ")")
        if depth and not (sign == "," and depth == 1):
            continue
        part = COMMENT.sub(lambda comment: " " * len(comment[0]), text[begin : found.start()])
        plain = part.lstrip()
        if plain.strip():
            yield plain.rstrip(), begin + len(part) - len(plain)
        begin = found.end()
        if not depth:
            return


def plain_name(name: str) -> str:
    """A name without the marks that it may be quoted with."""
    return QUOTES.sub("", name)
