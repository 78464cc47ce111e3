"""Facts of running text: what its lines set apart as a key and what is said of it.

label        "License: MIT", "- **Port**: 80", ":Author: Ann"      lines of lists and of blocks of such lines; also
             "Blade length . . . . 62", but not where they point to pages
definition   a term and its explanation: "- fees: what …", a term with an indented text or ": text" below it, a heading
             or line that only names a setting ("max_size", code) with the paragraph below it
option       "- --port: where to listen"
default      "- **0** => off" among "- 1 => on", below such a heading
version      "4.2.0 (2021-05-01)", "v1.2 - May 3, 2020"            headings, and lines that say nothing else; also a
             line of a date alone, "Released 2021-05-01", below the heading "4.2.0"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from mixrag_cli.line_marks import lines_between
from mixrag_cli.readers.facts.collecting import MAX_VALUE_CHARS, FactCollector
from mixrag_cli.readers.page_lists import point_to_pages
from mixrag_cli.records.documents import Block
from mixrag_cli.records.places import LineMarks

MAX_LABEL_WORDS = 6  # of a list's or block's line
MAX_ALONE_WORDS = 4  # of a line that stands alone: a longer one introduces a sentence
MAX_ALONE_CHARS = 120
MAX_TERM_CHARS = 80
MIN_NUMBERED = 2  # items that begin with a number: one alone is no list of such
MAX_LABEL_VALUE_WORDS = 10  # a longer value explains its label instead of giving it a value
_KEY = r"[^\W_](?:[^\s:]| (?! )){0,70}?|--?[\w][\w-]{0,40}(?:[ ,=|/]{1,2}[\w<>\[\]-]{1,40}){0,4}"
# a key may stand in marks: "``port``: 80", "**Port:** 80", AsciiDoc's "`port`:: 80", Org's "=port= :: 80"
_MARKED = rf"(?P<mark>``|`|\*\*|\*|__|=|~)?(?P<key>{_KEY})"
LABEL = re.compile(rf"{_MARKED}(?:(?(mark)(?P=mark))\s?::?|:(?P=mark))\s+(?P<text>\S.*)$")
DASHED = re.compile(rf"{_MARKED}(?(mark)(?P=mark))\s+(?:[-–—]{{1,2}}|=>)\s+(?P<text>\S.*)$")
# "5601 - Kibana": ports, codes, years in a list of such
NUMBERED = re.compile(
    r"(?P<mark>``|`|\*\*)?(?P<number>\d{1,6})(?(mark)(?P=mark))\s+(?:[-–—]{1,2}|=>)\s+(?P<text>\S.*)$"
)
# What only programs name so: an option, a name with an underscore. Below such a heading is said what it does.
_NAME = r"--?[A-Za-z][\w-]{0,60}|[A-Za-z]\w{0,60}_\w{1,60}(?:\.\w{1,60}){0,4}"
NAMED = re.compile(rf"(?P<mark>`{{0,2}})(?:{_NAME})(?P=mark)$")
# "SCCACHE_DIR local cache directory": of a list's item, in capitals as names of the environment are
CALLED = re.compile(r"(?P<key>[A-Z][A-Z\d]*_[A-Z\d_]+)\s+(?P<text>[^\W\d_].*)$")
TERMED = re.compile(rf"{_MARKED}(?(mark)(?P=mark))::\s+(?P<text>\S.*)$")  # AsciiDoc's
# What is attached to a term's text, and comments.
BREAKS_OFF = re.compile(r"\+$|//|\[[^\]]*\]$|[-=.*_+/|]{4}|\|===")
# What is set before and around a term: AsciiDoc's "[[fading]]*-f*, *--fading*=_MS_", Sphinx's ":py:class:`Huey`"
ANCHOR = re.compile(r"^(?:\[\[[^\]]{1,100}\]\])+|^(?::[\w-]{1,20}){1,3}:(?=`)")
STRESSED = re.compile(
    r"(?<![\w*`])(?P<mark>\*{1,2}|`{1,2})(?P<text>[^\s*`](?:[^*`]*[^\s*`])?)(?P=mark)(?!\w)|(?<=[=\s\[])_(?P<of>\w+)_(?!\w)"
)
ESCAPED = re.compile(r"\\([_*`|])")
# "Blade length . . . . . 62": dots lead to the value
LED = re.compile(
    r"\s{0,40}(?P<key>[^\W_](?:[^\s:]| (?! )){0,70}?)\s{0,4}(?:(?:[.·]\s?){4,200}|(?:…\s?){2,60})\s*"
    r"(?P<text>[^\s.·…].*)$"
)
FIELD = re.compile(r":(?P<key>[^:\n]{1,60}):\s+(?P<text>\S.*)$")
BULLET = re.compile(r"\s{0,40}(?:[-*•‣–+]|\d{1,3}[.)])\s+")
LEADS_IN = re.compile(r"(?P<key>[^\n]{1,60}):$")
SAYS = re.compile(r"[`*_(\"'“]{0,3}\w")
SENTENCE_MARK = re.compile(r"[.!?;](?:\s|$)|,\s.*,|^(?:https?|ftp)$")
# They call for attention and name nothing.
ADMONITIONS = frozenset(
    ["note", "tip", "hint", "warning", "important", "caution", "attention", "example", "todo", "see"]
)
NUMBER_AT_END = re.compile(r"(?:^|\s)[vV$€£~]?\d[\d.,:/]{0,20}[^\W\d]{0,3}%?$")
NUMBER_AT_START = re.compile(r"[vV$€£~]?\d")
PRINTED_FIGURE = re.compile(r"[$€£]?[+-]?\d[\d.,]*(?:e[+-]?\d+)?\s?[^\W\d]{0,12}%?$")
OPTION_NAME = re.compile(r"-{1,2}[A-Za-z]")

# "4.2.0"; of one number where its letter says so, "v12", "v12-rc1"
_NUMBERED = r"\d{1,4}\.\d{1,4}[\w.+-]{0,20}|(?<=[vV])\d{1,4}(?:-[A-Za-z][\w.]{0,15})?"
_VERSION = rf"(?:[A-Za-z][\w.-]{{0,30}}\s+){{0,2}}\[?[vV]?(?P<version>{_NUMBERED})\]?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DATE = (
    r"(?P<date>\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}"
    rf"|\d{{4}}-{_MONTH}-\d{{1,2}}|\d{{1,2}}-{_MONTH}-\d{{4}}"
    rf"|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}}|\d{{1,2}}(?:st|nd|rd|th)?\s{_MONTH},?\s\d{{4}})"
)
_BETWEEN = r"[\s(\[\-–—:,/|]{1,6}(?:(?:[Rr]eleased?|on)[\s:]{1,3}){0,2}"
RELEASE = re.compile(
    rf"(?:[Vv]ersion|[Rr]elease)?\s*\[?[vV]?(?:{_NUMBERED})\]?(?:$|\s*[(\[\-–—:,|/])"
)  # a heading that names one, and not the document
DATED_VERSION = re.compile(rf"{_VERSION}{_BETWEEN}{_DATE}[)\].]?$")
# "Version 1.3.4 Release Notes (2025-07-19)"
TITLED_VERSION = re.compile(
    r"(?:(?:[Vv]ersion|[Rr]elease)\s)?\[?[vV]?(?P<version>\d{1,4}\.\d{1,4}[\w.+-]{0,20})\]?(?:\s[A-Za-z]{2,15}){1,3}\s"
    rf"\({_DATE}\)$"
)
VERSION_ALONE = re.compile(rf"{_VERSION}:?$")
DATE_ALONE = re.compile(rf"(?:[A-Za-z]{{1,12}}[\s:]{{1,3}}){{0,2}}{_DATE}\.?$")
VERSION_OF_DATE = re.compile(rf"{_DATE}{_BETWEEN}{_VERSION}[)\]:]?(?:\s{{1,3}}[-–—]\s[^\n]{{1,120}})?$")


def collect_prose_facts(collector: FactCollector, blocks: Sequence[Block], marks: LineMarks) -> None:
    """Collect what headings, paragraphs and lists of a document set apart, lines apart that have stated a fact."""
    known = {value.line for fact in collector.facts for value in fact.values}
    is_named = is_told = False  # whether the heading above names a setting, and something has said what it is
    for block in blocks:
        if collector.is_full:
            return
        collector.place = block.locator
        if block.kind == "heading":
            is_named, is_told = bool(block.name or NAMED.match(block.text)), False
        if block.kind not in ("heading", "paragraph", "list"):
            continue
        reader = _BlockReader(collector, block, marks, known)
        is_stated = reader.collect()
        if block.kind == "list" and not is_named:
            reader.collect_numbered()
        elif block.kind == "list":
            reader.collect_held()
        elif is_named and block.kind == "paragraph" and not (is_told or is_stated):
            is_told = reader.define()


def collect_printed(collector: FactCollector, text: str, headings: tuple[str, ...]) -> None:
    """Collect the figures that a program printed behind their names: "Accuracy: 0.93"."""
    for line in text.split("\n"):
        found = LABEL.match(line.strip()[: 2 * MAX_VALUE_CHARS])
        if found and _is_key(found["key"]) and PRINTED_FIGURE.match(found["text"]):
            collector.add((*headings, found["key"]), "label", ("value", found["text"], None))


class _BlockReader:
    """Looks through the lines of one block."""

    def __init__(self, collector: FactCollector, block: Block, marks: LineMarks, known: Set[int | None]) -> None:
        self._collector = collector
        self._block = block
        self._marks = marks
        self._known = known
        self._lines = list(_lines_of(block.text))

    def collect(self) -> bool:
        """Take the block's facts; whether it states any by its form."""
        block = self._block
        if block.kind == "heading":
            return self._version(block.text, 0, len(block.text))
        if block.kind == "list":
            items = list(_items(self._lines))
            n_called = sum(CALLED.match(text) is not None for text, _, _ in items)
            for text, start, above in items:
                self._item(text, start, above, may_call=2 * n_called > len(items))
            return bool(items)
        if not self._lines:
            return False
        first, start = self._lines[0]
        is_release = VERSION_OF_DATE.match(first.strip()) and self._version(first, start, start + len(first))
        is_explained = self._named() if block.name else self._definition()
        return is_explained or bool(is_release) or self._paragraph()

    def define(self) -> bool:
        """Take a paragraph for what its heading means, if it is one."""
        text = self._block.text
        label = LABEL.match(self._lines[0][0]) or LEADS_IN.match(text)
        if not SAYS.match(text) or (label and len(label["key"].split()) <= MAX_ALONE_WORDS):
            return False
        self._put((), "definition", text, 0, len(text))
        return True

    def _named(self) -> bool:
        """A name on a line of its own, and below it what it means, on the last line perhaps "Default: 30"."""
        if len(self._lines) < 2:
            return False
        (_, start), (last, place) = self._lines[1], self._lines[-1]
        name, end = self._block.name, len(self._block.text)
        found = LABEL.match(last) if len(self._lines) > 2 else None
        if found and _is_key(key := found["key"]) and len(key.split()) <= MAX_ALONE_WORDS and key[0].isupper():
            self._add((name, key), found["text"], place + found.start("text"), place + found.end("text"))
            end = place
        self._put((name,), "definition", self._block.text[start:end], start, end)
        return True

    def collect_held(self) -> None:
        """Take the value that holds unless another is set: the only one in bold of those that a list explains."""
        outer = ((DASHED.match(text), start) for text, start, above in _items(self._lines) if not above)
        held = [(found, start) for found, start in outer if found and found["mark"] == "**"]
        if len(held) == 1:
            found, start = held[0]
            line = self._line(start, start + found.end("key"))
            values = (("default", found["key"].strip(), line), ("help", found["text"], line))
            self._collector.add(self._block.heading_path, "default", *values)  # type: ignore[arg-type]

    def collect_numbered(self) -> None:
        """Take what a list of numbers names: which number is Kibana's is asked as well as what 5601 is.

        Below a setting's name such numbers are its values, and their names what these do.
        """
        items = [(NUMBERED.match(text), start, above) for text, start, above in _items(self._lines)]
        if len(items) < MIN_NUMBERED or not all(found for found, _, _ in items):
            return
        for found, start, above in items:
            if found and _is_key(found["text"]) and not NUMBER_AT_START.match(found["text"]):
                self._add((*above, found["text"]), found["number"], start + found.start(), start + found.end())

    def _paragraph(self) -> bool:
        if terms := _terms(self._lines):
            for text, start in terms:
                self._item(text, start, (), may_call=False)
            return True
        found = _led(self._lines)
        found = found or [(LABEL.match(text) or FIELD.match(text), start) for text, start in _fields(self._lines)]
        if len(found) == 1 and self._version(*self._lines[0], len(self._block.text)):
            return True
        is_alone = len(found) == 1
        if not all(match is not None and _is_key(match["key"]) for match, _ in found):
            return False
        for match, start in found:
            assert match is not None
            key, text = match["key"], match["text"]
            is_set_apart = key[0].isupper() or match.groupdict().get("mark") is not None
            if is_alone and (len(key.split()) > MAX_ALONE_WORDS or len(text) > MAX_ALONE_CHARS or not is_set_apart):
                return False
            self._add((key,), text, start + match.start("text"), start + match.end("text"))
        return True

    def _item(self, text: str, start: int, above: tuple[str, ...], *, may_call: bool) -> None:
        if self._version(text, start, start + len(text)):
            return
        for pattern in (LABEL, FIELD, DASHED, *((CALLED,) if may_call else ())):
            found = pattern.match(text)
            if found and _is_key(found["key"]) and not (pattern is DASHED and _is_range(found["key"], found["text"])):
                names = (*above, found["key"])
                self._add(names, found["text"], start + found.start("text"), start + found.end("text"))
                break

    def _definition(self) -> bool:
        """A term, and below it its explanation: indented, or behind a colon."""
        if len(self._lines) < 2:
            return False
        (term, _), (second, start) = self._lines[0], self._lines[1]
        rest = [text for text, _ in self._lines[1:]]
        is_indented = all(text[:2] in ("  ", "\t") or text[:1] == "\t" for text in rest)
        is_marked = second.startswith((": ", ":\t"))
        is_term = not term[:1].isspace() and not term.startswith("#") and _is_key(term) and len(term) <= MAX_TERM_CHARS
        if not (is_indented or is_marked) or not is_term:
            return False
        text = " ".join(part.strip() for part in rest).removeprefix(":").strip()
        skipped = len(second) - len(second.lstrip(": \t"))
        self._put((term,), "definition", text, start + skipped, len(self._block.text))
        return True

    def _version(self, text: str, start: int, end: int) -> bool:
        plain, headings = text.strip(), self._block.heading_path
        dated = found = DATED_VERSION.match(plain) or TITLED_VERSION.match(plain) or VERSION_OF_DATE.match(plain)
        if found is None and headings and (dated := DATE_ALONE.match(plain)):
            found, headings = VERSION_ALONE.match(headings[-1]), headings[:-1]
        if found is None or dated is None:
            return False
        line = self._line(start, end)
        self._collector.add((*headings, found["version"]), "version", ("date", dated["date"], line))
        return True

    def _add(self, names: tuple[str, ...], text: str, start: int, end: int) -> None:
        sort = "label" if len(text.split()) <= MAX_LABEL_VALUE_WORDS else "definition"
        self._put(names, sort, text, start, end)

    def _put(self, names: tuple[str, ...], sort: str, text: str, start: int, end: int) -> None:
        """names: the key, behind the items of a list that it stands below."""
        line = self._line(start, min(end, start + MAX_VALUE_CHARS))
        if line is not None and line in self._known:
            return
        path = (*self._block.heading_path, *map(_plain, names))
        if OPTION_NAME.match(path[-1]):
            self._collector.add(path, "option", ("help", text, line))
        else:
            self._collector.add(path, "label" if sort == "label" else "definition", ("value", text, line))

    def _line(self, start: int, end: int) -> int | None:
        begin = self._block.locator.chars[0]
        lines = lines_between(self._marks, begin + start, begin + end) if self._block.locator.lines else None
        return lines[0] if lines else None


