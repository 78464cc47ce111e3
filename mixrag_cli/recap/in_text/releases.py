"""Extract from change logs: the version under whose heading a change stands.

In "2.1.0 - February 26, 2025" with "- Add an option …" below it, the bullet says what, and the heading says since when.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mixrag_cli.recap.in_text.sentences import SentenceMatch
from mixrag_cli.recap.language import terms_of
from mixrag_cli.records import Hit

MAX_HEADING_WORDS = 8
_CHANGE = (
    r"(?:add|introduc|remov|drop|fix|support|deprecat|renam|includ|chang|bring|brought|made|start|stop|replac|upgrad|"
    r"updat|improv|ship|allow|enabl)\w*"
)
_ASKS_RELEASE = re.compile(
    r"\b(?:in|since|with|by|from|as of) (?:which|what) (?:[\w.-]+ )?(?:version|release)\b"
    rf"|^\s*(?:which|what) (?:[\w.-]+ ){{0,3}}?(?:version|release)\b[^?]*\b{_CHANGE}",
    re.IGNORECASE,
)
_AND_WHEN = re.compile(r",? and (?:when|on (?:which|what) (?:date|day))\b[^?]*", re.IGNORECASE)
_ENDS = re.compile(
    r"\b(?:drop\w*|remov\w*|delet\w*|discontinu\w*|stop\w*|end(?:s|ed)? support|no longer|abandon\w*|ceas\w*)\b",
    re.IGNORECASE,
)
_STARTS = re.compile(r"\b(?:add\w*|introduc\w*|new\b|first\b|start\w*)\b", re.IGNORECASE)
_ENDING = re.compile(
    r"\b(?:stop(?:s|ped)? (?:support(?:ing)?|work(?:ing)?|us(?:e|ing))|drop(?:s|ped)?|remov(?:es|ed?)|ceas(?:es|ed?)|"
    r"discontinu(?:es|ed?)|end(?:s|ed)|abandon(?:s|ed)?|delet(?:es|ed?))\b",
    re.IGNORECASE,
)
_NUMBERED_THING = re.compile(r"\b([A-Za-z]\w*) (\d+(?:\.\d+)*)(?![\w.]*\d)")
_DATE_BEHIND = re.compile(r"^[\])\s:,(/–—-]*(?P<date>[^)\]]*\d[^)\]]*)")
_ASKING = re.compile(
    r"\b(?:(?:in|since|with|by|from|as of) )?(?:which|what) (?=[\w.-]+ (?:version|release)\b|version\b|release\b)"
    r"|\b(?:versions?|releases?)\b|\b(?:is|was|were|did|does|do|has|have|had|be|been)\b"
    r"|\b(?:add(?:ed|s)?|introduc(?:ed|es?)|support (?:for|of|was)|made)\b",
    re.IGNORECASE,
)
_ASKS_VERSION = re.compile(r"\b(?:which|what)\b[^?]*\bversions?\b", re.IGNORECASE)
_VERSION = r"v?\d+(?:\.\d+)+(?:[-.]?(?:\d+|[a-z]+\d*))*"
_HEADING = re.compile(
    rf"^\W{{0,4}}(?:(?:version|release)\s+|[A-Za-z][\w.-]*\s+)?\[?(?P<version>{_VERSION})(?=[\])\s:,(]|$)",
    re.IGNORECASE,
)
_ASKS_DAY = re.compile(
    rf"^\s*(?:when|on (?:which|what) (?:date|day)) (?:was|were|did|is) (?P<what>[^?]*?)\b(?:version |release )?"
    rf"v?(?P<version>{_VERSION.removeprefix('v?')})\b[^?]*\b(?:releas|publish|c[oa]me out|made|tagged|ship|appear)\w*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?<![\w#])v?\d+(?:\.\d+)*\+?(?!\w)")


@dataclass(frozen=True, slots=True)
class ReleaseDay:
    """The heading of a version and the day in it."""

    hit: Hit
    heading: str
    date: str


def asks_release(question: str) -> bool:
    """Whether the question asks in which version something changed."""
    return _ASKS_RELEASE.search(question) is not None


def asked_change(question: str) -> str:
    """The question less the words that ask for a version: what changed.

    Example: asked_change("In which version was the flag added?") -> "the flag".
    """
    return " ".join(_ASKING.sub(" ", _AND_WHEN.sub(" ", question)).split()).rstrip("?. ")


def match_release_day(question: str, hits: Sequence[Hit]) -> ReleaseDay | None:
    """The day in the heading of the version that the question names; None where logs name several."""
    asked = _ASKS_DAY.search(question)
    if asked is None:
        return None
    terms, found = set(terms_of(asked["what"])), list[ReleaseDay]()
    for hit in hits:
        if hit.chunk.kind == "prose" and terms & set(terms_of(f"{hit.path_below} {hit.title} {hit.chunk.context}")):
            found += [day for line in _heading_lines(hit) if (day := _day_in(line, asked["version"], hit)) is not None]
    return found[0] if found and len({day.date for day in found}) == 1 else None


def _heading_lines(hit: Hit) -> Iterator[str]:
    yield from (line.strip() for line in hit.chunk.text.splitlines())
    yield from (part.strip() for part in hit.chunk.context.split(" > "))


def _day_in(line: str, version: str, hit: Hit) -> ReleaseDay | None:
    found = _HEADING.match(line)
    if found is None or found["version"].removeprefix("v") != version or len(line.split()) > MAX_HEADING_WORDS:
        return None
    date = date_of(line, found["version"])
    return ReleaseDay(hit, line, date) if date else None


def asks_when_too(question: str) -> bool:
    """Whether the date of the version is asked for beside it. Example: "Which release …, and when was it made?"."""
    return _AND_WHEN.search(question) is not None


def sought_change(question: str) -> str:
    """What changed, in the words by which a log is searched: less its ending, which a log says in another word.

    Example: sought_change("Which release stopped supporting Ruby 2?") -> "Ruby 2 support".
    """
    change = asked_change(question)
    if _ENDING.search(change) is None:
        return change
    return " ".join(f"{_ENDING.sub(' ', change)} support".split())


def is_same_change(text: str, question: str) -> bool:
    """Whether a line of a log can be the change asked for: an end where one ends, with all its numbers.

    Example: is_same_change("Dropped Ruby 2.6", "Which release dropped Ruby 2?") -> False.
    """
    ends = _ENDING.search(question) is not None
    if ends != (_ENDS.search(text) is not None) and (ends or _STARTS.search(question) is not None):
        return False
    numbered = _NUMBERED_THING.findall(_AND_WHEN.sub("", question))
    return all(
        re.search(rf"\b{word}\b[^\n]{{0,25}}?(?<![\w.]){number}(?!\.?\w)", text, re.IGNORECASE)
        for word, number in numbered
    )


def date_of(heading: str, version: str) -> str:
    """What a heading says behind its version: the day of the release, "" where it says none.

    Example: date_of("3.2.0 - May 4, 2021", "3.2.0") -> "May 4, 2021".
    """
    behind = _DATE_BEHIND.match(heading.partition(version)[2])
    return behind["date"].strip(" ,:") if behind else ""


def asks_version(question: str) -> bool:
    """Whether the answer must hold the number of a version."""
    return _ASKS_VERSION.search(question) is not None


def says_version(text: str, question: str) -> bool:
    """Whether a text has a number that the question has not, as a version is one."""
    return any(found.group() not in question for found in _NUMBERED.finditer(text))


def release_above(match: SentenceMatch) -> tuple[str, str]:
    """The version whose heading stands nearest above the sentence, and that heading; "" and "" where there is none."""
    above = match.hit.chunk.text[: match.start].splitlines()
    path = match.hit.chunk.context.split(" > ")
    for line in (*reversed(above), *reversed(path)):
        found = _HEADING.match(line.strip())
        if found is not None and len(line.split()) <= MAX_HEADING_WORDS:
            return found["version"].removeprefix("v"), line.strip()
    return "", ""
