"""What is a heading only by its look: a line that stands alone, bolder or larger than the text that it leads to.

Office programs let a writer set a heading without calling it one, and most short documents are written so.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from operator import itemgetter
from typing import Literal, NamedTuple

# "cell": of a table; "list": an item of one; "apart": text that its style calls something else, as a caption
Place = Literal["text", "list", "cell", "heading", "apart"]
MAX_HEADING_CHARS = 100  # what a line of a page holds at the usual sizes
MAX_LEVEL = 6
BODY_TEXT = 9  # the outline level of what has none, counted from 0
MAX_PARAGRAPHS = 200_000  # of a document whose looks are held: some 100 MB; longer ones are not people's
# In parts of the text's size: 14 beside 12 points and 13 beside 11 are meant to be seen, 12 beside 11 are a slip.
LARGER = 1.15  # set by judgement
MAX_LINES = 2  # of one heading
WORD = re.compile(r"[^\W\d_]{2}")
ENDS_AS_A_SENTENCE = re.compile(r"[.,;…][\W_]*$")
# "Date: 4 May" says something of its own; "Part 2: Fees" and "A: Fees" are numbered by what stands before the colon
FIELD = re.compile(r"^(?!.{0,30}\b(?:\d+|[A-Z]|[IVX]+)\s?:)[^:]*[^:\s]\s{0,3}:\s*\S")
TO_FILL = re.compile(r"[_.…]{3}")
MARK_AND_TAB = re.compile(r"^\s*(?:\w+\s)?\(?(?:\d[\d.]*|[A-Z]|[IVXLC]+)[.):]*\t+")  # "1.2", "Section 4", "(A)"


class Look(NamedTuple):
    """How characters are set; of two looks the one that stands out more is the greater."""

    size: float
    is_bold: bool


NOTHING = Look(0, False)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of a document; of a long one the beginning is enough.

    looks: how many letters and digits are set in which look.
    level: of a real heading; of other text, one that it is given beside its style, which counts where it stands out.
    """

    text: str
    looks: Counter[Look]
    place: Place = "text"
    level: int = 0

    @property
    def look(self) -> Look:
        """The least of its looks."""
        return min(self.looks, default=NOTHING)


def heading_levels(paragraphs: Sequence[Paragraph]) -> dict[int, int]:
    """The levels of the paragraphs that are headings only by their look, by their number.

    Such a line is wholly bold or clearly larger than most text, ends unlike a sentence and stands above what stands
    out less. They are ranked by size, then by weight, below the document's real headings; its largest line at its top
    is its title. Where most of the text is bold, or most lines would be headings, the look says nothing.
    """
    return _Looks(paragraphs).levels()


