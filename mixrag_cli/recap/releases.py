"""Extract from change logs: the version under whose heading a change stands.

In "2.1.0 - February 26, 2025" with "- Add an option …" below it, the bullet says what, and the heading says since when.
"""

from __future__ import annotations

import re

from mixrag_cli.recap.sentences import SentenceMatch

MAX_HEADING_WORDS = 8
_CHANGE = (
    r"(?:add|introduc|remov|drop|fix|support|deprecat|renam|includ|chang|bring|brought|made|start|stop|replac|upgrad|"
    r"updat|improv|ship|allow|enabl)\w*"
)
_ASKS_RELEASE = re.compile(
    r"\b(?:in|since|with|by|from|as of) (?:which|what) (?:[\w.-]+ )?(?:version|release)\b"
    rf"|^\s*(?:which|what) (?:version|release)\b[^?]*\b{_CHANGE}",
    re.IGNORECASE,
)
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
_NUMBERED = re.compile(r"(?<![\w#])v?\d+(?:\.\d+)*\+?(?!\w)")


def asks_release(question: str) -> bool:
    """Whether the question asks in which version something changed."""
    return _ASKS_RELEASE.search(question) is not None


def asked_change(question: str) -> str:
    """The question less the words that ask for a version: what changed.

    Example: asked_change("In which version was the flag added?") -> "the flag".
    """
    return " ".join(_ASKING.sub(" ", question).split()).rstrip("?. ")


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
