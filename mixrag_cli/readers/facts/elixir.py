r"""Facts of Elixir, which sets by names before colons and by attributes, from its lines.

attribute   @limit 5, @wait Application.compile_env(:app, :wait, 5)   (scope …, name)
pair        retries: 3, alone or in a row, also behind what a module says: use A.Worker, max_attempts: 3; defstruct a: 1
tuple       {:ecto_sql, "~> 3.10"}, {A.Nesting, max_nesting: 4}       (scope …, what is named first)
text        doc: and three quotes, lines up to the same mark
lookup      Keyword.get(opts, :limit, 10)                             (scope …, function, name)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

_QUOTED = r"\"(?:[^\"\\#]|\\.|#(?!\{)){0,400}\""
_ATOM = r":[A-Za-z_]\w{0,60}"
_NUMBER = r"-?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?"
_ONE = (
    rf"(?:{_NUMBER}(?:\s?[*+]\s?{_NUMBER}){{0,5}}|{_QUOTED}|(?:true|false|nil)\b|:timer\.\w+\([\d_]+\)|"
    rf"{_ATOM}(?![\w.(])|@[a-z]\w{{0,60}}(?![\w.(\[]))"
)
_SIGIL = r"~[wrs][(\[{/|][^()\[\]{}/|\n]{0,300}[)\]}/|]a?"
_KEYED = rf"(?:[a-z_]\w{{0,60}}:\s+)?{_ONE}"
_LITERAL = rf"(?:{_ONE}|[\[{{]\s*{_KEYED}(?:,\s*{_KEYED}){{0,40}}\s*[\]}}]|{_SIGIL})"
_KEY = r"(?P<key>[a-z_]\w{0,60}[?!]?|\"[^\"\n]{1,60}\"):"
ATTRIBUTE = re.compile(rf"@(?!(?:\w*doc|impl)\b)(?P<key>[a-z]\w{{0,60}})\s+(?P<text>{_LITERAL})\s*(?:#.*)?$")
PAIR = re.compile(rf"{_KEY}\s+(?P<text>{_LITERAL})(?=\s*[,\])}}]|\s*(?:#.*)?$|\s+do$)")
# "use A.Worker, ", "field :name, :string, ", "defstruct ", "config :app, A, "
SAYING = re.compile(
    rf"(?!def[a-z]*\s|@)[a-z]\w{{0,40}}[ (]\s*(?P<of>(?:(?:{_ATOM}|{_QUOTED}|[A-Z][\w.]{{0,80}}),\s*){{0,4}})"
)
STRUCT = re.compile(r"defstruct[\s(\[]+")
BELOW = re.compile(rf"(?:{_KEY}\s+(?:\[|%?\{{)|{SAYING.pattern.replace('(?P<of>', '(?P<above>')})$")
TUPLE = re.compile(r"\{(?::(?=[a-z_])|(?=[A-Z]))(?P<key>[A-Za-z_][\w.]{0,100}),\s*(?P<rest>.{1,400})\},?\s*(?:#.*)?$")
FIRST = re.compile(rf"(?P<text>{_LITERAL})(?=\s*[,}}]|$)")
LOOKUP = re.compile(
    r"\b(?:Keyword|Map|Application|System|Access)\.(?:get|pop|get_env|compile_env)!?\([^()\n]{0,120}?"
    rf"(?::(?P<key>\w{{1,60}})|\"(?P<name>[\w.]{{1,60}})\")\]?,\s*(?P<text>{_LITERAL})\)"
)
OPENS_TEXT = re.compile(r"\s*(?P<key>[a-z_]\w{0,60}):\s+(?:~[sS])?\"{3}\s*$")
MAX_TEXT_LINES = 20  # of one value: what is shown of it has fewer
GOES_ON = re.compile(r"(?:rescue|catch|else|after)\b")  # of a function, in the column where it begins
NAMES = re.compile(r"[A-Za-z_][\w.]*")


def text_over_lines(lines: Sequence[str], number: int) -> tuple[str, str] | None:
    """The key of a text that begins below a line, from 0, and the text; None where none does."""
    if (found := OPENS_TEXT.match(lines[number])) is None:
        return None
    below = lines[number + 1 : number + 1 + MAX_TEXT_LINES]
    return found["key"], "\n".join(takewhile(lambda line: '"""' not in line, below))


def scope_of(line: str) -> str | None:
    """What a line names that the lines below it set, or None: "docs: [", "config :app, A,"."""
    if (found := BELOW.match(line)) is None:
        return None
    return found["key"] if found["key"] else " ".join(NAMES.findall(found["above"])) or None


def looked_up(line: str) -> Iterator[tuple[str, str]]:
    """The names that a line looks up with a default, each with that."""
    for found in LOOKUP.finditer(line):
        yield found["key"] or found["name"], found["text"]


def set_by_line(line: str, *, is_local: bool) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """What a line sets: the keys, the value and where that ends. is_local: whether it stands inside a function.

    There an atom is as often the name of a kind as a value, and what a call is given sets nothing.
    """
    if found := ATTRIBUTE.match(line):
        yield (found["key"],), found["text"], found.end("text")
        return
    above: tuple[str, ...] = ()
    start = 0
    if found := TUPLE.match(line):
        above, start = (found["key"],), found.start("rest")
        if (first := FIRST.match(line, start)) and not first["text"].startswith((":", "[", "{")):
            yield above, first["text"], first.end()
        elif not line.startswith("[", start) and not PAIR.match(line, start):
            return
    elif not is_local and (found := STRUCT.match(line)):
        start = found.end()
    elif not is_local and (found := SAYING.match(line)):
        above, start = tuple(NAMES.findall(found["of"])), found.end()
    elif not PAIR.match(line):
        return
    for found in PAIR.finditer(line, start):
        if not (is_local and found["text"].startswith(":") and not found["text"].startswith(":timer")):
            yield (*above, found["key"].strip('"')), found["text"], found.end("text")
