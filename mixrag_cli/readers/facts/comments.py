"""The comment that goes with a line: behind it, or on lines of its own right above."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

MAX_DOC_LINES = 60  # of a comment
NEAREST_LINES = 3  # of what is longer, or opens the file: the rest speaks of all that follows
MAX_ATTRIBUTE_LINES = 6
MAX_LINE_CHARS = 400
# By what opens a comment in the language: what stands behind a value, and what a line of its own begins with. The last
# are the settings', where any may. "#:" and "//!<" are for tools that make manuals, "#!" names an interpreter.
_HASH, _SLASH = r"#(?![\[!])", r"//+|/\*+"
_OPENINGS = {
    "#": (_HASH, _HASH),
    "%": ("%+", "%+"),
    "//": (_SLASH, r"//+!?|/\*+|\*+(?=\s|$)"),
    "# //": (f"{_HASH}|{_SLASH}", rf"{_HASH}|//+!?|/\*+|\*+(?=\s|$)"),
    "": (rf"{_HASH}|{_SLASH}|--(?=\s)", rf"{_HASH}|//+!?|/\*+|\*+(?=\s|$)|;|--(?=\s)"),
}
_BEHIND = {
    marks: re.compile(rf"^[\s,;)\]}}]{{0,60}}(?:{behind})[:!<]{{0,2}}\s*(?P<text>(?!@[a-z])\S.*?)(?:\s*\*+/)?\s*$")
    for marks, (behind, _) in _OPENINGS.items()
}
# "-- " behind the mark is helm-docs' own. What begins with "@" is told to a tool: "@schema type:[integer, null]".
_ALONE = {
    marks: re.compile(rf"^\s{{0,80}}(?:{alone})+:?\s?(?:--\s)?(?P<text>.*?)(?:\*+/)?\s*$")
    for marks, (_, alone) in _OPENINGS.items()
}
_HAS_WORDS = re.compile(r"[^\W\d_]{2}")
_RULE = re.compile(r"(\S)\1{2}")  # of a line without words: what stands above it is a headline
_ASSIGNS = re.compile(r"[\w.\-]{1,80}\s*=(?!=)")  # a setting that is commented out
_DOC_LINE = re.compile(r"^\s{0,80}///(?P<text>[^/].*|)$")
_BLOCK_MARKS = re.compile(r"^\s*(?:/\*+!?|\*(?!/))?\s?|\s*\*+/\s*$")
_DOC_TAG = re.compile(r"\s*(?:[@\\](?!brief\b|summary\b)|<(?:remarks|param|returns|example))")
_LAYOUT = re.compile(r"</[a-z]\w*>|(?<![\w:])<[a-z]+/?>|[@\\]brief\b")
# What may stand between a definition and its comment: annotations and attributes on lines of their own.
_ATTRIBUTE = re.compile(r"^\s{0,80}(?:@\w[\w.]*(?:\(.*\))?|#?\[.*\])\s*$")


def comment_at(lines: Sequence[str], row: int, column: int | None, marks: str = "") -> tuple[str, int]:
    """The comment that goes with a row, from 0, and its line, from 1; ("", row + 1) where there is none.

    column: where what is commented ends in the row, in characters; None where it goes on over rows. marks: of the
    language, as in LanguageShape.comments; "" for any.
    """
    if (
        column is not None
        and row < len(lines)
        and (found := _BEHIND[marks].match(lines[row][column : column + MAX_LINE_CHARS]))
    ):
        return " ".join((found["text"], *_going_on(lines, row, column + found.start("text"), marks))), row + 1
    if marks != "#" and (told := _documentation(lines, row)):
        return told
    paragraph = _paragraphs(lines, row, _ALONE[marks])
    text = " ".join(part for _, part in paragraph)
    return (text, paragraph[0][0] + 1) if text else ("", row + 1)


def _paragraphs(lines: Sequence[str], row: int, alone: re.Pattern[str]) -> list[tuple[int, str]]:
    """What the line comments right above a row say, by rows: the nearest paragraph, and those above that lead to it.

    None does in a comment that opens the file or is long, or across a rule or a setting that is commented out.
    """
    said: list[list[tuple[int, str]]] = [[]]
    above = row - 1
    while above >= 0 and row - above <= MAX_DOC_LINES and (found := alone.match(lines[above][:MAX_LINE_CHARS])):
        if _HAS_WORDS.search(found["text"]):
            said[0].insert(0, (above, "" if found["text"].startswith("@") else found["text"].strip()))
        elif any(said):
            if _RULE.search(lines[above]):
                break
            said = [[], *said] if said[0] else said
        above -= 1
    if any(said):
        first = _after_going_on(lines, above + 1, row)
        said = [[line for line in part if line[0] >= first] for part in said]
    if above < 0 or row - above > MAX_DOC_LINES or lines[above].startswith("#!"):
        return said[-1] if len(said[-1]) <= NEAREST_LINES else []
    leading = takewhile(lambda part: not (part and _ASSIGNS.match(part[0][1])), reversed(said[:-1]))
    return [line for part in reversed([said[-1], *leading]) for line in part]


def comment_begin(lines: Sequence[str], row: int, marks: str = "") -> int:
    """The first row, from 0, of the comment that stands right above a row and speaks of it; the row without one.

    A comment that is as deep as an indented line above it, and settings that are commented out right below others,
    speak of those. What opens a file speaks of it all if it is long.
    """
    if row and lines[row - 1].rstrip().endswith("*/"):
        begin = _block_begin(lines, row - 1)
    else:
        begin = row
        while begin and row - begin < MAX_DOC_LINES and _ALONE[marks].match(lines[begin - 1][:MAX_LINE_CHARS]):
            begin -= 1
    if not begin:
        return 0 if row <= NEAREST_LINES else row
    begin = _after_going_on(lines, begin, row)
    above = next((line for line in reversed(lines[max(begin - MAX_DOC_LINES, 0) : begin]) if line.strip()), "")
    is_inside, touches = above[:1] in (" ", "\t"), bool(lines[begin - 1].strip())
    for number in range(row - 1, begin - 1, -1):
        found = _ALONE[marks].match(lines[number][:MAX_LINE_CHARS])
        is_setting = touches and found is not None and _ASSIGNS.match(found["text"].strip()) is not None
        if is_setting or (is_inside and lines[number][:1] in (" ", "\t")):
            return number + 1
    return begin


def _going_on(lines: Sequence[str], row: int, text_start: int, marks: str) -> Iterator[str]:
    """What the comment says that goes on below one behind a value, whose text starts there."""
    opening = lines[row][:text_start].rstrip(":!<-# \t/*%")
    below = row + 1
    while below < min(len(lines), row + 1 + MAX_DOC_LINES):
        column = len(lines[below]) - len(lines[below].lstrip())
        found = _ALONE[marks].match(lines[below][:MAX_LINE_CHARS])
        is_under = len(opening) < column < text_start and lines[below][column : column + 1] == lines[row][column]
        if found is None or not is_under or not _HAS_WORDS.search(found["text"]):
            return
        yield found["text"].strip()
        below += 1


def _after_going_on(lines: Sequence[str], first: int, row: int) -> int:
    """The first of the comments' rows up to a row that does not go on with the comment behind what is above them."""
    column, above = len(lines[first]) - len(lines[first].lstrip()), lines[first - 1] if first else ""
    if not above[:column].strip() or above[column : column + 1] != lines[first][column]:
        return first
    goes_on = lines[first][: column + 1]
    return next((at for at in range(first, row) if not lines[at].startswith(goes_on)), row)


