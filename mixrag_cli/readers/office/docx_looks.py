"""The headings of a Word document that mammoth does not know as such, called so in its XML before mammoth reads it.

Those of a style with an outline level or made from a heading's, and those that are headings only by their look.
Source: ECMA-376, part 1, 17.3 (paragraphs and runs), 17.7 (styles), 17.3.1.20 (outline level).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree

from mixrag_cli.readers.office.looks import (
    MAX_LEVEL,
    MAX_PARAGRAPHS,
    Look,
    Paragraph,
    Place,
    heading_levels,
    is_running,
    level_of_outline,
)

STYLE_OF_LEVEL = "FoundHeading{}"  # what a found heading's paragraph has for its style
NAMESPACES = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
DEFAULT_SIZE = 20  # half points, where the document's defaults name none
OFF = ("0", "false", "off", "none")
HEADING_NAME = re.compile(r"heading ?([1-9])", re.I)
TITLES = ("title", "heading")
APART = re.compile(r"(?:toc \d|caption|subtitle|table of figures)$", re.I)
# What holds no text of the paragraph that it is in: what is deleted, boxes and pictures, whose texts stand behind it.
NOT_IN_LINE = ("del", "moveFrom", "drawing", "pict", "object", "AlternateContent")
HOLDERS = ("body", "sdt", "sdtContent", "ins", "customXml", "smartTag", "moveTo")


@dataclass
class _Style:
    """What a style says itself; None where it leaves that to the one that it is based on."""

    name: str = ""
    base: str = ""
    size: float | None = None
    is_bold: bool | None = None
    outline: int | None = None
    is_numbered: bool | None = None


@dataclass
class _Styles:
    """The styles by their identity, and the one of a paragraph that names none."""

    by_id: dict[str, _Style] = field(default_factory=dict)
    default: str = ""
    size: float = DEFAULT_SIZE
    is_bold: bool = False

    def chain(self, style_id: str) -> Iterator[_Style]:
        """A style and those that it is based on."""
        seen = set[str]()
        while style_id in self.by_id and style_id not in seen:
            seen.add(style_id)
            yield self.by_id[style_id]
            style_id = self.by_id[style_id].base

    def look_of(self, style_id: str, look: Look) -> Look:
        """The look of text in this style that otherwise had the given one."""
        chain = tuple(self.chain(style_id))
        size = next((each.size for each in chain if each.size is not None), look.size)
        return Look(size, next((each.is_bold for each in chain if each.is_bold is not None), look.is_bold))

    def is_known(self, style_id: str) -> bool:
        """Whether mammoth knows the style as a heading's."""
        name = self.by_id[style_id].name if style_id in self.by_id else ""
        match = HEADING_NAME.fullmatch(name) or HEADING_NAME.fullmatch(style_id)
        return name.lower() in TITLES or (match is not None and int(match[1]) <= MAX_LEVEL)

    def heading_level_of(self, style_id: str, text: str) -> int:
        """The level, from 1, of a heading set in this style; 0 for other text, such as clauses of a contract that are
        sentences and have an outline level.
        """
        if not self.is_known(style_id) and is_running(text):
            return 0
        for each in self.chain(style_id):
            if each.outline is not None:
                return each.outline
            if match := HEADING_NAME.fullmatch(each.name):
                return int(match[1])
        return int(self.is_known(style_id))


class Names:
    """Elements and attributes in the namespace that the document uses."""

    def __init__(self, root: ElementTree.Element) -> None:
        self.space = next((each for each in NAMESPACES if root.tag.startswith(f"{{{each}}}")), "")

    def path(self, *steps: str) -> str:
        """A path of elements."""
        return "/".join(f"{{{self.space}}}{step}" for step in steps)

    def value(self, element: ElementTree.Element | None, *steps: str) -> str | None:
        """The value of the element at the end of the path, "" where it has none; None where there is no such one."""
        found = None if element is None else element.find(self.path(*steps))
        return None if found is None else found.get(self.path("val"), "")

    def look(self, element: ElementTree.Element | None) -> tuple[float | None, bool | None]:
        """Size and weight that run properties say."""
        size, bold = self.value(element, "sz"), self.value(element, "b")
        is_number = size is not None and size.isdecimal() and len(size) < 5
        return (float(size) if size and is_number else None), (None if bold is None else bold not in OFF)


def mark_headings(root: ElementTree.Element, styles: bytes) -> bool:
    """Put the document's further headings in styles named by STYLE_OF_LEVEL; whether there are any."""
    names = Names(root)
    reading = _Reading(names, _read_styles(styles))
    elements = list(paragraphs_in(root.find(names.path("body")), names))
    if len(elements) > MAX_PARAGRAPHS:
        return False
    told = [reading.paragraph(element, is_in_cell) for element, is_in_cell in elements]
    found = dict(heading_levels(told))
    for number, (element, _) in enumerate(elements):
        if reading.is_unknown(element, told[number]):
            found[number] = told[number].level
    for number, level in found.items():
        _set_style(elements[number][0], STYLE_OF_LEVEL.format(min(level, MAX_LEVEL)), names)
    return bool(found)


