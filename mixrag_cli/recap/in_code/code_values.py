"""Read from code: the values that it gives to names.

    retries: int = 10       a parameter or a field     options.retries ??= 10     what stands in for none
    MAX_GAP = 400           a constant                 "retries": 10              an entry
    "h" | "hour" => 3600    an arm                     "--retries", default=10    an option

By pattern, so that one reading serves all languages; a value that is itself a name is looked up among the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["parameter", "fallback", "constant", "entry", "arm", "argument", "local"]

MAX_VALUE_CHARS = 120  # longer values are program, not settings
MAX_CALL_CHARS = 1000  # what is longer holds functions of its own
MAX_NAMES = 12  # of one arm
_TYPE = r"\??\s*:\s*(?:[^=\n,;(){}\[\]<>]|\[[^\]\n]*\]|<[^>\n]*>)+"
_ASSIGNED = re.compile(
    rf"(?<![\w$.\"'`-])(?:[\w$]+(?:\.|->|::))*(?P<name>[A-Za-z_$][\w$]*)(?:{_TYPE})?\s*"
    r"(?P<sign>\?\?=|\|\|=|:=|=)(?![=>~])[ \t]*"
)
_LITERAL_AHEAD = r"(?=[-+]?\.?\d|[\"'`]|(?:[Tt]rue|[Ff]alse|None|null|nil)\b)"
_ENTRY = re.compile(rf"(?:^|[{{,])[ \t]*[\"']?(?P<name>[A-Za-z_][\w$-]*)[\"']?\s*:\s*{_LITERAL_AHEAD}", re.MULTILINE)
_GIVEN = re.compile(rf"\(\s*(?:[\w.]+\s*,\s*)?[\"'](?P<name>[A-Za-z][\w-]*)[\"']\s*,\s*{_LITERAL_AHEAD}")
_OPTION = re.compile(r"[\"']--(?P<name>[\w-]+)[\"'](?:[^()]|\([^()]*\))*?\bdefault\s*=\s*")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)[ \t]+(?=\S)", re.MULTILINE)
_KEY = r"(?:\"[^\"\n]*\"|'[^'\n]*'|\w+(?:(?:\.|::)\w+)*)"
_ARM = re.compile(rf"^[ \t]*(?P<keys>{_KEY}(?:\s*[|,]\s*{_KEY})*)\s*=>\s*", re.MULTILINE)
_CASES = re.compile(
    rf"(?P<keys>(?:^[ \t]*case\s+{_KEY}(?:\s*,\s*{_KEY})*\s*:[ \t]*\n?)+)[ \t]*(?:return\b[ \t]*)?", re.MULTILINE
)
_BLOCK_COMMENT = re.compile(r"(\"\"\"|''').*?\1|/\*.*?\*/", re.DOTALL)
_SIGNATURE = re.compile(
    r"(?:\b(?:def|fn|func|fun|function\*?)\b[ \t]*(?:\([^()]*\)[ \t]*)?[\w$.]*|\bconstructor|\b__init__)"
    r"\s*(?:<[^<>\n]*>)?\("
)
_CALL = re.compile(r"[\w\])]\(")
_OTHERWISE = re.compile(r"^[\w$.?\[\]()'\"-]+\s*(?:\|\||\?\?|\bor\b)\s*(?P<value>[^|&?()]+|[\[{][\]}])$")
_GO_TYPED = re.compile(r"(?:const|var)?[ \t]*(\w+)[ \t]+[\w.*\[\]]*$")
_GO_TYPES = {"int", "int32", "int64", "uint", "uint64", "float64", "string", "bool", "byte", "Duration"}
_FUNCTION = re.compile(r"\b(?:def|fn|func|fun|function)\b|=>\s*\{?\s*$")
_COMMENT = re.compile(r"(?:#|//)[ \t]*(?P<said>[^\n]*)")
_QUOTED = re.compile(r"([\"'`])(.*)\1", re.DOTALL)
_PLAIN_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*")
_CLOSES = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value and its names, several for an arm. line: as it stands in the text, from start on. comment: behind it."""

    names: tuple[str, ...]
    value: str
    line: str
    start: int
    kind: Kind
    comment: str = ""

    @property
    def refers_to(self) -> str:
        """The name that the value is, without what it is of; "" where it is no name."""
        plain = _PLAIN_NAME.fullmatch(self.value)
        return "" if plain is None or self.value.lower() in _WORDS else re.split(r"\.|::", self.value)[-1]


_WORDS = frozenset(("true", "false", "none", "null", "nil"))


