"""Facts of code in languages without a grammar here, from its lines: what is declared with a literal, and defaults.

binding     private const val MAX = 5, x <- "a", string id = 1;      (scope …, name)
parameter   fun send(timeout: Int = 30), function(digits = 1)         (scope …, function, parameter)
            and what Elixir sets: module elixir; fields of interface definitions: module fields

What encloses is told by words such as "class" and "fun" and by indents. What a function's own names are bound to is
passed over, but for those in capital letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted
from mixrag_cli.readers.facts.comments import comment_at
from mixrag_cli.readers.facts.elixir import GOES_ON as ELIXIR_GOES_ON
from mixrag_cli.readers.facts.elixir import looked_up, scope_of, set_by_line, text_over_lines
from mixrag_cli.readers.facts.fields import FIELDS, FieldReader
from mixrag_cli.readers.facts.parameter_docs import parameters_above

MAX_LINE_CHARS = 1_000
MAX_HEADER_LINES = 120  # of a function's name and parameters
MAX_HEADER_CHARS = 12_000
MAX_DEFAULT_CHARS = 120
FUNCTIONS = frozenset(["func", "fun", "fn", "def", "defp", "function", "sub", "proc", "macro", "filter"])
OUTLINE_NAME = re.compile(
    r"(?:[\w@().]{1,20}[ \t]+){0,5}(?P<kind>func|fun|fn|def|defp|defmodule|function|sub|proc|class|struct|interface|"
    r"trait|object|module|protocol|extension|type|enum|message|service|resource|contract|macro|"
    r"(?:table|union|exception)(?=[ \t]+\w{1,100}[ \t]*\{))[ \t]+(?:<[^>]{0,80}>"
    r"[ \t]*)?\"?(?P<name>[\w.:$-]{1,100})"
)
ASSIGNED_FUNCTION = re.compile(r"(?:local[ \t]+)?(?P<name>[\w.$]{1,100})[ \t]*(?:<-|=)[ \t]*function[ \t]*\(")
_QUOTED = r"\"(?:[^\"\\]|\\.){0,400}\"|'(?:[^'\\]|\\.){0,400}'"
_NUMBER = r"-?\d[\w.]*(?:\s?(?:[*+]|<<)\s?\d[\w.]*){0,5}|\.\d+"
_ONE = rf"{_NUMBER}|{_QUOTED}|\$?(?i:true|false|null|nil|none|nothing|on|off)|NA\w*"
_SEVERAL = (
    rf"(?:\[|\{{|(?:[A-Z][\w.]{{0,40}}|c|list|\w{{1,10}}Of)\()\s*(?:{_ONE})(?:\s*,\s*(?:{_ONE})){{0,40}}\s*[\])}}]"
)
DECLARED = re.compile(
    r"(?P<words>(?:(?:map<\w{1,20},\s?[\w.]{1,80}>|[\w@.<>?/]{1,40})\s+){0,6})(?:\[(?P<cast>[\w.\[\]]{1,60})\]\s*)?\$?(?P<key>[^\W\d][\w.]{0,80})\s*"
    rf"(?::\s*(?P<type>[\w.<>?\[\]:, ]{{1,60}}?))?\s*(?::=|=|<-)\s*(?P<text>{_SEVERAL}|{_ONE})"
    r"\s*(?:\[[^\]\n]{0,200}\]\s*;|[;,)])?\s*(?://.*|#.*|--.*|/\*.*)?$"
)
# Swift's computed properties: "static var limit: Int { (1 << 16) - 1 }"
COMPUTED = re.compile(
    r"(?:[\w@()]{1,40}\s+){0,5}var\s+(?P<key>\w{1,80})\s*:\s*(?P<type>[\w.<>?\[\]:, ]{1,60}?)\s*\{\s*(?:return\s+)?"
    rf"(?P<text>{_ONE}|[(\d][\d\s()<*+-]{{0,60}}[)\d])\s*\}}\s*(?://.*)?$"
)
# Gradle's build files: "minSdkVersion 23", "android {"
CALLED = re.compile(rf"(?P<key>(?!return\b|case\b)[A-Za-z_]\w{{1,60}})\s+(?P<text>{_ONE})\s*(?://.*)?$")
BLOCK = re.compile(r"(?P<name>[\w.]{1,60})\s*(?:\([\"']?(?P<of>[\w.:-]{1,80})[\"']?\)\s*)?\{$")
LUA_TABLE = re.compile(r"(?:local\s+)?(?P<name>[A-Za-z_][\w.]{0,80})\s*=\s*\{$")
PARAMETER = re.compile(
    r"(?:[^:=]*[\s\]])?\$?(?P<key>[^\W\d][\w.]{0,80})\s*(?:::?\s*(?P<type>[^=]{1,80}?))?\s*=\s*(?P<text>\S.*)$",
    re.DOTALL,
)
ELIXIR_PARAMETER = re.compile(r"\s*(?P<key>[a-z_]\w{0,80})\s*\\\\\s*(?P<text>\S.*)$", re.DOTALL)
CONSTANT_NAME = re.compile(r"[A-Z][A-Z0-9_]*$")
COMMENT = re.compile(r"\s*(?://|#(?!\[)|--(?!\w)|/?\*)")
GOES_ON = (")", "{", "}", "]")
MARKS = {
    "#": "r jl ps1 nim pl pm ex exs",
    "//": "kt kts swift scala dart groovy gradle proto thrift fbs sol zig",
    "%": "m",
    "": "lua hs",
}
BUILT_OF_BLOCKS = frozenset(["gradle", "groovy", "kts"])
ELIXIR = frozenset(["ex", "exs"])
OBJECTIVE_C = re.compile(r"[ \t]*(?:#(?:import|include)|@(?:interface|implementation|import|protocol)\b)")
FUNCTION = re.compile(r"[ \t]*(?:function|methods)\b")
TEXT_MARK = '"""'  # of a text over lines
MARKS_OF = {suffix: marks for marks, suffixes in MARKS.items() for suffix in suffixes.split()}


