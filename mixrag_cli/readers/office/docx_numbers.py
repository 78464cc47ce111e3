"""The numbers of a Word document's list items as Word counts and writes them: "7.", "2.1", "(c)".

mammoth knows that an item is numbered, and not by which number: each list that text interrupts would begin anew. So
each item's label is put before its text, between marks, and from there to its place in mammoth's HTML.
Source: ECMA-376, part 1, 17.9 (numbering): counters belong to the abstract definition, deeper levels begin anew.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape, unescape
from xml.etree import ElementTree

from mixrag_cli.readers.office.docx_looks import OFF, Names, paragraphs_in
from mixrag_cli.readers.office.looks import MAX_PARAGRAPHS

START, END = "\ue0f0", "\ue0f1"  # around a label: of a private area, so that no text has them
ITEM = re.compile(rf"<li>((?:<(?!li\b)[^<>]{{1,200}}>){{0,20}}){START}([^{END}<>]{{1,60}}){END}")
LEFT = re.compile(f"{START}[^{END}]{{0,60}}{END}")
PLACE = re.compile(r"%([1-9])")
MAX_LABEL_CHARS = 40
N_LEVELS = 9
ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"))
ROMAN_ONES = ((9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
MAX_ROMAN = 4000


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of a list. restart: the level, from 1, up to which others let it begin anew; None for any above it."""

    start: int
    form: str
    text: str
    restart: int | None
    style: str
    is_legal: bool


@dataclass(frozen=True, slots=True)
class _List:
    """A list as paragraphs name it. overrides: where a level begins in this list, by levels."""

    abstract: str
    overrides: Mapping[int, int]


def mark_numbers(root: ElementTree.Element, numbering: bytes, styles: bytes) -> bool:
    """Put the label of each numbered item of the document before its text, between marks; whether there are any."""
    if not numbering:
        return False
    names = Names(root)
    counting = _Counting(_read_lists(numbering), _read_levels(numbering), _read_styles(styles), names)
    elements = [element for element, _ in paragraphs_in(root.find(names.path("body")), names)]
    labels = [counting.label(element) for element in elements[:MAX_PARAGRAPHS]]
    for element, label in zip(elements, labels, strict=False):
        if label and any(text.text for text in element.iter(names.path("t"))):
            run = ElementTree.Element(names.path("r"))
            ElementTree.SubElement(run, names.path("t")).text = f"{START}{label}{END}"
            element.insert(1 if element.find(names.path("pPr")) is not None else 0, run)
    return any(labels)


def with_labels(markup: str) -> str:
    """mammoth's HTML with each marked label as one of its list item; other marks are taken out."""
    labelled = ITEM.sub(lambda item: f'<li data-label="{escape(unescape(item[2]))}">{item[1]}', markup)
    return LEFT.sub("", labelled)


def _read_lists(part: bytes) -> dict[str, _List]:
    root = ElementTree.fromstring(part)
    names = Names(root)
    lists = {}
    for element in root.iterfind(names.path("num")):
        overrides = {
            level: _number(names.value(each, "startOverride"), 1)
            for each in element.iterfind(names.path("lvlOverride"))
            if each.find(names.path("startOverride")) is not None
            and (level := _number(each.get(names.path("ilvl")), 0)) < N_LEVELS
        }
        lists[element.get(names.path("numId"), "")] = _List(names.value(element, "abstractNumId") or "", overrides)
    return lists


def _read_levels(part: bytes) -> dict[str, dict[int, _Level] | str]:
    """The levels of each abstract list; of one that stands for the list of a style, that style."""
    root = ElementTree.fromstring(part)
    names = Names(root)
    found: dict[str, dict[int, _Level] | str] = {}
    for element in root.iterfind(names.path("abstractNum")):
        number = element.get(names.path("abstractNumId"), "")
        found[number] = names.value(element, "numStyleLink") or {
            _number(each.get(names.path("ilvl")), 0): _Level(
                _number(names.value(each, "start"), 0),
                names.value(each, "numFmt") or "decimal",
                names.value(each, "lvlText") or "",
                None if (restart := names.value(each, "lvlRestart")) is None else _number(restart, N_LEVELS),
                names.value(each, "pStyle") or "",
                names.value(each, "isLgl") not in (None, *OFF),
            )
            for each in element.iterfind(names.path("lvl"))
        }
    return found