def _plain(name: str) -> str:
    """A key without what marks it as one."""
    name = STRESSED.sub(lambda found: found["text"] or found["of"], ANCHOR.sub("", name.strip()))
    return ESCAPED.sub(r"\1", name).strip().rstrip(":")


def _terms(lines: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """The lines that begin with "term:: text", each with the plain ones below it; [] where the first does not."""
    terms: list[tuple[str, int]] = []
    goes_on = False
    for line, start in lines:
        if TERMED.match(line):
            terms.append((line, start))
            goes_on = True
        elif not terms:
            return []
        elif goes_on and not BREAKS_OFF.match(line):
            terms[-1] = (f"{terms[-1][0]} {line.strip()}", terms[-1][1])
        elif not line.startswith("//"):
            goes_on = False
    return terms


def _lines_of(text: str) -> Iterator[tuple[str, int]]:
    """The lines that hold something, each with the place of its first character."""
    at = 0
    for line in text.split("\n"):
        if line.strip():
            yield line.rstrip(), at
        at += len(line) + 1


def _led(lines: Sequence[tuple[str, int]]) -> list[tuple[re.Match[str] | None, int]]:
    """The lines that dots lead through from a key to its value, where all do; [] for a table of contents."""
    found = [(LED.match(text), start) for text, start in lines]
    values = [match["text"] for match, _ in found if match and _is_key(match["key"])]
    return found if 1 < len(values) == len(lines) and not point_to_pages(values) else []


def _fields(lines: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """The lines of a paragraph; what is indented below one goes on with it, the items of a list with commas."""
    fields: list[tuple[str, int]] = []
    for line, start in lines:
        if not fields or not line[:1].isspace():
            fields.append((line, start))
            continue
        text, place = fields[-1]
        bullet = BULLET.match(line)
        said = line[bullet.end() :] if bullet else line.strip()
        separator = ", " if bullet and not text.endswith(":") else " "
        if text.endswith(":"):  # the text begins here: its place, less what stands before it
            place = start + len(line) - len(said) - len(text) - 1
        if len(text) < MAX_VALUE_CHARS:
            fields[-1] = (f"{text}{separator}{said}", place)
    return fields


def _items(lines: Sequence[tuple[str, int]]) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """The items of a list without their bullets, their lines joined; each with the names of those that it stands below.

    Example: "- `port`" and below it "  - Default: 80" -> ("`port`", 2, ()), ("Default: 80", 13, ("port",)).
    """
    items: list[tuple[int, str, int]] = []
    for line, start in lines:
        if bullet := BULLET.match(line):
            items.append((len(line) - len(line.lstrip()), line[bullet.end() :], start + bullet.end()))
        elif items and len(items[-1][1]) < MAX_VALUE_CHARS:
            indent, text, place = items[-1]
            items[-1] = indent, f"{text} {line.strip()}", place
    above: list[tuple[int, str]] = []
    for indent, text, place in items:
        above = [each for each in above if each[0] < indent]
        yield text, place, tuple(name for _, name in above if name)
        above.append((indent, _name_of(text)))


def _name_of(item: str) -> str:
    """What an item is about: its key, or all of it; "" where it is a sentence."""
    found = next((match for pattern in (LABEL, DASHED) if (match := pattern.match(item))), None)
    name = found["key"] if found else item.strip().rstrip(":").strip("`*_ ")
    return name if _is_key(name) else ""


def _is_key(key: str) -> bool:
    """Whether people name something so: few words, no sentence, no address, no bracket that stays open."""
    words = key.split()
    is_short = 0 < len(words) <= MAX_LABEL_WORDS
    is_closed = all(key.count(opening) <= key.count(closing) for opening, closing in ("()", "[]", "{}"))
    is_closed = is_closed and not any(key.count(mark) % 2 for mark in ("**", "``"))
    return is_short and is_closed and not SENTENCE_MARK.search(key) and words[0].lower() not in ADMONITIONS


def _is_range(before: str, after: str) -> bool:
    """Whether a dash stands between two numbers: "Python 3.9 - 3.13", "Ports 8000 - 8080 are open"."""
    return NUMBER_AT_END.search(before) is not None and NUMBER_AT_START.match(after) is not None
