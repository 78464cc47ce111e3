"""A passage cut to what matters: whole sentences or lines round the marked words, an ellipsis where text is missing.

    text, marks ─► cleaned ─► units (sentences; lines of code and of tables) ─► the best unit and its neighbours

Nothing is printed here, and nothing of the text is changed but blanks: what is copied from a terminal is what the
document says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import or_

from mixrag_cli.cleaning import safe_text
from mixrag_cli.output.marks import Mark, merged
from mixrag_cli.sentences import split_sentences
from mixrag_cli.words import COMMON_WORDS, stem

ELLIPSIS = "…"
TAB = "    "
HEADING_CHARACTERS = 80  # a line of its own that is longer is a sentence without an end
SCANT = 120  # characters; a paragraph that is shorter says little without the ones beside it
_NO_HEADING = ".!?:;,"
_BLANKS = re.compile(r"\s+")
_GAP = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")  # one blank line or more
_LINE = re.compile(r"[^\n]+")
_ITEM = re.compile(r"(?:[-*•‣–]|\(?\w{1,3}[.)])\s")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Marked:
    """A text and the marked stretches in it, [start, end), in order and apart from each other."""

    text: str
    marks: tuple[Mark, ...] = ()

    def words(self) -> list[str]:
        """What is marked."""
        return [self.text[start:end] for start, end in self.marks]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence or a line that is shown whole or not at all. breaks: whether it begins a line of its own."""

    start: int
    end: int
    paragraph: int
    breaks: bool
    is_heading: bool = False
    is_verbatim: bool = False


def cleaned(text: str, marks: Sequence[Mark] = ()) -> Marked:
    """The text as it may be printed, tabs as blanks, with the marks where their words are then."""
    known = merged([(max(start, 0), min(end, len(text))) for start, end in marks])
    edges = [0, *(edge for mark in known for edge in mark), len(text)]
    pieces = [safe_text(text[start:end]).expandtabs(len(TAB)) for start, end in pairwise(edges)]
    places = [0]
    for piece in pieces:
        places.append(places[-1] + len(piece))
    return Marked("".join(pieces), merged([(places[n], places[n + 1]) for n in range(1, len(pieces), 2)]))


def marked_words(text: str, query: str) -> Marked:
    """The cleaned text with the words of the query marked, in any of their forms; words that tell nothing are not."""
    clean = safe_text(text).expandtabs(len(TAB))
    wanted = {stem(word) for word in map(str.lower, _WORD.findall(query)) if word not in COMMON_WORDS}
    found = (match for match in _WORD.finditer(clean) if match.group().lower() not in COMMON_WORDS)
    return Marked(clean, tuple(match.span() for match in found if stem(match.group().lower()) in wanted))


def snippet(passage: Marked, characters: int, *, keep_lines: bool = False, asked: Sequence[Mark] = ()) -> Marked:
    """The best part of a passage: the sentence that holds most of what is marked, and as many round it as fit.

    passage: cleaned. characters: about how long; a sentence that is longer is cut round its first mark. keep_lines: for
    code, which is cut between lines and keeps its indentation. asked: where the passage says words of the question; the
    sentence that says most of those that the best does not is shown as well. Without marks it begins where the passage
    does.
    """
    text = passage.text
    units = list(_lines(text) if keep_lines else _units(text))
    if not units:
        return Marked("")
    said = [_words_in(unit, Marked(text, tuple(asked))) for unit in units]
    best = _best_unit(units, passage, said)
    places = _shown_places(units, text, best, said, characters)
    shown = _joined(passage, [units[place] for place in places])
    more_before, more_after = places[0] > 0, places[-1] < len(units) - 1
    if len(shown.text) <= characters or len(places) > 1:
        return _with_ellipses(shown, "\n" if keep_lines else " ", more_before, more_after)
    shown, cut_before, cut_after = _cut(shown, characters)
    return _with_ellipses(shown, " ", cut_before or more_before, cut_after or more_after)


def whole(passage: Marked, *, keep_lines: bool = False) -> Marked:
    """All of a passage, its running text as lines of any width. passage, keep_lines: as of a snippet."""
    if keep_lines:
        return passage
    return _joined(passage, list(_units(passage.text)), between_paragraphs="\n\n")


