"""Words on a page to lines, and printed lines to one text; pure functions, no PDF library.

    words ─► flows (columns) ─► words_to_lines ─► paragraphs ─► join_lines (hyphenation)

Coordinates are points from the page's top left corner; y grows downward.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from mixrag_cli.quantities.values import is_figure_with_aside
from mixrag_cli.readers.pdf.directions import in_reading_order
from mixrag_cli.readers.pdf.page import Box, TurnedWord, Word
from mixrag_cli.readers.raised import raise_text

BASELINE_TOLERANCE = 0.45  # of the type size: below it two words stand on one line (superscripts are caught apart)
SMALLER = 0.85  # times the type size: a raised sign is at most as large
RAISED_SHARE = 0.15  # of the type size: a raised sign stands at least so far above the baseline
GLUE_SHARE = 0.12  # of the type size: a raised sign this near belongs to its word
COLUMN_GAP = 0.9  # of the type size: the least gap that can be a gutter or part two table cells
SECTION_NUMBER = re.compile(r"^\(?(?:\d{1,2}(?:\.\d{1,2}){0,4}[.)]?|(?:[a-zA-Z]|[ivx]{2,5}|[IVX]{2,5})[.)])$")
NUMBER = re.compile(
    r"^[<>~≈]?[(\[]?[-+−–—]?(?:[A-Z]{2,3})?[$€£¥]?[(\-−–]?\d(?:[\d,.'’:/ ]*\d)?\.?\)?\s?(?:%|x|bps?|pp)?"
    r"[)\]]?\s?%?[*†‡⁰¹²³⁴-⁹ᵃ-ᶻ]*$"
    r"|^\d[\d,]*(?:\.\d+)?%?(?:\s[-–—]\s|–)\d[\d,]*(?:\.\d+)?\s?%?$"  # from one figure to another
    r"|^[$€£¥]?\s?[-–—−]{1,3}\s?%?$|^(?:n/?a|nm|N/?A|NM|n\.a\.|\.{1,3}|\*+)$"
)


@dataclass(frozen=True)
class Line:
    """Words that stand on one baseline, left to right."""

    words: tuple[Word, ...]

    @cached_property
    def x0(self) -> float:
        """Left edge."""
        return self.words[0].x0

    @cached_property
    def x1(self) -> float:
        """Right edge."""
        return max(word.x1 for word in self.words)

    @cached_property
    def size(self) -> float:
        """The type size that most of its characters have."""
        return _main_size(self.words)

    @cached_property
    def baseline(self) -> float:
        """The baseline of its full-size words."""
        return median(word.baseline for word in self.words if word.size >= 0.8 * self.size)

    @cached_property
    def top(self) -> float:
        """Upper edge of its full-size words."""
        return min(word.top for word in self.words if word.size >= 0.8 * self.size)

    @cached_property
    def bottom(self) -> float:
        """Lower edge of its full-size words."""
        return max(word.bottom for word in self.words if word.size >= 0.8 * self.size)

    @cached_property
    def text(self) -> str:
        """Its words with single spaces."""
        return words_to_text(self.words)

    @cached_property
    def bold(self) -> bool:
        """Whether all words with letters or digits are bold, whatever the number before them is."""
        words = without_number(self.words)
        return all(word.bold for word in words if word.text[0].isalnum()) and words[0].bold

    @cached_property
    def italic(self) -> bool:
        """Whether all words with letters or digits are italic."""
        return all(word.italic for word in self.words if word.text[0].isalnum()) and self.words[0].italic

    @property
    def box(self) -> Box:
        """Its bounding box."""
        return (self.x0, self.top, self.x1, self.bottom)


def without_number(words: Sequence[Word]) -> Sequence[Word]:
    """The words behind the number of a section or list item that stands before them."""
    return words[1:] if len(words) > 1 and SECTION_NUMBER.match(words[0].text) else words


def merge_boxes(boxes: Iterable[Box]) -> Box:
    """The smallest box around all of them."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def is_number(text: str) -> bool:
    """Whether the text is a figure as tables print it: "(1,234)", "$ 5", "35 %", "1.5 - 2.0", "12 (3%)", "—", "n/a"."""
    return NUMBER.match(text) is not None or is_figure_with_aside(text)


def words_to_text(words: Sequence[Word]) -> str:
    """The words' text; words that stand glued to the one before them get no space, raised ones raised characters."""
    words = in_reading_order(words)
    parts = [words[0].text]
    base = words[0]  # the last word that is not raised
    for before, word, behind in zip(words, words[1:], [*words[2:], None], strict=False):
        is_small = word.size < SMALLER * base.size
        is_glued = word.glued or (word.size < SMALLER * before.size and word.x0 - before.x1 < GLUE_SHARE * before.size)
        is_near = word.x0 - before.x1 < COLUMN_GAP * base.size  # a page number beside a heading is no sign of it
        is_near |= behind is not None and behind.x0 - word.x1 < GLUE_SHARE * base.size
        is_raised = is_small and is_near and base.baseline - word.baseline > RAISED_SHARE * base.size
        text = raise_text(word.text) if is_raised else word.text
        base = base if text != word.text else word  # behind a small word of its own a number is no sign: "Phone 0731"
        parts.append(text if is_glued else f" {text}")
    return "".join(parts)


