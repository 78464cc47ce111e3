"""Settings of XML files: what elements and attributes say, by the tags that enclose them and what those are called.

element    <dependency><artifactId>a</artifactId><version>1</version></dependency>   (dependency, a, version)
attribute  <property name="max" value="150"/>                                        (property, max)
list       <module>a</module><module>b</module>                                      (module,)
plist      <dict><key>Name</key><string>a</string></dict>                            (Name,)

The parser reads no file but this one, and none that declares entities.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.archive import guarded_parser
from mixrag_cli.readers.facts.collecting import MAX_VALUE_CHARS, FactCollector

MAX_DEPTH = 60  # of elements
MAX_UNNAMED = 50  # siblings of one tag without a name: more of them are data
MAX_TAG_LINES = 40  # of one tag, to find an attribute's line
MAX_TEXT_PARTS = 200  # of an element: a longer text is no setting
OPENING = re.compile(r"\s{0,200}<(?:\?xml|!DOCTYPE\s+plist|(?!!DOCTYPE|html\b)[A-Za-z_][\w.:-]{0,80}[\s>/])")
NAMING = ("name", "id", "key", "include", "artifactid", "title")  # attributes and children, in lower case
NAMESPACES = ("xmlns", "xsi")
TRUTHS = ("true", "false")


def is_xml(text: str) -> bool:
    """Whether a text opens as XML does, and closes so."""
    return OPENING.match(text) is not None and text.rstrip()[-1:] == ">"


@dataclass(slots=True)
class _Element:
    """line, last: of its tags, from 1. text: between them; text_line: where that begins."""

    tag: str
    line: int
    attributes: list[tuple[str, str]] = field(default_factory=list)
    children: list[_Element] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    text_line: int = 0
    last: int = 0

    @property
    def said(self) -> str:
        """The text of an element without children; "" of others: their text is prose."""
        return "" if self.children else "".join(self.text).strip()


class _Tree:
    """Puts a small tree together; root is None where the file is not well formed, or declares entities."""

    def __init__(self, text: str) -> None:
        self.root: _Element | None = None
        self.comments: list[tuple[int, int, str]] = []  # first and last line, text
        self._open: list[_Element] = []
        self._parser = guarded_parser(self._start, self._end, self._text, MAX_DEPTH, "utf-8")
        self._parser.CommentHandler = self._comment
        try:
            self._parser.Parse(text.encode("utf-8", "replace"), True)
        except (expat.ExpatError, FileUnreadable):
            self.root = None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        pairs = [(key, value) for key, value in attributes.items() if key.partition(":")[0] not in NAMESPACES]
        element = _Element(tag, self._parser.CurrentLineNumber, pairs)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def _end(self, tag: str) -> None:
        self._open.pop().last = self._parser.CurrentLineNumber

    def _text(self, text: str) -> None:
        element = self._open[-1]
        if len(element.text) < MAX_TEXT_PARTS:
            element.text.append(text)
        if not element.text_line and text.strip():
            element.text_line = self._parser.CurrentLineNumber

    def _comment(self, text: str) -> None:
        first = self._parser.CurrentLineNumber
        self.comments.append((first, first + text.count("\n"), text))


def collect_markup(collector: FactCollector, text: str, lines: Sequence[str]) -> None:
    """Collect what a file of XML sets; nothing of one that is not well formed."""
    tree = _Tree(text.removeprefix("\ufeff").lstrip())
    above = len(text) - len(text.lstrip())
    if tree.root is not None:
        _Walk(collector, lines, tree.comments, text[:above].count("\n")).visit(tree.root, (), is_root=True)


class _Walk:
    """One pass over a tree of elements."""

    def __init__(
        self, collector: FactCollector, lines: Sequence[str], comments: Sequence[tuple[int, int, str]], above: int
    ) -> None:
        self._collector = collector
        self._lines = lines
        self._above = above
        self._behind = {first: text for first, _, text in comments if not self._is_alone(first)}
        self._before = {last: (first, text) for first, last, text in comments if self._is_alone(first)}

    def visit(self, element: _Element, path: tuple[str, ...], *, is_root: bool = False) -> None:
        """Collect what the element and all in it set. path: of what encloses it."""
        if self._collector.is_full:
            return
        if element.tag == "plist" and is_root:
            for child in element.children:
                self._value(child, ())
            return
        name, naming = ("", "") if is_root else _name_of(element)
        path = path if is_root else (*path, element.tag)
        others = [(key, value) for key, value in element.attributes if key != naming]
        if name and not others and not element.children and not element.said:
            self._add(path or (element.tag,), name, element.line, element)
            return
        path = (*path, name) if name else path
        for key, value in others:
            inner = path if _local(key).lower() == "value" else (*path, _local(key))
            self._add(inner, value, self._line_of(key, element), element)
        if element.said:
            self._add(path or (element.tag,), element.said, element.text_line, element)
        self._children(element, path, naming)

    def _children(self, element: _Element, path: tuple[str, ...], naming: str) -> None:
        if "".join(element.text).strip():
            return  # a text with marks in it is prose
        counts = Counter(child.tag for child in element.children)
        seen: Counter[str] = Counter()
        for child in element.children:
            seen[child.tag] += 1
            is_plain = not child.attributes and not child.children
            if counts[child.tag] > 1 and is_plain:
                if seen[child.tag] == 1:
                    said = [each.said for each in element.children if each.tag == child.tag]
                    self._add((*path, child.tag), ", ".join(filter(None, said)), child.text_line, child)
            elif child.tag == naming and is_plain:
                continue
            elif child.tag.lower() == "value" and naming and is_plain:
                self._add(path, child.said, child.text_line, child)
            elif counts[child.tag] <= MAX_UNNAMED or _name_of(child)[0]:
                self.visit(child, path)

    def _value(self, element: _Element, path: tuple[str, ...]) -> None:
        """Take a value of a property list: an element whose tag is its type."""
        if element.tag == "dict":
            for key, value in zip(element.children[::2], element.children[1::2], strict=False):
                if key.tag == "key":
                    self._value(value, (*path, key.said))
        elif element.tag == "array" and any(child.children for child in element.children):
            for number, child in enumerate(element.children[:MAX_UNNAMED], 1):
                self._value(child, (*path, str(number)))
        elif element.tag == "array":
            self._add(path, ", ".join(child.said for child in element.children), element.line, element)
        else:
            text = element.tag if element.tag in TRUTHS else element.said
            self._add(path, text, element.text_line or element.line, element)

    def _add(self, path: tuple[str, ...], text: str, line: int, element: _Element) -> None:
        if len(text) > MAX_VALUE_CHARS:
            return  # what a file tells at length is no setting
        comment, where = self._comment(element)
        place = (line or element.line) + self._above
        self._collector.add(path, "setting", ("value", text, place), ("help", comment, where + self._above))

    def _comment(self, element: _Element) -> tuple[str, int]:
        """The comment behind the element's last line, or that which ends right above it, with its line."""
        if (said := self._behind.get(element.last)) is not None:
            return said, element.last
        first, said = self._before.get(element.line - 1, (element.line, ""))
        return said, first

    def _is_alone(self, line: int) -> bool:
        row = line - 1 + self._above
        return row < len(self._lines) and self._lines[row].lstrip().startswith("<!--")

    def _line_of(self, attribute: str, element: _Element) -> int:
        for line in range(element.line, min(element.last, element.line + MAX_TAG_LINES) + 1):
            row = line - 1 + self._above
            if row < len(self._lines) and f"{attribute}=" in self._lines[row].replace(" =", "="):
                return line
        return element.line


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _name_of(element: _Element) -> tuple[str, str]:
    """What the element calls itself, and the attribute's key or the child's tag that says so; "" where nothing does."""
    for key, value in element.attributes:
        if _local(key).lower() in NAMING:
            return value, key
    tags = [child.tag.lower() for child in element.children]
    for tag in NAMING:
        if tags.count(tag) == 1 and (said := element.children[tags.index(tag)].said):
            return said, element.children[tags.index(tag)].tag
    return "", ""