def documentation_above(lines: Sequence[str], row: int, marks: str) -> Iterator[tuple[int, str]]:
    """The lines of the comment above a row, from 0, each with its row and without the comment's marks."""
    last = _last_above(lines, row)
    if last < 0:
        return
    if lines[last].rstrip().endswith("*/"):
        begin = _block_begin(lines, last)
        yield from ((begin + number, text) for number, text in _texts(lines[begin : last + 1]))
        return
    begin = last + 1
    while begin > max(last - MAX_DOC_LINES, 0) and _ALONE[marks].match(lines[begin - 1][:MAX_LINE_CHARS]):
        begin -= 1
    for number in range(begin, last + 1):
        if found := _ALONE[marks].match(lines[number][:MAX_LINE_CHARS]):
            yield number, found["text"].removeprefix("'")  # R's


def _documentation(lines: Sequence[str], row: int) -> tuple[str, int] | None:
    """The first paragraph of the comment above that a mark closes, or of the lines behind "///", with its line.

    Attributes may stand in between. The tags of a manual, such as "@param" and "<remarks>", are no part of it.
    """
    if (above := _last_above(lines, row)) < 0:
        return None
    begin = _block_begin(lines, above) if lines[above].rstrip().endswith("*/") else _run_begin(lines, above)
    said: list[str] = []
    first = begin
    for number, text in _texts(lines[begin : above + 1]):
        if _DOC_TAG.match(text) or (said and not _HAS_WORDS.search(text)):
            break
        plain = _LAYOUT.sub("", text).strip()
        if _HAS_WORDS.search(plain):
            first = first if said else begin + number
            said.append(plain)
        elif said:
            break
    return (" ".join(said), first + 1) if said else None


def _last_above(lines: Sequence[str], row: int) -> int:
    """The row above one and the attributes that stand there; -1 where there is none."""
    above = row - 1
    while above > row - MAX_ATTRIBUTE_LINES and above >= 0 and _ATTRIBUTE.match(lines[above][:MAX_LINE_CHARS]):
        above -= 1
    return above


def _texts(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """What the lines of a comment say without its marks, each with its number."""
    for number, line in enumerate(lines):
        found = _DOC_LINE.match(line[:MAX_LINE_CHARS])
        yield number, found["text"] if found else _BLOCK_MARKS.sub("", line[:MAX_LINE_CHARS])


def _block_begin(lines: Sequence[str], last: int) -> int:
    """The row in which the comment begins that ends in a row of its own; the row after where it does not."""
    for row in range(last, max(last - MAX_DOC_LINES, -1), -1):
        if "/*" in lines[row]:
            return row if lines[row].lstrip().startswith("/*") else last + 1
    return last + 1


def _run_begin(lines: Sequence[str], last: int) -> int:
    """The first of the rows up to one that all begin with "///"; the row after where that one does not."""
    row = last + 1
    while row > max(last - MAX_DOC_LINES, 0) and _DOC_LINE.match(lines[row - 1][:MAX_LINE_CHARS]):
        row -= 1
    return row
