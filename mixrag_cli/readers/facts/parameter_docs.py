r"""What the documentation of a function or class says of each parameter, in the ways that languages have for it.

@param name …, \param[in] name …, @param {type} [name=5] …, @param int $name …, #' @param one,other …
<param name="name">…</param>
:param int name: …
name (type): …, - name: …, and "name : type" with indented lines below it      in a text, as Python has
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mixrag_cli.readers.facts.comments import documentation_above
from mixrag_cli.readers.syntax import Node

CONSTRUCTORS = ("__init__", "__new__", "__post_init__", "constructor", "initialize", "__construct")
MAX_LINES = 200  # of one documentation
MAX_LINE_CHARS = 1_000
_TAGGED = re.compile(r"\s*[@\\]t?param(?:\[[\w, ]{0,20}\])?\s+(?P<rest>\S.*)$")
# Behind the tag a type may stand: in braces, or before the dollar that begins PHP's names.
_TYPE = re.compile(r"\{(?:[^{}]|\{[^{}]*\}){0,200}\}\s*|[^$]{0,200}(?=\$)")
_NAMES = re.compile(
    r"[\[$&.*`]{0,5}(?P<names>\w[\w.]*(?:\s?,\s?\w[\w.]*){0,9})(?:\s?=[^\]]{0,100})?[\]`]{0,2}(?:\s+|$)"
)
_LEAD = re.compile(r"\[[^\]]{1,80}\]\s*|[-–:]\s+")
_XML = re.compile(r"\s*<param name=\"(?P<names>\w+)\"\s*>(?P<text>.*)$")
_FIELD = re.compile(r"\s*:param\s+(?:[^:\n]{0,80}\s)?\*{0,2}(?P<names>\w+)\s*:\s*(?P<text>.*)$")
_LISTED = re.compile(
    r"\s*(?:[-*+]\s+(?:[Pp]arameter\s+)?)?[`*]{0,2}(?P<names>\w+(?:,\s\*{0,2}\w+){0,9})`{0,2}"
    r"(?:\s?\((?:[^()]|\([^()]*\)){0,200}\))?(?P<sign>\s?:)(?:\s+(?P<text>\S.*)|\s*)$"
)
_ENDS = re.compile(
    r"\s*(?:$|[@\\]\w|:\w[\w ]{0,40}:|</?(?:param|returns?|remarks|exception|summary|example|typeparam)\b)"
)
_REFERENCE = re.compile(r"<\w+ (?:cref|name|see|langword|href)=\"(?:\w:)?(?P<name>[^\"<>]{1,200})\"\s*/?>|</?\w+>")
_IS_TYPE = re.compile(r"[A-Za-z_][\w.]{0,60}(?:\[.{1,100}\])?$")  # alone on the line
_CLOSES = re.compile(r"(?:\"{3}|'{3})\s*$")
HEAD = ":"  # stands for the text of a name that has none on its line

Told = tuple[str, int]  # what is said, and its line from 1


class ParameterDocs:
    """What the functions and classes of a file say of their parameters and members."""

    def __init__(self, lines: Sequence[str], marks: str) -> None:
        self._lines = lines
        self._marks = marks
        self._known: dict[tuple[str, ...], Mapping[str, Told]] = {}

    def enter(self, scope: tuple[str, ...], node: Node) -> None:
        """Note what a definition says, in the comment above it or the text that opens its body."""
        above = parameters_above(self._lines, node.start_point.row, self._marks)
        body = node.child_by_field_name("body")
        first = body.named_children[0] if body is not None and body.named_child_count else None
        if first is not None and first.type == "expression_statement" and first.named_child_count:
            first = first.named_children[0]
        begin, end = (first.start_point.row, first.end_point.row + 1) if first and first.type == "string" else (0, 0)
        rows = range(begin, min(end, begin + MAX_LINES))
        inside = _told((row, _CLOSES.sub("", self._lines[row])) for row in rows)
        self._known[scope] = {**dict(inside), **above}

    def said_of(self, path: tuple[str, ...]) -> Told | None:
        """What is said of the parameter or member of that path; a class may say it of its constructor's."""
        owner, name = path[:-1], path[-1]
        told = self._known.get(owner, {}).get(name)
        if told is None and owner[-1:] and owner[-1] in CONSTRUCTORS:
            told = self._known.get(owner[:-1], {}).get(name)
        return told


def parameters_above(lines: Sequence[str], row: int, marks: str) -> Mapping[str, Told]:
    """What the comment above a row says of each parameter."""
    return dict(_told(documentation_above(lines, row, marks)))


@dataclass(slots=True)
class _Entry:
    """What is being told: of which names, and in which lines. indent: that lines must pass to go on; None for any."""

    names: list[str]
    indent: int | None
    said: list[tuple[int, str]]

    @property
    def is_head(self) -> bool:
        """Whether it may be the headline of entries below it: "Args:"."""
        return self.indent is not None and len(self.said) == 1 and self.said[0][1] == HEAD

    def goes_on(self, text: str) -> bool:
        """Whether a line belongs to it."""
        if self.indent is None:
            return not _ENDS.match(text)
        return not text.strip() or len(text) - len(text.lstrip()) > self.indent

    def told(self) -> Iterator[tuple[str, Told]]:
        """Each name with what is said of it."""
        shown = [(row, _REFERENCE.sub(lambda found: found["name"] or "", text).strip()) for row, text in self.said]
        plain = [(row, text) for row, text in shown if text not in ("", HEAD)]
        if self.indent is not None and len(plain) > 1 and _IS_TYPE.match(plain[0][1]):
            plain = plain[1:]
        for name in self.names if plain else ():
            yield name.lstrip("*"), (" ".join(text for _, text in plain), plain[0][0] + 1)


def _told(texts: Iterable[tuple[int, str]]) -> Iterator[tuple[str, Told]]:
    """Each parameter that lines tell of. texts: the lines with their rows, from 0, without a comment's marks."""
    entry: _Entry | None = None
    for row, line in texts:
        text = line[:MAX_LINE_CHARS]
        goes_on = entry is not None and entry.goes_on(text)
        may_begin = entry is None or not goes_on or entry.indent is None or entry.is_head
        begun = _begun(text, row) if may_begin else None
        if entry is not None and (begun or not goes_on):
            yield from entry.told()
        elif entry is not None:
            entry.said.append((row, text))
        entry = begun or (entry if goes_on else None)
    if entry is not None:
        yield from entry.told()


def _begun(text: str, row: int) -> _Entry | None:
    """What a line begins to tell."""
    if tagged := _TAGGED.match(text):
        rest = tagged["rest"]
        found = _NAMES.match(rest, typed.end() if (typed := _TYPE.match(rest)) else 0)
        if found is None:
            return None
        lead = _LEAD.match(rest, found.end())
        told = rest[lead.end() if lead else found.end() :]
        return _Entry(re.split(r"\s?,\s?", found["names"]), None, [(row, told)])
    if found := _XML.match(text) or _FIELD.match(text):
        return _Entry([found["names"]], None, [(row, found["text"])])
    if found := _LISTED.match(text):
        told = "" if found["sign"] == " :" else found["text"] or HEAD  # numpy's type: what it is for stands below
        return _Entry(found["names"].split(", "), len(text) - len(text.lstrip()), [(row, told)])
    return None
