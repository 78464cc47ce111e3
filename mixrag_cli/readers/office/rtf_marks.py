r"""Rich text made ready for striprtf, which keeps the characters alone: what it would lose stands as marks among them.

    {\b Fees}\par\trowd\cellx900 12\cell\row   ->   l1;Fees p0;l0;12 c;r0;      each mark behind MARK

Pictures, and what else says nothing to striprtf, are not handed on. Source: Rich Text Format specification 1.9.1.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.office.looks import Look, level_of_outline

MARK = "\ue000"  # one of the characters for private use; the document's own is left out
MARKS = re.compile(rf"{MARK}([a-z])(\d{{0,9}});")
# The letters of the marks. Numbers: of a look, its place in looks; of a paragraph's end, its outline level, 10 more in
# a table; of a row's end, its place in rows.
LOOK, PARAGRAPH, CELL, ROW, ITEM, NOTE, NOTE_END = "lpcrine"
TOKEN = re.compile(r"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'[0-9a-f]{2}|\\[^a-z]|[{}]|[^\\{}]+|\\", re.I | re.S)
CHARACTERS = frozenset(("u", "uc", "f", "deff", "ansicpg", "tab", "line", "emspace", "enspace", "qmspace"))
SIGNS = frozenset(("emdash", "endash", "bullet", "lquote", "rquote", "ldblquote", "rdblquote"))
BREAKS = ("par", "sect", "page", "column")
DEFAULT_LOOK = Look(24, False)  # in half points
MAX_DEPTH = 1_000
MAX_MARKED_CHARS = 20_000_000  # ten seconds of striprtf's time, in which nothing is heard of it
BEAT_TOKENS = 20_000


@dataclass(frozen=True, slots=True)
class RowEdge:
    """Where a cell of a row ends, in twentieths of a point; whether it goes on with that at its left, or above."""

    right: int
    goes_on: str = ""


@dataclass(frozen=True, slots=True)
class _Set:
    """How text is set at a place: what the end of a group brings back."""

    look: Look = DEFAULT_LOOK
    is_raised: bool = False
    is_deleted: bool = False
    level: int = 0
    is_in_table: bool = False
    is_note: bool = False  # whether the group is a note's


@dataclass
class MarkedText:
    """Rich text with marks, and what their numbers name; of a look, too, whether its text is raised."""

    text: str
    looks: list[tuple[Look, bool]]
    rows: list[tuple[RowEdge, ...]]


def with_marks(
    text: str, left_out: Collection[str], charsets: Mapping[int, str], beat: Callable[[int, int], None]
) -> MarkedText:
    """The text with marks. left_out: the words of groups that striprtf leaves out; charsets: its encodings by number.

    Raises FileUnreadable: "forbidden" (absurd nesting), "too-large".
    """
    marker = _Marker(text, left_out, charsets)
    n_tokens = place = 0
    while place < len(text) and not marker.has_ended:
        if n_tokens % BEAT_TOKENS == 0:
            beat(place, len(text))
        n_tokens += 1
        place = marker.take(place)
    return MarkedText("".join(marker.parts), [*marker.looks], marker.rows)


@dataclass
class _Marker:
    """Goes through the text token by token."""

    source: str
    left_out: Collection[str]
    charsets: Mapping[int, str]
    parts: list[str] = field(default_factory=list)
    looks: dict[tuple[Look, bool], int] = field(default_factory=dict)
    rows: list[tuple[RowEdge, ...]] = field(default_factory=list)
    has_ended: bool = False

    def __post_init__(self) -> None:
        self._set = _Set()
        self._outer: list[_Set] = []
        self._depth_unread = 0  # of the group that is left out, 0 where none is
        self._depth_fonts = 0
        self._n_chars = 0
        self._font = ""
        self._shown: tuple[Look, bool] | None = None
        self._edges: list[RowEdge] = []
        self._goes_on = ""

    def mark(self, kind: str, number: int | None = None) -> None:
        """A mark here. The group around it keeps striprtf's count of characters to skip."""
        self._add(f"{{\\uc0\\u{ord(MARK)} {kind}{'' if number is None else number};}}")

    def take(self, place: int) -> int:
        """Take the token at the place; where the next one begins."""
        match = TOKEN.match(self.source, place)
        assert match is not None, "every character begins a token"
        token, word = match[0], match[1]
        if word == "bin" and match[2] and int(match[2]) > 0:
            return match.end() + int(match[2])
        if token in "{}":
            self._take_brace(token)
        elif self._depth_unread:
            pass
        elif self._depth_fonts:
            self._take_font(word or "", match[2] or "")
        elif word:
            self._take_word(word, match[2], token)
        elif token == "\\*":
            self._depth_unread = len(self._outer)
        elif token in ("\\\n", "\\\r"):
            self._take_word("par", None, token)
        else:
            self._say(token)
        return match.end()

    def _add(self, part: str) -> None:
        self._n_chars += len(part)
        if self._n_chars > MAX_MARKED_CHARS:
            raise FileUnreadable("too-large", f"holds more than {MAX_MARKED_CHARS:,} characters of rich text")
        self.parts.append(part)

    def _say(self, token: str) -> None:
        """Hand on what is a character, set as it is here."""
        if self._set.is_deleted or not token.strip("\r\n"):
            return
        shown = (self._set.look, self._set.is_raised)
        if shown != self._shown:
            self._shown = shown
            self.mark(LOOK, self.looks.setdefault(shown, len(self.looks)))
        self._add(token.replace("\r", "").replace("\n", "").replace(MARK, ""))

    def _take_brace(self, brace: str) -> None:
        is_shown = not self._depth_unread and not self._depth_fonts
        if brace == "{":
            if len(self._outer) == MAX_DEPTH:
                raise FileUnreadable("forbidden", f"groups nested deeper than {MAX_DEPTH:,}")
            self._outer.append(self._set)
            self._set = replace(self._set, is_note=False)
        elif self._outer:
            if self._set.is_note and is_shown:
                self.mark(NOTE_END)
            if len(self._outer) in (self._depth_unread, self._depth_fonts):  # its opening brace was handed on
                is_shown, self._depth_unread, self._depth_fonts = True, 0, 0
            self._set = self._outer.pop()
            self.has_ended = not self._outer
        if is_shown:
            self._add(brace)

    def _take_font(self, word: str, number: str) -> None:
        """Hand on which encoding a font has, but for those that Python has not."""
        if word == "f":
            self._font = number
        elif word == "fcharset" and self._font and self._is_known(int(number or 0)):
            self._add(f"{{\\f{self._font}\\fcharset{number} x;}}\n")  # a font a line: striprtf searches line by line
            self._font = ""

    def _is_known(self, charset: int) -> bool:
        try:
            return charset not in self.charsets or bool(codecs.lookup(self.charsets[charset]))
        except LookupError:
            return False

    def _take_word(self, word: str, number: str | None, token: str) -> None:
        if word == "fonttbl":
            self._depth_fonts = len(self._outer)
            self._add(token)
        elif word == "footnote":
            self._set = replace(self._set, is_note=True)
            self.mark(NOTE)
        elif word in self.left_out:
            self._depth_unread = len(self._outer)
        elif word in ("cell", "row", "nestcell", "trowd", "cellx", "clmrg", "clvmrg"):
            self._take_table_word(word, number)
        elif word in BREAKS:
            self.mark(PARAGRAPH, self._set.level + 10 * self._set.is_in_table)
        elif word == "listtext":
            self.mark(ITEM)
        elif word in CHARACTERS or word in SIGNS:
            if word in ("u", "uc") and not (number and abs(int(number)) < 0x10000):
                return  # no character
            is_said = word in SIGNS or word in ("u", "tab", "line")
            is_mark = word == "u" and number is not None and int(number) % 0x10000 == ord(MARK)
            (self._say if is_said else self._add)("" if is_mark else token.strip() + " ")
        else:
            self._set = _set_by(self._set, word, number)

    def _take_table_word(self, word: str, number: str | None) -> None:
        if word == "trowd":
            self._edges, self._goes_on = [], ""
        elif word == "cellx":
            self._edges.append(RowEdge(int(number or 0), self._goes_on))
            self._goes_on = ""
        elif word in ("clmrg", "clvmrg"):
            self._goes_on = "left" if word == "clmrg" else "above"
        elif word == "row":
            self.mark(ROW, len(self.rows))
            self.rows.append(tuple(self._edges))
        elif word == "cell":
            self.mark(CELL)
        else:
            self._say(" ")  # a cell of a table in a cell


def _set_by(before: _Set, word: str, number: str | None) -> _Set:
    """How text is set after a control word."""
    is_on = number != "0"
    if word == "b":
        return replace(before, look=Look(before.look.size, is_on))
    if word == "fs" and number:
        return replace(before, look=Look(float(number), before.look.is_bold))
    if word == "plain":
        return replace(before, look=DEFAULT_LOOK, is_raised=False, is_deleted=False)
    if word == "pard":
        return replace(before, level=0, is_in_table=False)
    if word == "outlinelevel" and number:
        return replace(before, level=level_of_outline(int(number)))
    if word == "intbl":
        return replace(before, is_in_table=True)
    if word in ("super", "nosupersub", "sub"):
        return replace(before, is_raised=word == "super" and is_on)
    if word == "deleted":
        return replace(before, is_deleted=is_on)
    return before