def named_values(text: str, *, in_function: bool = False, is_go: bool = False) -> list[NamedValue]:
    """The values of a passage of code, in order. in_function: whether the passage goes on inside one.

    Example: named_values("def dig(depth=3): pass") -> [NamedValue(("depth",), "3", "def dig(depth=3): pass", 0, …)].
    """
    text = _BLOCK_COMMENT.sub(lambda found: re.sub(r"\S", " ", found.group()), text)
    signatures = _signatures(text)
    opens = _FUNCTION.search(text)
    body = 0 if in_function else opens.start() if opens else len(text)
    found = [*_arms(text), *_assigned(text, signatures, body, is_go)]
    named: tuple[tuple[re.Pattern[str], Kind], ...] = (
        (_ENTRY, "entry"),
        (_GIVEN, "fallback"),
        (_OPTION, "fallback"),
        (_DEFINE, "constant"),
    )
    for pattern, kind in named:
        matches = (match for match in pattern.finditer(text) if not _is_within(match.start("name"), signatures))
        values = (_named(text, match, (match["name"],), kind) for match in matches)
        found += [_in_place(value, body) for value in values if value is not None]
    return sorted(found, key=lambda value: value.start)


def _in_place(value: NamedValue, body: int) -> NamedValue:
    """An entry inside a function is what one place gives."""
    return replace(value, kind="argument") if value.kind == "entry" and value.start >= body else value


def plain_text(value: str) -> str:
    """A value without the quotes of a text. Example: plain_text('"wal"') -> "wal"."""
    quoted = _QUOTED.fullmatch(value.strip())
    return quoted[2] if quoted and quoted[1] not in quoted[2] else value.strip()


def _assigned(text: str, signatures: list[tuple[int, int]], body: int, is_go: bool) -> Iterator[NamedValue]:
    calls = _calls(text, signatures)
    for match in _ASSIGNED.finditer(text):
        if _is_within(match.start(), calls):
            continue
        name, kind = match["name"], _kind_of(match, signatures, body)
        if is_go and name in _GO_TYPES:
            before = _GO_TYPED.search(text, text.rfind("\n", 0, match.start()) + 1, match.start("name"))
            name = before[1] if before else name
        value = _named(text, match, (name,), kind)
        if value is None:
            continue
        otherwise = _OTHERWISE.match(value.value)
        if otherwise is not None:
            value = replace(value, value=otherwise["value"].strip(), kind="fallback", comment="")
        yield value


def _kind_of(match: re.Match[str], signatures: list[tuple[int, int]], body: int) -> Kind:
    if match["sign"] in ("??=", "||="):
        return "fallback"
    if _is_within(match.start(), signatures):
        return "parameter"
    return "constant" if match.start() < body or match["name"].isupper() else "local"


def _is_within(place: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _arms(text: str) -> Iterator[NamedValue]:
    for pattern in (_ARM, _CASES):
        for match in pattern.finditer(text):
            keys = re.findall(_KEY, re.sub(r"^\s*case\s+", "", match["keys"], flags=re.MULTILINE))
            value = _named(text, match, tuple(plain_text(key) for key in keys[:MAX_NAMES]), "arm")
            if value is not None:
                yield value


def _named(text: str, match: re.Match[str], names: tuple[str, ...], kind: Kind) -> NamedValue | None:
    value, end = _value_at(text, match.end())
    if not value or len(value) > MAX_VALUE_CHARS or "\n" in value:
        return None
    at = match.start("keys" if kind == "arm" else "name")
    first = text.rfind("\n", 0, at) + 1
    last = text.find("\n", end)
    rest = text[end : last if last >= 0 else len(text)]
    said = _COMMENT.search(rest)
    line = text[first : end + len(rest)]
    indent = len(line) - len(line.lstrip())
    return NamedValue(names, value, line.strip(), first + indent, kind, said["said"].strip() if said else "")


def _value_at(text: str, start: int) -> tuple[str, int]:
    """The expression from start on and its end: up to what closes or separates it, a comment or the line's end."""
    closing: list[str] = []
    quote, place = "", start
    while place < len(text) and place - start <= 2 * MAX_VALUE_CHARS:
        sign = text[place]
        if quote:
            quote = "" if sign == quote and text[place - 1] != "\\" else quote
        elif sign in "\"'`" and not (sign == "'" and text[place - 1 : place].isalnum()):
            quote = sign
        elif sign in _CLOSES:
            closing.append(_CLOSES[sign])
        elif closing and sign == closing[-1]:
            closing.pop()
        elif not closing and (sign in ",;)]}\n" or text.startswith(("//", " #", "\t#"), place)):
            break
        place += 1
    return text[start:place].strip(), place


def _signatures(text: str) -> list[tuple[int, int]]:
    """Where the parameters of definitions stand, [start, end)."""
    return [(match.end(), _closing(text, match.end())) for match in _SIGNATURE.finditer(text)]


def _calls(text: str, signatures: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where the arguments of calls stand: what one call gives is no default."""
    opened = (match.end() for match in _CALL.finditer(text))
    spans = ((start, _closing(text, start)) for start in opened if not any(start == at for at, _ in signatures))
    return [(start, end) for start, end in spans if end - start <= MAX_CALL_CHARS and "{\n" not in text[start:end]]


def _closing(text: str, start: int) -> int:
    """Where the bracket closes that is open at the start."""
    depth, place = 1, start
    while place < len(text) and depth:
        depth += (text[place] in "([{") - (text[place] in ")]}")
        place += 1
    return place