def _set_style(paragraph: ElementTree.Element, style_id: str, names: Names) -> None:
    properties = paragraph.find(names.path("pPr"))
    if properties is None:
        properties = ElementTree.Element(names.path("pPr"))
        paragraph.insert(0, properties)
    for style in properties.findall(names.path("pStyle")):
        properties.remove(style)
    properties.insert(0, ElementTree.Element(names.path("pStyle"), {names.path("val"): style_id}))


def _read_styles(part: bytes) -> _Styles:
    styles = _Styles()
    if not part:
        return styles
    root = ElementTree.fromstring(part)
    names = Names(root)
    size, is_bold = names.look(root.find(names.path("docDefaults", "rPrDefault", "rPr")))
    styles.size, styles.is_bold = size or DEFAULT_SIZE, bool(is_bold)
    for element in root.iterfind(names.path("style")):
        style_id = element.get(names.path("styleId"), "")
        outline, number = (names.value(element, "pPr", *steps) for steps in (("outlineLvl",), ("numPr", "numId")))
        styles.by_id[style_id] = _Style(
            names.value(element, "name") or "",
            names.value(element, "basedOn") or "",
            *names.look(element.find(names.path("rPr"))),
            _outline(outline),
            None if number is None else number != "0",
        )
        is_default = element.get(names.path("default")) in ("1", "true")
        if is_default and element.get(names.path("type")) == "paragraph":
            styles.default = style_id
    return styles


def _outline(value: str | None) -> int | None:
    """An outline level counted from 1, 0 for body text; None where none is named."""
    return level_of_outline(int(value)) if value and value in "0123456789" else None


def paragraphs_in(
    holder: ElementTree.Element | None, names: Names, is_in_cell: bool = False
) -> Iterator[tuple[ElementTree.Element, bool]]:
    """The paragraphs in order, and whether they are of a table."""
    for element in () if holder is None else holder:
        if element.tag == names.path("p"):
            yield element, is_in_cell
        elif element.tag == names.path("tbl"):
            yield from ((each, True) for each in element.iter(names.path("p")))
        elif element.tag.rpartition("}")[2] in HOLDERS:
            yield from paragraphs_in(element, names, is_in_cell)


class _Reading:
    """What the paragraphs of one document hold."""

    def __init__(self, names: Names, styles: _Styles) -> None:
        self._names = names
        self._styles = styles

    def paragraph(self, element: ElementTree.Element, is_in_cell: bool) -> Paragraph:
        """One paragraph, with the looks of its characters."""
        text, looks = list[str](), Counter[Look]()
        style_id = self._style_of(element)
        base = self._styles.look_of(style_id, Look(self._styles.size, self._styles.is_bold))
        for run in self._runs_in(element):
            said = "".join(map(self._said, run))
            text.append(said)
            if n_chars := sum(map(str.isalnum, said)):
                looks[self._look_of(run, base)] += n_chars
        line = "".join(text)
        level = self._styles.heading_level_of(style_id, line)
        place = "cell" if is_in_cell else self._place_of(element, style_id, level)
        return Paragraph(line, looks, place, level or _outline(self._names.value(element, "pPr", "outlineLvl")) or 0)

    def is_unknown(self, element: ElementTree.Element, paragraph: Paragraph) -> bool:
        """Whether mammoth takes a heading for other text."""
        return paragraph.place == "heading" and not self._styles.is_known(self._style_of(element))

    def _style_of(self, element: ElementTree.Element) -> str:
        return self._names.value(element, "pPr", "pStyle") or self._styles.default

    def _place_of(self, element: ElementTree.Element, style_id: str, level: int) -> Place:
        if level:
            return "heading"
        if APART.match(self._styles.by_id.get(style_id, _Style()).name):
            return "apart"
        number = self._names.value(element, "pPr", "numPr", "numId")
        chain = (each.is_numbered for each in self._styles.chain(style_id) if each.is_numbered is not None)
        is_numbered = next(chain, False) if number is None else number != "0"
        return "list" if is_numbered else "text"

    def _runs_in(self, element: ElementTree.Element) -> Iterator[ElementTree.Element]:
        for child in element:
            if child.tag == self._names.path("r"):
                if self._names.value(child, "rPr", "vanish") in (None, *OFF):
                    yield child
            elif child.tag.rpartition("}")[2] not in NOT_IN_LINE:
                yield from self._runs_in(child)

    def _said(self, element: ElementTree.Element) -> str:
        name = element.tag.rpartition("}")[2]
        if name == "t":
            return element.text or ""
        is_line_break = name == "cr" or (
            name == "br" and element.get(self._names.path("type")) in (None, "textWrapping")
        )
        return "\t" if name == "tab" else "\n" if is_line_break else ""

    def _look_of(self, run: ElementTree.Element, base: Look) -> Look:
        properties = run.find(self._names.path("rPr"))
        look = self._styles.look_of(self._names.value(properties, "rStyle") or "", base)
        size, is_bold = self._names.look(properties)
        return Look(look.size if size is None else size, look.is_bold if is_bold is None else is_bold)
