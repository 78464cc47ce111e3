"""Headings of plain text that only their numbers show: "2.1 Exceptions", "Chapter 4", "Appendix B: Forms".

And those of a list of changes, "Changes in 6.0.0": lines that differ in their numbers alone, with lists below them.

A numbered line opens a section where its number follows from those before it, a blank line or the start stands above
it, and most of such lines have text of their own below them: items of a list have none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_TITLE_WORDS = 10
MIN_HEADINGS = 2  # one numbered line is as likely a sentence
NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?[ \t]+([^\W\d_a-z][^\n]{1,79})$")
NAMED = re.compile(
    r"(part|chapter|section|article|appendix|annex)[ \t]+(?:\d{1,3}|[IVXLC]{1,6}|[A-Z])[.:]?"
    r"(?:[ \t]+\S[^\n]{1,70})?[ \t]*$",
    re.I,
)
ALIKE = {"appendix": "chapter", "annex": "chapter", "article": "section"}  # of one level where a text has both
RELEASE = re.compile(r"[^\W\d_-][^\n]{0,60}\d\.\d[^\n]{0,40}(?<![,;.])$|[vV]?\d{1,4}\.\d[^\n]{0,40}(?<![,;.])$")
DIGITS = re.compile(r"\d[\w.+/-]*")
ITEM = re.compile(r"[ \t]{0,8}(?:[-*+•o]|\d{1,3}[.)])[ \t]+\S")
RELEASE_STYLE = "release"  # no title of the whole
MIN_RELEASES = 3
MOST = 0.75  # of such lines that have a list below them
SENTENCE_END = (".", ",", ";", ":", "?", "!")

Heading = tuple[str, str]  # text, and its style: headings of one style are of one level


def find_numbered_headings(lines: Sequence[str], first: int, last: int) -> dict[int, Heading]:
    """The headings among the lines [first, last), from 0, by their line."""
    found = {**_releases(lines, first, last), **_numbered(lines, first, last), **_named(lines, first, last)}
    return found if len(found) >= MIN_HEADINGS else {}


def _opens_run(lines: Sequence[str], first: int, at: int) -> bool:
    return at == first or not lines[at - 1].strip()


def _named(lines: Sequence[str], first: int, last: int) -> dict[int, Heading]:
    found: dict[int, Heading] = {}
    for at in range(first, last):
        match = NAMED.match(lines[at])
        is_alone = at + 1 == last or not lines[at + 1].strip()
        if match and is_alone and _opens_run(lines, first, at) and not lines[at].rstrip().endswith((",", ";")):
            found[at] = (lines[at].strip(), ALIKE.get(match[1].lower(), match[1].lower()))
    return found


def _releases(lines: Sequence[str], first: int, last: int) -> dict[int, Heading]:
    alike: dict[str, list[int]] = {}
    for at in range(first, last):
        line = lines[at].rstrip()
        if RELEASE.match(line) and _opens_run(lines, first, at) and not ITEM.match(line):
            alike.setdefault(DIGITS.sub("0", line), []).append(at)
    places = max(alike.values(), key=len, default=[])
    below = [next((line for line in lines[at + 1 : min(at + 3, last)] if line.strip()), "") for at in places]
    n_lists = sum(ITEM.match(line) is not None for line in below)
    if len(places) < MIN_RELEASES or n_lists < MOST * len(places):
        return {}
    return {at: (lines[at].strip().rstrip(":"), RELEASE_STYLE) for at in places}


def _numbered(lines: Sequence[str], first: int, last: int) -> dict[int, Heading]:
    found: dict[int, Heading] = {}
    n_with_text = 0
    before: tuple[int, ...] = ()
    for at in range(first, last):
        match = NUMBERED.match(lines[at])
        if match is None or not _opens_run(lines, first, at) or not _reads_as_title(match[2], lines, at + 1, last):
            continue
        number = tuple(map(int, match[1].split(".")))
        if not _follows(number, before):
            continue
        before = number
        found[at] = (lines[at].strip(), f"numbered {len(number)}")
        following = next((line for line in lines[at + 1 : last] if line.strip()), "")
        n_with_text += bool(following) and NUMBERED.match(following) is None
    return found if n_with_text * 2 > len(found) else {}


def _reads_as_title(title: str, lines: Sequence[str], below: int, last: int) -> bool:
    """Whether the text is short, no sentence, and does not go on in the next line."""
    if title.rstrip().endswith(SENTENCE_END) or len(title.split()) > MAX_TITLE_WORDS:
        return False
    following = lines[below].strip() if below < last else ""
    return not following or (following[0].isupper() and not lines[below][:1].isspace())


def _follows(number: tuple[int, ...], before: tuple[int, ...]) -> bool:
    """Whether a number comes next: 1 at first, then the next of its level, or the first below the last."""
    if not before:
        return number in ((0,), (1,))
    if len(number) == len(before) + 1:
        return number[:-1] == before and number[-1] in (0, 1)
    return (
        len(number) <= len(before)
        and number[:-1] == before[: len(number) - 1]
        and (number[-1] == before[len(number) - 1] + 1)
    )