@dataclass(frozen=True, slots=True)
class _Scope:
    indent: int
    name: str
    is_function: bool


def collect_outline_facts(collector: FactCollector, lines: Sequence[str], suffix: str) -> None:
    """Collect what the lines of a source file declare. suffix: one of MARKS_OF."""
    if suffix == "m":
        lines = _matlab_script(lines)
    reader = _LineReader(collector, lines, suffix)
    is_in_text = False
    for number, line in enumerate(lines):
        if collector.is_full:
            return
        if not is_in_text and line.strip() and len(line) <= MAX_LINE_CHARS and not COMMENT.match(line):
            reader.read(number, line)
        is_in_text ^= line.count(TEXT_MARK) % 2 == 1


class _LineReader:
    """Reads lines one after the other, and knows what encloses them."""

    def __init__(self, collector: FactCollector, lines: Sequence[str], suffix: str) -> None:
        self._collector = collector
        self._lines = lines
        self._suffix = suffix
        self._marks = MARKS_OF[suffix]
        self._has_blocks = suffix in BUILT_OF_BLOCKS
        self._is_elixir = suffix in ELIXIR
        self._fields = FieldReader(collector, lines, suffix) if suffix in FIELDS else None
        self._scopes: list[_Scope] = []
        self._attributes: dict[str, str] = {}  # of Elixir, what each was last set to
        self._known: set[tuple[str, ...]] = set()  # what is bound again is no declaration

    def read(self, number: int, line: str) -> None:
        """Take what the line declares, or enter what it begins to define."""
        plain, indent, scopes = line.strip(), len(line) - len(line.lstrip()), self._scopes
        goes_on = plain.startswith(GOES_ON) or (self._is_elixir and ELIXIR_GOES_ON.match(plain))
        while scopes and indent <= scopes[-1].indent and not goes_on:
            scopes.pop()
        if opened := opening_of(plain):
            name, is_function = opened
            scopes.append(_Scope(indent, name, is_function))
            if is_function:
                self._defaults(number)
        elif self._is_elixir:
            self._set(number, indent, plain)
        elif self._has_blocks and (block := BLOCK.match(plain)):
            scopes.append(_Scope(indent, " ".join(filter(None, block.groups())), is_function=False))
        elif self._fields and self._fields.read(number, line, tuple(scope.name for scope in scopes)):
            pass
        elif self._suffix == "lua" and (table := LUA_TABLE.match(plain)):
            scopes.append(_Scope(indent, table["name"], is_function=False))
        elif found := DECLARED.match(plain.partition("%")[0].rstrip() if self._marks == "%" else plain) or (
            COMPUTED.match(plain) if self._suffix == "swift" else None
        ):
            self._declared(number, indent, found)
        elif self._has_blocks and (found := CALLED.match(plain)):
            self._declared(number, indent, found, is_call=True)

    def _defaults(self, number: int) -> None:
        """Take the parameters with a default of the function that begins in a row."""
        header = self._lines[number : number + MAX_HEADER_LINES]
        ends = list(accumulate(len(line) + 1 for line in header))
        told = parameters_above(self._lines, number, self._marks)
        parameter = ELIXIR_PARAMETER if self._is_elixir else PARAMETER
        for text, start in _parameters("\n".join(header)[:MAX_HEADER_CHARS], self._marks):
            found = parameter.match(text)
            if found is None or len(found["text"]) > MAX_DEFAULT_CHARS:
                continue
            line = number + 1 + sum(end <= start + found.start("text") for end in ends)
            declared = (found.groupdict().get("type") or "").strip()
            path = (*(scope.name for scope in self._scopes), found["key"])
            value = unquoted(found["text"].strip())
            begin = ends[line - number - 2] if line > number + 1 else 0
            comment, where = comment_at(self._lines, line - 1, start + found.end("text") - begin, self._marks)
            if not comment or where != line:  # what stands above may speak of the function
                comment, where = told.get(found["key"], ("", line))
            self._collector.add(
                path, "default", ("default", value, line), ("type", declared, line), ("help", comment, where)
            )

    def _set(self, number: int, indent: int, line: str) -> None:
        """Take what a line of Elixir sets, or enter what it sets below."""
        is_local = any(scope.is_function for scope in self._scopes)
        around = tuple(scope.name for scope in self._scopes)
        for name, text in looked_up(line):
            self._collector.add((*around, name), "default", ("default", unquoted(text), number + 1))
        for keys, text, end in set_by_line(line, is_local=is_local):
            comment, where = comment_at(self._lines, number, indent + end, self._marks)
            if line.startswith("@"):
                self._attributes[f"@{keys[-1]}"] = text
            value = unquoted(self._attributes.get(text, text))
            self._collector.add((*around, *keys), "entry", ("value", value, number + 1), ("help", comment, where))
        if told := text_over_lines(self._lines, number):
            self._collector.add((*around, told[0]), "entry", ("value", told[1], number + 2))
        if below := scope_of(line):
            self._scopes.append(_Scope(indent, below, is_function=is_local))

    def _declared(self, number: int, indent: int, found: re.Match[str], *, is_call: bool = False) -> None:
        """Take what a match names. is_call: what is called again, such as "implementation", adds another."""
        is_local = any(scope.is_function for scope in self._scopes)
        path = (*(scope.name for scope in self._scopes), found["key"])
        if (path in self._known and not is_call) or (is_local and not CONSTANT_NAME.match(found["key"])):
            return
        self._known.add(path)
        comment, where = comment_at(self._lines, number, indent + found.end("text"), self._marks)
        named = found.groupdict()
        declared = (named.get("type") or named.get("cast") or "").strip()
        value = unquoted(found["text"])
        self._collector.add(
            path, "constant", ("value", value, number + 1), ("type", declared, number + 1), ("help", comment, where)
        )