def join_turned(words: Sequence[TurnedWord]) -> Word:
    """One word with the text of all that stand on their side in one place, line by line, and the box around them."""
    size = median(word.size for word in words)
    lines: list[list[TurnedWord]] = []
    for word in sorted(words, key=lambda word: (word.x0 + word.x1) * (1 if word.reads_up else -1)):
        last = lines[-1][0] if lines else None
        if last is not None and abs(word.x0 + word.x1 - last.x0 - last.x1) <= size:
            lines[-1].append(word)
        else:
            lines.append([word])
    ordered = [sorted(line, key=lambda word: -word.bottom if word.reads_up else word.top) for line in lines]
    text = " ".join(word.text for line in ordered for word in line)
    x0, top, x1, bottom = merge_boxes((word.x0, word.top, word.x1, word.bottom) for word in words)
    return Word(text, x0, top, x1, bottom, bottom, size)


def _main_size(words: Sequence[Word]) -> float:
    if len(words) == 1:
        return words[0].size
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[word.size] += len(word.text)
    return max(sizes.items(), key=lambda item: (item[1], item[0]))[0]


def words_to_lines(words: Iterable[Word]) -> list[Line]:
    """Group words to lines by baseline, top to bottom; a raised or lowered small word joins the line it touches."""
    rows: list[list[Word]] = []
    levels: list[float] = []
    sizes: list[float] = []
    for word in sorted(words, key=lambda word: (word.baseline, word.x0)):
        reach = BASELINE_TOLERANCE * word.size
        if rows and abs(word.baseline - levels[-1]) <= max(reach, BASELINE_TOLERANCE * min(sizes[-1], word.size)):
            rows[-1].append(word)
            if word.size >= sizes[-1]:
                sizes[-1] = word.size
        else:
            rows.append([word])
            levels.append(word.baseline)
            sizes.append(word.size)
    rows = _join_scripts(rows, sizes)
    return [Line(tuple(sorted(row, key=lambda word: word.x0))) for row in rows]


def _join_scripts(rows: list[list[Word]], sizes: list[float]) -> list[list[Word]]:
    """Move rows that hold only small raised or lowered words into the neighbouring line that they touch."""
    kept: list[list[Word]] = []
    kept_sizes: list[float] = []
    waiting: list[Word] = []
    for row, size in zip(rows, sizes, strict=True):
        row = row + waiting
        waiting = []
        if kept and (stay := _scripts_of(row, kept[-1], kept_sizes[-1])) is not None:
            kept[-1].extend(stay)
            row = [word for word in row if word not in stay]
            if not row:
                continue
        kept.append(row)
        kept_sizes.append(size)
    result: list[list[Word]] = []
    for index, row in enumerate(kept):
        if index + 1 < len(kept) and (raised := _scripts_of(row, kept[index + 1], kept_sizes[index + 1])):
            kept[index + 1].extend(raised)
            row = [word for word in row if word not in raised]
        if row:
            result.append(row)
    return result


def _scripts_of(row: Sequence[Word], host: Sequence[Word], size: float) -> list[Word] | None:
    """The small words of the row that overlap the host line's height and stand right behind one of its words."""
    found = [
        word
        for word in row
        if word.size < 0.85 * size
        and any(
            -0.2 * size <= word.x0 - other.x1 <= 0.4 * size
            and other.size >= size * 0.99
            and word.top < other.bottom
            and word.bottom > other.top
            for other in host
        )
    ]
    return found or None


WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
HYPHENS = "-\u00ad\u2010"
BROKEN_END = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)[-\u00ad\u2010]$")
BROKEN_START = re.compile(r"^[^\W\d_]+(?:-[^\W\d_]+)*")


def count_words(texts: Iterable[str]) -> Counter[str]:
    """How often each word, in lower case, stands in the texts; hyphenated words count as one word."""
    return Counter(word.lower() for text in texts for word in WORD.findall(text))


def join_lines(lines: Sequence[str], known: Counter[str]) -> str:
    """One text from printed lines: "inter-" + "national" are joined, "year-" + "over-year" keep their hyphen.

    known: the document's own words, which decide between the two.
    """
    text = ""
    for line in lines:
        if not text:
            text = line
        elif text[-1] in HYPHENS and (end := BROKEN_END.search(text[-80:])) and (start := BROKEN_START.match(line)):
            keeps = _keeps_hyphen(end.group(1), start.group(), known)
            text = (text[:-1] + "-" if keeps else text[:-1]) + line
        else:
            text = f"{text} {line}"
    return text.replace("\u00ad", "")


def _keeps_hyphen(first: str, second: str, known: Counter[str]) -> bool:
    """Whether a hyphen at a line's end belongs to the word."""
    if not second[0].islower() or "-" in second or "-" in first:
        return True
    joined, hyphened = (first + second).lower(), f"{first}-{second}".lower()
    if known[joined] != known[hyphened]:
        return known[hyphened] > known[joined]
    # Each part was counted once where it stands here; a word of its own stands elsewhere too.
    return len(first) > 3 and known[first.lower()] > 1 and known[second.lower()] > 1