class _Looks:
    """The paragraphs that hold a text, and which of them stand out."""

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._all = paragraphs
        self._shown = [number for number, each in enumerate(paragraphs) if each.text.strip()]
        self._next = dict(pairwise(self._shown))
        outside = [each for each in paragraphs if each.place in ("text", "list")]
        characters = _characters(outside)
        plain = {look: count for look, count in characters.items() if not look.is_bold}
        every = _characters(paragraphs)
        self._body = max(plain or every, key=(plain or every).__getitem__, default=NOTHING).size
        bold = sum(count for look, count in every.items() if look.is_bold)
        self._bold_counts = 2 * bold < every.total()
        fields = {number for number in self._shown if FIELD.match(self._line(number))}
        self._fields = {number for pair in pairwise(self._shown) if fields.issuperset(pair) for number in pair}
        self._standing = {number: look for number in self._shown if (look := self._stands_out(number))}

    def levels(self) -> dict[int, int]:
        """As heading_levels."""
        title, found = self._title(), self._led_lines()
        if 2 * self._n_chars(found) > self._n_chars(self._shown):
            found = []  # a notice or a form, most of whose lines stand out
        further = [number for number in found if number != title]
        by_look = self._levels_of({self._standing[number] for number in further}, title)
        levels = {number: by_look[self._standing[number]] for number in further} | self._given()
        return levels if title is None else levels | {title: 1}

    def _line(self, number: int) -> str:
        return self._all[number].text.strip()[:MAX_HEADING_CHARS]

    def _n_chars(self, numbers: Iterable[int]) -> int:
        return sum(self._all[number].looks.total() for number in numbers)

    def _given(self) -> dict[int, int]:
        """The levels given to lines that stand out, but for labels with nothing below them."""
        given = {number: self._all[number].level for number in self._standing if self._all[number].level}
        return {number: level for number, level in given.items() if not self._is_bare_label(number)}

    def _is_bare_label(self, number: int) -> bool:
        follower = self._next.get(number)
        is_bare = follower is None or follower in self._standing or self._all[follower].place == "heading"
        return is_bare and self._is_label(number)

    def _is_label(self, number: int) -> bool:
        return self._all[number].text.rstrip().endswith(":")

    def _levels_of(self, looks: set[Look], title: int | None) -> dict[Look, int]:
        """The level of each look: that of the real headings that look so, or else above or below all of them."""
        given = self._given()
        shown = {number: self._all[number] for number in self._shown}
        real = [each for number, each in shown.items() if each.place == "heading" or number in given]
        known = Counter((each.look, each.level) for each in real)
        levels = {look: level for (look, level), _ in reversed(known.most_common())}
        largest = max((each.look.size for each in real), default=0)
        above = sorted((look for look in looks - levels.keys() if real and look.size > largest), reverse=True)
        below = sorted(looks - levels.keys() - set(above), reverse=True)
        lowest = max((each.level for each in real), default=0)
        if not real and title is not None and all(look < self._standing[title] for look in looks):
            lowest = 1
        ranked = [*enumerate(above, 1), *enumerate(below, lowest + 1)]
        return levels | {look: min(level, MAX_LEVEL) for level, look in ranked}

    def _stands_out(self, number: int) -> Look | None:
        """The look of a line that may be a heading by it."""
        paragraph = self._all[number]
        text, look = paragraph.text.strip(), paragraph.look
        is_larger = look.size >= LARGER * self._body
        is_bold = look.is_bold and self._bold_counts and look.size >= self._body
        is_free = paragraph.place == "text" or (paragraph.place == "list" and is_larger)
        if not is_free or not (is_larger or is_bold) or is_running(text):
            return None
        is_line = ("\n" not in text or is_larger) and "\t" not in MARK_AND_TAB.sub("", text) and WORD.search(text)
        is_other = TO_FILL.search(text) or (not is_larger and number in self._fields)
        return look if is_line and not is_other else None

    def _runs(self) -> Iterator[list[int]]:
        """The lines that stand out, those together that follow one another in one look."""
        run: list[int] = []
        for number in self._shown:
            if run and (number != run[-1] + 1 or self._standing.get(number) != self._standing[run[-1]]):
                yield run
                run = []
            if number in self._standing:
                run.append(number)
        if run:
            yield run

    def _led_lines(self) -> list[int]:
        """The lines above what stands out less. Of lines that follow one another in one look, as an address does, only
        the last one is, and only where others of that look stand alone; so do the two lines of a long heading.
        """
        leading = defaultdict[Look, list[list[int]]](list)
        for run in self._runs():
            if self._leads(run[-1]):
                leading[self._standing[run[-1]]].append(run)
        found = list[int]()
        for runs in leading.values():
            is_usual = any(len(run) == 1 and self._leads_to_text(run[0]) for run in runs)
            for run in runs:
                if len(run) > 1 and not is_usual:
                    continue
                if is_usual or self._leads_to_text(run[-1]) or not self._has_text_behind_table(run[-1]):
                    found += run if len(run) <= MAX_LINES else run[-1:]
        cover = self._cover()
        return sorted(number for number in found if number not in cover)

    def _cover(self) -> set[int]:
        """The lines at the top that lead to nothing but to other lines of a cover."""
        top = self._top()
        if any(len(run) > MAX_LINES and run[-1] == top[-1] for run in self._runs() if top):
            return set(top)
        looks = [self._standing.get(number) for number in top]
        falls = [look is not None and below is not None and below < look for look, below in pairwise(looks)]
        n_led = sum(1 for _ in takewhile(bool, reversed(falls)))
        return set(top[: max(len(top) - 1 - n_led, 0)])

    def _top(self) -> list[int]:
        """The lines above all running text, of which a cover may have many."""
        is_above = (number in self._standing or self._all[number].place == "heading" for number in self._shown)
        return [number for number, _ in takewhile(itemgetter(1), zip(self._shown, is_above, strict=True))]

    def _leads(self, number: int) -> bool:
        """Whether the next paragraph stands out less than this line."""
        follower = self._next.get(number)
        if follower is None:
            return False
        look, below = self._standing[number], self._all[follower]
        if below.place == "heading":
            return look.size > below.look.size
        return self._standing.get(follower, NOTHING) < look

    def _leads_to_contents(self, number: int) -> bool:
        return number in self._next and self._all[self._next[number]].place == "apart"

    def _leads_to_text(self, number: int) -> bool:
        return self._all[self._next[number]].place != "cell"

    def _has_text_behind_table(self, number: int) -> bool:
        """Whether plain text follows the table below a line, to which the line may be no more than a caption."""
        behind = self._next.get(number)
        while behind is not None and self._all[behind].place == "cell":
            behind = self._next.get(behind)
        return behind is not None and behind not in self._standing and self._all[behind].place != "heading"

    def _title(self) -> int | None:
        """The largest line at the top: above all running text, and none in the document is larger."""
        first = takewhile(lambda number: not is_running(self._all[number].text), self._shown[:MAX_LINES])
        top = self._top() or [*first]  # a date or a name may stand above the title
        top = [number for number in top if number in self._standing and not self._is_label(number)]
        if not top:
            return None
        greatest = max(self._standing[number] for number in top)
        lines = [number for number in top if self._standing[number] == greatest]
        real = max((each.look for each in self._all if each.place == "heading"), default=NOTHING)
        others = (look for number, look in self._standing.items() if not self._leads_to_contents(number))
        is_greatest = greatest >= max(others, default=greatest) and greatest > real
        is_larger = greatest.size >= LARGER * self._body
        return lines[0] if is_greatest and (is_larger or len(lines) <= MAX_LINES + 1) else None


def level_of_outline(outline: int) -> int:
    """The level, from 1, of an outline level as office programs count it, from 0; 0 for that of body text."""
    return (outline + 1) % (BODY_TEXT + 1)


def is_running(text: str) -> bool:
    """Whether a text is a sentence, or longer than a line."""
    return len(text) > MAX_HEADING_CHARS or ENDS_AS_A_SENTENCE.search(text) is not None


def _characters(paragraphs: Iterable[Paragraph]) -> Counter[Look]:
    """How many characters are set in which look."""
    found = Counter[Look]()
    for each in paragraphs:
        found.update(each.looks)
    return found