def _read_styles(part: bytes) -> dict[str, tuple[str, str | None, str | None]]:
    """Of each style what it is based on, its list and its level there."""
    if not part:
        return {}
    root = ElementTree.fromstring(part)
    names = Names(root)
    return {
        element.get(names.path("styleId"), ""): (
            names.value(element, "basedOn") or "",
            names.value(element, "pPr", "numPr", "numId"),
            names.value(element, "pPr", "numPr", "ilvl"),
        )
        for element in root.iterfind(names.path("style"))
    }


class _Counting:
    """Counts the numbered paragraphs of one document in their order."""

    def __init__(
        self,
        lists: Mapping[str, _List],
        levels: Mapping[str, dict[int, _Level] | str],
        styles: Mapping[str, tuple[str, str | None, str | None]],
        names: Names,
    ) -> None:
        self._lists = lists
        self._levels = levels
        self._styles = styles
        self._names = names
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[tuple[str, int]] = set()  # levels of lists that have begun where the list says

    def label(self, element: ElementTree.Element) -> str:
        """What Word writes before the paragraph; "" for one that is not numbered."""
        style = self._names.value(element, "pPr", "pStyle") or ""
        number = self._names.value(element, "pPr", "numPr", "numId")
        depth = self._names.value(element, "pPr", "numPr", "ilvl")
        seen = set[str]()
        named = style
        while number is None and named in self._styles and named not in seen:
            seen.add(named)
            named, number, depth = self._styles[named][0], self._styles[named][1], depth or self._styles[named][2]
        if number is None or (known := self._list_of(number)) is None:
            return ""
        abstract, levels = known
        by_style = next((at for at, level in levels.items() if style and level.style == style), 0)
        at = _number(depth, by_style)
        return self._count(number, abstract, levels, at) if at in levels else ""

    def _list_of(self, number: str) -> tuple[str, dict[int, _Level]] | None:
        """The abstract list that a list is of, and its levels, through the styles that stand for others."""
        for _ in range(N_LEVELS):
            if (known := self._lists.get(number)) is None:
                return None
            levels = self._levels.get(known.abstract)
            if not isinstance(levels, str):
                return None if levels is None else (known.abstract, levels)
            number = self._styles.get(levels, ("", None, None))[1] or ""
        return None

    def _count(self, number: str, abstract: str, levels: Mapping[int, _Level], at: int) -> str:
        counts = self._counts.setdefault(abstract, [None] * N_LEVELS)
        begins = self._lists[number].overrides.get(at)
        if begins is not None and (number, at) not in self._begun:
            counts[at] = begins
        else:
            before = counts[at]
            counts[at] = levels[at].start if before is None else before + 1
        self._begun.add((number, at))
        for deeper in range(at + 1, N_LEVELS):
            restart = levels[deeper].restart if deeper in levels else None
            if restart is None or at < restart:
                counts[deeper] = None
        if levels[at].form == "bullet":
            return ""

        def said(found: re.Match[str]) -> str:
            of = int(found[1]) - 1
            level = levels.get(of, levels[at])
            count = counts[of]
            form = "decimal" if levels[at].is_legal and of < at else level.form
            return _written(level.start if count is None else count, form)

        return PLACE.sub(said, levels[at].text).strip()[:MAX_LABEL_CHARS]


def _written(number: int, form: str) -> str:
    """A number in one of Word's forms, in digits for those that are not told apart here."""
    if form == "none":
        return ""
    if form in ("lowerLetter", "upperLetter") and number > 0:
        letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 % MAX_LABEL_CHARS + 1)
        return letters.upper() if form == "upperLetter" else letters
    if form in ("lowerRoman", "upperRoman") and 0 < number < MAX_ROMAN:
        parts, rest = "", number
        for value, sign in (*ROMAN, *ROMAN_ONES):
            parts, rest = parts + sign * (rest // value), rest % value
        return parts.upper() if form == "upperRoman" else parts
    return f"{number:02d}" if form == "decimalZero" else str(number)


def _number(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 7 else default