def _matlab_script(lines: Sequence[str]) -> Sequence[str]:
    """What a file of MATLAB or Octave sets above its functions, whose bodies need no indent; nothing of Objective-C."""
    if any(OBJECTIVE_C.match(line) for line in lines):
        return ()
    return lines[: next((number for number, line in enumerate(lines) if FUNCTION.match(line)), len(lines))]


def opening_of(line: str) -> tuple[str, bool] | None:
    """The name of what a line begins to define, and whether that is a function; None where it defines nothing."""
    if found := ASSIGNED_FUNCTION.match(line):
        return found["name"], True
    if (found := OUTLINE_NAME.match(line[:200])) is None:
        return None
    return found["name"].rstrip(":"), found["kind"] in FUNCTIONS


def _parameters(header: str, marks: str) -> Iterator[tuple[str, int]]:
    """What stands between the commas of the first parentheses, each with its place; nothing where they stay open.

    Semicolons part parameters as commas do (Julia, Nim). Comments behind these marks are blank.
    """
    depth, start, quote = 0, 0, ""
    found: list[tuple[str, int]] = []
    header = _without_comments(header, marks)
    for place, sign in enumerate(header):
        if quote:
            quote = "" if sign == quote and header[place - 1] != "\\" else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "([{":
            if not depth and sign != "(":
                return
            depth += 1
            start = place + 1 if depth == 1 else start
        elif sign in ")]}" and depth:
            depth -= 1
            if not depth:
                yield from [*found, (header[start:place], start)]
                return
        elif sign in ",;" and depth == 1:
            found.append((header[start:place], start))
            start = place + 1


def _without_comments(text: str, marks: str) -> str:
    """The text with blanks for what stands behind a mark up to the line's end, and not inside of quotes."""
    if not marks or marks not in text:
        return text
    return _comments_behind(marks).sub(lambda found: " " * len(found[0]) if found["comment"] else found[0], text)


@cache
def _comments_behind(marks: str) -> re.Pattern[str]:
    return re.compile(rf"{_QUOTED}|(?P<comment>{re.escape(marks)}[^\n]*)")