def _units(text: str) -> Iterator[_Unit]:
    """Sentences; of raw tables and of what is indented the lines."""
    for number, (place, own) in enumerate(_paragraphs(text)):
        first_line = own.partition("\n")[0]
        if " | " in first_line or own.startswith(("|", TAB, "$ ")):
            for line in _LINE.finditer(own):
                yield _Unit(place + line.start(), place + line.end(), number, True, is_verbatim=True)
            continue
        sentences = split_sentences(own)
        is_heading = len(sentences) == 1 and len(own) <= HEADING_CHARACTERS and own.rstrip()[-1:] not in _NO_HEADING
        for start, end in sentences:
            begins_line = start == 0 or bool(_ITEM.match(own, start))
            yield _Unit(place + start, place + end, number, begins_line, is_heading)


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Where each begins, and its text."""
    place = 0
    for gap in _GAP.finditer(text):
        yield place, text[place : gap.start()]
        place = gap.end() - len(gap.group().rpartition("\n")[2])  # the indent belongs to what follows
    yield place, text[place:]


def _lines(text: str) -> Iterator[_Unit]:
    """The lines of code; a paragraph ends where a blank line is followed by one that is not indented."""
    code = text.rstrip()
    margin = min((len(line) - len(line.lstrip()) for line in code.split("\n") if line.strip()), default=0)
    place = paragraph = 0
    was_blank = False
    for line in code.split("\n"):
        if line.strip():
            paragraph += was_blank and len(line) - len(line.lstrip()) == margin
        was_blank = not line.strip()
        yield _Unit(place, place + len(line), paragraph, True, is_verbatim=True)
        place += len(line) + 1


def _best_unit(units: Sequence[_Unit], passage: Marked, said: Sequence[Counter[str]]) -> int:
    """The first of those that hold the most different marked words, then the most that are asked; else the first."""
    held = [len(_words_in(unit, passage)) for unit in units]
    return max(range(len(units)), key=lambda place: (held[place], len(said[place]), -place))


def _words_in(unit: _Unit, passage: Marked) -> Counter[str]:
    """What is marked in a unit, and how often it stands there."""
    inside = (mark for mark in passage.marks if mark[0] < unit.end and unit.start < mark[1])
    return Counter(stem(passage.text[start:end].casefold()) for start, end in inside)


def _beside(units: Sequence[_Unit], said: Sequence[Counter[str]], shown: Sequence[int], room: int) -> int | None:
    """The unit, in the room that is left, that says most of what is asked and not said so by any that is shown.

    A word counts by how much of it stands there more often than in each of the shown; None where nothing does.
    """
    everywhere = sum(said, Counter())
    known = reduce(or_, (said[place] for place in shown))
    worth = {
        place: sum(count / everywhere[word] for word, count in (words - known).items())
        for place, words in enumerate(said)
        if _length(units[place]) <= room
    }
    found = max(worth, key=lambda place: (worth[place], -abs(place - shown[0])), default=None)
    return found if found is not None and worth[found] else None


def _shown_places(
    units: Sequence[_Unit], text: str, best: int, said: Sequence[Counter[str]], characters: int
) -> list[int]:
    """The units that are shown, in order: the best, one that says more of what is asked, what fits round both."""
    alone = _span(_grown(units, text, (best, best), characters))
    other = _beside(units, said, alone, characters - _length(units[best]))
    if other is None:
        return alone
    first, last = min(best, other), max(best, other)
    if _length_of(units, (first, last)) <= characters:
        return _span(_grown(units, text, (first, last), characters))
    half = (characters + _length(units[other]) - _length(units[best])) // 2
    around = _grown(units, text, (other, other), half)
    return sorted({*_span(around), *_span(_grown(units, text, (best, best), characters - _length_of(units, around)))})


def _grown(units: Sequence[_Unit], text: str, core: tuple[int, int], characters: int) -> tuple[int, int]:
    """The first and the last unit shown: neighbours are added to the core on both sides in turn while they fit."""
    first, last = core
    shown = _length_of(units, core)
    while True:
        sides = [place for place in (first - 1, last + 1) if 0 <= place < len(units)]
        steps = {place: units[first if place < first else last] for place in sides}
        fitting = [
            place
            for place, beside in steps.items()
            if shown + _length(units[place]) <= characters and _belongs(units[place], beside, text, shown)
        ]
        if not fitting:
            break
        nearest = min(fitting, key=lambda place: max(core[0] - place, place - core[1]))
        first, last = min(first, nearest), max(last, nearest)
        shown += _length(units[nearest])
    while first < core[0] and not _length(units[first]) > 1:  # blank lines at the edges
        first += 1
    while last > core[1] and not _length(units[last]) > 1:
        last -= 1
    return first, last


def _span(ends: tuple[int, int]) -> list[int]:
    return list(range(ends[0], ends[1] + 1))


def _length_of(units: Sequence[_Unit], ends: tuple[int, int]) -> int:
    return sum(_length(units[place]) for place in _span(ends))


def _belongs(unit: _Unit, beside: _Unit, text: str, shown: int) -> bool:
    """Whether a unit may be shown with the one beside it: of the same paragraph, its heading, or what it announces.

    A paragraph of hardly a sentence takes its neighbours in, as far as the next heading.
    """
    if unit.paragraph == beside.paragraph:
        return True
    says_scant = shown < SCANT and not beside.is_verbatim
    if unit.end <= beside.start:
        return unit.is_heading or _announces(unit, text) or (says_scant and not beside.is_heading)
    if unit.is_heading:
        return beside.is_heading
    return beside.is_heading or _announces(beside, text) or says_scant


def _announces(unit: _Unit, text: str) -> bool:
    return text[unit.start : unit.end].endswith(":") and not unit.is_verbatim


def _length(unit: _Unit) -> int:
    return unit.end - unit.start + 1


def _joined(passage: Marked, units: Sequence[_Unit], between_paragraphs: str = "") -> Marked:
    """The units one after the other, blanks of running text made single, with the marks moved along."""
    letters: list[str] = []
    places: dict[int, int] = {}  # of each character of the passage that is kept
    size = 0
    for number, unit in enumerate(units):
        if number:
            is_next = between_paragraphs and unit.paragraph != units[number - 1].paragraph
            gap = between_paragraphs if is_next else "\n" if unit.breaks else " "
            if passage.text[units[number - 1].end : unit.start].strip():
                gap = f"{gap}{ELLIPSIS}{gap}"
            letters.append(gap)
            size += len(gap)
        own = passage.text[unit.start : unit.end]
        for match in re.finditer(r"\s+|\S", own):
            blank = match.group().isspace() and not unit.is_verbatim
            for offset in range(match.start(), match.end()):
                places[unit.start + offset] = size
                if not blank or offset == match.start():
                    letters.append(" " if blank else own[offset])
                    size += 1
    marks = []
    for start, end in passage.marks:
        kept = [places[place] for place in range(start, end) if place in places]
        if kept:
            marks.append((kept[0], kept[-1] + 1))
    return Marked("".join(letters), merged(marks))


def _cut(sentence: Marked, characters: int) -> tuple[Marked, bool, bool]:
    """A sentence that is too long, cut between words so that its first mark stands in the middle."""
    text = sentence.text
    start, end = sentence.marks[0] if sentence.marks else (0, 0)
    left = max(0, min(start - (characters - (end - start)) // 2, len(text) - characters))
    left = min(left, start)
    right = min(len(text), max(left + characters, min(end, left + 2 * characters)))
    if left and (blank := text.find(" ", left, start)) >= 0:
        left = blank + 1
    if right < len(text) and (blank := text.rfind(" ", max(end, left + 1), right)) >= 0:
        right = blank
    return _moved(sentence, left, right), left > 0, right < len(text)


def _moved(passage: Marked, left: int, right: int) -> Marked:
    marks = [(max(start, left) - left, min(end, right) - left) for start, end in passage.marks]
    return Marked(passage.text[left:right], merged(marks))


def _with_ellipses(passage: Marked, between: str, before: bool, after: bool) -> Marked:
    lead = f"{ELLIPSIS}{between}" if before else ""
    text = f"{lead}{passage.text}{between + ELLIPSIS if after else ''}"
    return Marked(text, tuple((start + len(lead), end + len(lead)) for start, end in passage.marks))
